import { type CataloguedEvent, fileOf } from './catalogue.js';

const INTRODUCTION = `# Events

<!-- Written by \`npm run docs:events\` from the types and catalogues of libs/domain; a test compares it. -->

Every event type of the log, by category (the part of a stream's name before its first \`-\`). Stored events never change: a new member is optional or has an
upcaster, and a type is never renamed. The file of a service has a JSON Schema (2020-12), the meaning and a stored example of each type, under the name
\`#/$defs/<category>.<type>\`; [metadata.json](events/metadata.json) describes the metadata of all events. Beside the schemas stand:

- \`x-version\`: schema version of new events. Events of earlier versions are upcast when they are read.
- \`x-sealed\`: members encrypted with the key of a subject, in the log \`{"$sealed": "…", "subject": "…"}\`; \`null\` once that key is destroyed. Nested sealed members are stored in
  a member named by their path, with \`"$sealed"\` in their places.
- \`x-marks\`: how auditors see members ([operations contract 4](contracts/operations-integrity.md#4-secrets-and-personal-data)).
- \`x-forgets\`: the keys of the deleted records are destroyed soon after the event.
`;

/** The text of docs/events.md. */
export const eventsDocument = (events: readonly CataloguedEvent[]): string => {
  const sections = [...new Set(events.map(({ category }) => fileOf(category)))].map((file) => {
    const ofService = events.filter(({ category }) => fileOf(category) === file);
    const rows = [...new Set(ofService.map(({ category }) => category))].map((category) => {
      const types = ofService.filter((event) => event.category === category).map(({ type }) => `\`${type}\``);
      return `| \`${category}\` | ${types.join(', ')} |`;
    });
    return [`\n## ${file.replace('.json', '')}\n`, `[${file}](events/${file})\n`, '| Category | Types |', '| --- | --- |', ...rows].join(
      '\n',
    );
  });
  return `${INTRODUCTION}${sections.join('\n')}\n`;
};
