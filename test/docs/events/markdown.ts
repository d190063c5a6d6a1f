import { isNested } from '#infra/stores/event-codec/member-paths.js';
import { type CataloguedEvent, definitionName, fileOf } from './catalogue.js';
import type { JsonSchema } from './type-schemas.js';

const INTRODUCTION = `# Events

<!-- Written by \`npm run docs:events\` from the types and catalogues of libs/domain; a test compares it. -->

Every event type of the log, by category (the part of a stream's name before its first \`-\`). Stored events never change: a new member is optional or has an
upcaster, and a type is never renamed. [docs/events](events/metadata.json) has a JSON Schema (2020-12) and a stored example of each; \`x-version\`, \`x-sealed\`, \`x-marks\` and
\`x-forgets\` are the columns and notes here:

- ***v2***, ***v3***: schema version of new events, if it is not 1. Events of earlier versions are upcast when they are read.
- ***sealed***: encrypted with the key of a subject, in the log \`{"$sealed": "…", "subject": "…"}\`; \`null\` once that key is destroyed. Nested sealed members are stored in a member
  named by their path, with \`"$sealed"\` in their places.
- ***secret***, ***hash***, ***personal***, ***digest***, ***in part***, ***url***: how auditors see the member ([operations contract 4](contracts/operations.md#4-secrets-and-personal-data)).
- ***Forgets***: the keys of the deleted records are destroyed soon after the event.

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

/** A member, with notes in italics: whether it is sealed, and its mark for auditors. Nested members have their path. */
const membersWithNotes = (event: CataloguedEvent): string => {
  const names = membersOf(event.schema);
  const marks: Readonly<Record<string, string>> = event.marks;
  const nested = [...event.sealed, ...Object.keys(marks)].filter((path) => !names.some((name) => name.replace('?', '') === path));
  const noted = (name: string): string => {
    const path = name.replace('?', '');
    const notes = [...(event.sealed.includes(path) ? ['sealed'] : []), ...(marks[path] === undefined ? [] : [marks[path]])];
    return notes.length === 0 ? `\`${name}\`` : `\`${name}\` *(${notes.join(', ')})*`;
  };
  return [...names, ...new Set(nested)].map(noted).join(', ');
};

const row = (event: CataloguedEvent): string => {
  const meaning = [...(event.forgets ? ['*Forgets.*'] : []), event.description].join(' ').trim();
  const type = event.version === 1 ? `\`${event.type}\`` : `\`${event.type}\` *v${event.version}*`;
  return `| ${[type, membersWithNotes(event), meaning].map(cell).join(' | ')} |`;
};

const HEAD = ['| Event | Members | Meaning |', '| --- | --- | --- |'];

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
