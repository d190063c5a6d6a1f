import { readFileSync } from 'node:fs';
import { catalogues } from '#api/runtime/vocabulary.js';
import { asyncApi } from './async-api.js';
import { type CataloguedEvent, cataloguedEvents, type Examples, schemaFiles } from './catalogue.js';
import { commentsOnEvents } from './comments.js';
import type { EventName } from './event-types.js';
import type EXAMPLES from './examples.json';
import { eventsDocument } from './markdown.js';
import { type TypeSchemas, typeSchemas } from './type-schemas.js';

/** One of each event, as it is in the log: `npm run typecheck` asks for one of a new event, and refuses one of none. */
type Exampled<Given extends Readonly<Record<EventName, unknown>>> = Exclude<keyof Given, EventName> extends never ? Examples : never;
const readExamples = (): Exampled<typeof EXAMPLES> => JSON.parse(readFileSync('test/docs/events/examples.json', 'utf8'));

export type Documents = Readonly<{
  types: TypeSchemas;
  events: readonly CataloguedEvent[];
  examples: Examples;
  /** Texts of files that are generated, by path from the root of the checkout. */
  files: Readonly<Record<string, string>>;
}>;

const text = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** What is generated from the events. Run from the root of the checkout. */
export const eventDocuments = (): Documents => {
  const types = typeSchemas();
  const examples = readExamples();
  const events = cataloguedEvents({ types, catalogues, comments: commentsOnEvents('libs/domain/src') });
  const schemas = Object.entries(schemaFiles(events, types, examples)).map(([name, schema]) => [`docs/events/${name}`, text(schema)]);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const files = {
    'docs/events.md': eventsDocument(events),
    'docs/asyncapi.json': text(asyncApi(types, version)),
    ...Object.fromEntries(schemas),
  };
  return { types, events, examples, files };
};
