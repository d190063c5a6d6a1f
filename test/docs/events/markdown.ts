import { isNested } from '#infra/stores/event-codec/member-paths.js';
import { type CataloguedEvent, definitionName, fileOf } from './catalogue.js';
import type { JsonSchema } from './type-schemas.js';

const INTRODUCTION = `# Events

<!-- Written by \`npm run docs:events\` from the types and catalogues of libs/domain; a test compares it. -->

Every event type of the log, by category (the part of a stream's name before its first \`-\`). Stored events never change: a new member is optional or has an
upcaster, and a type is never renamed. [docs/events](events/metadata.json) has a JSON Schema (2020-12) of the data of each type, with an example as it is in the log; \`x-version\`,
\`x-sealed\`, \`x-marks\` and \`x-forgets\` say what the columns say:

- **Version**: schema version of the data that is written now. Events of earlier versions are brought to it when they are read.
- **Sealed**: members with secrets or personal data. In the log they are \`{"$sealed": "…", "subject": "…"}\`, encrypted with the key of the subject; \`null\` once that key is destroyed.
  Nested ones stand together in a member that is named by their path, and \`"$sealed"\` in their places.
- **Marked**: members that auditors are not shown as they are ([operations contract 4](contracts/operations.md#4-secrets-and-personal-data)): \`secret\` and \`hash\` never, \`personal\` on demand, \`digest\` as
  hash and length, \`in part\` without their secret parts.
- **Forgets**: the keys of what was deleted are destroyed soon after the event.

Metadata of every event, in [metadata.json](events/metadata.json):

`;

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const typeName = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) return String(schema.$ref).replace('#/$defs/', '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => JSON.stringify(one)).join(' or ');
  if (schema.type === 'array') return `list of ${typeName((schema.items ?? {}) as JsonSchema)}`;
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  return String(schema.type ?? 'any');
};

const metadataTable = (metadata: JsonSchema): string => {
  const required = metadata.required as readonly string[];
  const rows = Object.entries(metadata.properties as Record<string, JsonSchema>).map(
    ([name, schema]) =>
      `| \`${name}\` | ${typeName(schema)} | ${required.includes(name) ? 'yes' : 'no'} | ${cell(String(schema.description ?? ''))} |`,
  );
  return ['| Member | Type | Always | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
};

const membersOf = (schema: JsonSchema): readonly string[] => {
  if (Array.isArray(schema.anyOf)) return [...new Set((schema.anyOf as JsonSchema[]).flatMap(membersOf))];
  const required = (schema.required ?? []) as readonly string[];
  const names = Object.keys((schema.properties ?? {}) as object).filter((name) => !isNested(name));
  return names.map((name) => (required.includes(name) ? name : `${name}?`));
};

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const row = (event: CataloguedEvent): string => {
  const marks = Object.entries(event.marks).map(([path, mark]) => `\`${path}\`: ${mark}`);
  const columns = [
    `\`${event.type}\``,
    String(event.version),
    code(membersOf(event.schema)),
    code(event.sealed),
    marks.join(', '),
    event.forgets ? 'yes' : '',
    event.description,
  ];
  return `| ${columns.map(cell).join(' | ')} |`;
};

const HEAD = ['| Event | Version | Members | Sealed | Marked | Forgets | Meaning |', '| --- | --- | --- | --- | --- | --- | --- |'];

/** The text of docs/events.md. */
export const eventsDocument = (events: readonly CataloguedEvent[], metadata: JsonSchema): string => {
  const services = [...new Set(events.map(({ category }) => fileOf(category)))];
  const sections = services.map((file) => {
    const ofService = events.filter(({ category }) => fileOf(category) === file);
    const categories = [...new Set(ofService.map(({ category }) => category))].map((category) =>
      [`### ${category}`, '', ...HEAD, ...ofService.filter((event) => event.category === category).map(row)].join('\n'),
    );
    const example = definitionName(ofService[0] as CataloguedEvent);
    const title = file.replace('.json', '');
    return [`## ${title}`, `Schemas: [${file}](events/${file}), such as \`#/$defs/${example}\`.`, ...categories].join('\n\n');
  });
  return `${INTRODUCTION}${metadataTable(metadata)}\n\n${sections.join('\n\n')}\n`;
};
