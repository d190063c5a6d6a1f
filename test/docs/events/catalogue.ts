import type { EventCatalogue, EventSchema } from '#domain/shared/catalogue.js';
import type { Mark } from '#domain/shared/marks.js';
import { isNested, memberPath } from '#infra/stores/event-codec/member-paths.js';
import type { EventType, JsonSchema, TypeSchemas } from './type-schemas.js';

/** One type of event as docs/events shows it. */
export type CataloguedEvent = Readonly<{
  category: string;
  type: string;
  version: number;
  description: string;
  /** Of the data. */
  schema: JsonSchema;
  sealed: readonly string[];
  /** How auditors are shown members, by path. */
  marks: Readonly<Record<string, string>>;
  forgets: boolean;
}>;

export type CatalogueSources = Readonly<{
  types: TypeSchemas;
  catalogues: Readonly<Record<string, EventCatalogue>>;
  /** By service and type. */
  comments: ReadonlyMap<string, string>;
}>;

const SEALED = { $ref: '#/$defs/Sealed' };

/** The schema with `change` applied to what stands at the path, in every alternative that has it; the same schema if none has. */
const atPath = (schema: JsonSchema, path: ReturnType<typeof memberPath>, change: (found: JsonSchema) => JsonSchema): JsonSchema => {
  const [step, ...rest] = path;
  if (step === undefined) return change(schema);
  if (Array.isArray(schema.anyOf)) {
    const before = schema.anyOf as readonly JsonSchema[];
    const after = before.map((one) => atPath(one, path, change));
    return after.every((one, index) => one === before[index]) ? schema : { ...schema, anyOf: after };
  }
  const within = (typeof step === 'symbol' ? schema : schema.properties) as Record<string, JsonSchema> | undefined;
  const name = typeof step === 'symbol' ? 'items' : step;
  const before = within?.[name];
  const after = before && atPath(before, rest, change);
  if (after === before) return schema;
  return typeof step === 'symbol' ? { ...schema, items: after } : { ...schema, properties: { ...within, [name]: after } };
};

const among = (plain: JsonSchema, ...others: readonly JsonSchema[]): JsonSchema => {
  const { description, ...rest } = plain;
  return { anyOf: [rest, ...others, { type: 'null' }], ...(description !== undefined && { description }) };
};

/** Adds a member to an object, or to each alternative in which the path leads somewhere. */
const withMember = (schema: JsonSchema, name: string, member: JsonSchema): JsonSchema => {
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: schema.anyOf.map((one: JsonSchema) => withMember(one, name, member)) };
  const path = memberPath(name);
  return atPath(schema, path, () => ({})) === schema
    ? schema
    : { ...schema, properties: { ...(schema.properties as object), [name]: member } };
};

/**
 * The schema with a sealed member as it is in the log: `null` once the key is destroyed, readable in events from before it was sealed. Nested
 * values stand together in a top-level member that is named by their path.
 */
const sealedAt = (schema: JsonSchema, path: string): JsonSchema => {
  const steps = memberPath(path);
  if (!isNested(path)) return atPath(schema, steps, (plain) => among(plain, SEALED));
  return withMember(
    atPath(schema, steps, (plain) => among(plain, { const: '$sealed' })),
    path,
    SEALED,
  );
};

const nameOf = (mark: Mark): string => (typeof mark === 'function' ? 'in part' : mark);

const linkless = (comment: string): string => comment.replace(/ *\{\s*@link\s+([\w.]+)\s*\} */g, ' `$1` ').trim();

const catalogued = (
  category: string,
  type: string,
  { data, description }: EventType,
  schema: EventSchema,
  comments: CatalogueSources['comments'],
): CataloguedEvent => {
  const sealed = schema.sensitive?.members ?? [];
  return {
    category,
    type,
    version: schema.version ?? 1,
    description: linkless(description ?? comments.get(`${category.split('.')[0]}.${type}`) ?? String(data.description ?? '')),
    schema: sealed.reduce(sealedAt, data),
    sealed,
    marks: Object.fromEntries(Object.entries(schema.marks ?? {}).map(([path, mark]) => [path, nameOf(mark)])),
    forgets: Boolean(schema.forgets ?? schema.forgetsMentioned),
  };
};

/** Every type of event, in the order of the TypeScript types. */
export const cataloguedEvents = ({ types, catalogues, comments }: CatalogueSources): readonly CataloguedEvent[] =>
  Object.entries(types.events).flatMap(([category, events]) =>
    Object.entries(events).map(([type, event]) => catalogued(category, type, event, catalogues[category]?.[type] ?? {}, comments)),
  );

const definitionOf = ({ type, category, version, description, schema, sealed, marks, forgets }: CataloguedEvent, example: unknown) => {
  const { description: _, ...shape } = schema;
  return {
    title: type,
    ...(description && { description }),
    'x-category': category,
    'x-version': version,
    ...(sealed.length > 0 && { 'x-sealed': sealed }),
    ...(Object.keys(marks).length > 0 && { 'x-marks': marks }),
    ...(forgets && { 'x-forgets': true }),
    ...shape,
    ...(example !== undefined && { examples: [example] }),
  };
};

export type Examples = Readonly<Record<string, unknown>>;

/** Which file of docs/events an event is in: that of the first part of its category. */
export const fileOf = (category: string): string => `${category.split('.')[0]}.json`;

/** Its name among the definitions of its file. */
export const definitionName = ({ category, type }: Pick<CataloguedEvent, 'category' | 'type'>): string => `${category}.${type}`;

const SEALED_MEMBER = {
  description: 'A secret or personal member, encrypted with the key of its subject (AES-256-GCM).',
  type: 'object',
  properties: { $sealed: { type: 'string' }, subject: { type: 'string' } },
  required: ['$sealed', 'subject'],
  additionalProperties: false,
};

const used = (shared: Readonly<Record<string, JsonSchema>>, definitions: unknown): Record<string, JsonSchema> => {
  const text = JSON.stringify(definitions);
  return Object.fromEntries(Object.entries({ Sealed: SEALED_MEMBER, ...shared }).filter(([name]) => text.includes(`"#/$defs/${name}"`)));
};

/** Files of docs/events by name: JSON Schemas of the data of all events, and of their metadata. */
export const schemaFiles = (
  events: readonly CataloguedEvent[],
  { shared, metadata }: TypeSchemas,
  examples: Examples,
): Readonly<Record<string, JsonSchema>> => {
  const head = (title: string) => ({ $schema: 'https://json-schema.org/draft/2020-12/schema', title });
  const files: Record<string, JsonSchema> = { 'metadata.json': { ...head('Metadata of every event'), ...metadata } };
  for (const file of new Set(events.map(({ category }) => fileOf(category)))) {
    const definitions = Object.fromEntries(
      events
        .filter(({ category }) => fileOf(category) === file)
        .map((event) => [definitionName(event), definitionOf(event, examples[definitionName(event)])]),
    );
    files[file] = {
      ...head(`Data of the events of ${file.replace('.json', '')}, by category and type`),
      $defs: { ...definitions, ...used(shared, definitions) },
    };
  }
  return files;
};
