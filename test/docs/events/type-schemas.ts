import { createGenerator, type Schema } from 'ts-json-schema-generator';

export type JsonSchema = { readonly [keyword: string]: unknown };

const TYPES = 'test/docs/events/event-types.ts';
/** The types there that have the events, in the order of the documents. */
const EVENTS = ['OtherEvents', 'MessagingEvents', 'AccountingEvents', 'StatusEvents', 'RecordEvents'];
const LOCAL = '#/definitions/';

/** Rebuilds a schema from the inside out. */
const mapped = (value: unknown, change: (schema: JsonSchema) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return change(Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapped(member, change)])));
};

const referredBy = (schema: unknown): ReadonlySet<string> => {
  const found = new Set<string>();
  mapped(schema, (part) => {
    if (typeof part.$ref === 'string') found.add(decodeURIComponent(part.$ref.slice(LOCAL.length)));
    return part;
  });
  return found;
};

/** Definitions that contain themselves. All others can stand where they are used. */
const recursiveOf = (definitions: Readonly<Record<string, unknown>>): ReadonlySet<string> => {
  const reaches = (name: string, goal: string, seen = new Set<string>()): boolean =>
    [...referredBy(definitions[name])].some((next) => next === goal || (!seen.has(next) && reaches(next, goal, seen.add(next))));
  return new Set(Object.keys(definitions).filter((name) => reaches(name, name)));
};

/** The names of {@link recursiveOf} stay references into `definitions`. */
const inlined = (schema: unknown, definitions: Readonly<Record<string, unknown>>, recursive: ReadonlySet<string>): unknown =>
  mapped(schema, (part) => {
    if (typeof part.$ref !== 'string') return part;
    const name = decodeURIComponent(part.$ref.slice(LOCAL.length));
    if (recursive.has(name)) return { ...part, $ref: `#/$defs/${name}` };
    const { $ref: _, ...beside } = part;
    return { ...(inlined(definitions[name], definitions, recursive) as JsonSchema), ...beside };
  });

const branchesOf = (schema: JsonSchema): readonly JsonSchema[] =>
  Array.isArray(schema.anyOf) ? (schema.anyOf as JsonSchema[]).flatMap(branchesOf) : [schema];

const memberOf = (schema: JsonSchema, name: string): JsonSchema =>
  ((schema.properties as Record<string, JsonSchema> | undefined)?.[name] ?? {}) as JsonSchema;

/** Types of one branch: several if they share their data. */
const typesOf = (branch: JsonSchema): readonly string[] => {
  const { const: one, enum: some } = memberOf(branch, 'type');
  return typeof one === 'string' ? [one] : ((some ?? []) as string[]);
};

/** `description`: of the event as a whole. */
export type EventType = Readonly<{ data: JsonSchema; description?: string }>;

export type TypeSchemas = Readonly<{
  /** By category and type. */
  events: Readonly<Record<string, Readonly<Record<string, EventType>>>>;
  metadata: JsonSchema;
  /** Of messages about changed statuses. */
  notice: Readonly<{ payload: JsonSchema; attributes: JsonSchema }>;
  /** What these schemas refer to as `#/$defs/<name>`. */
  shared: Readonly<Record<string, JsonSchema>>;
}>;

const eventType = (branch: JsonSchema): EventType => ({
  data: memberOf(branch, 'data'),
  ...(typeof branch.description === 'string' && { description: branch.description }),
});

/** JSON Schemas of all events, read from their TypeScript types: there is no other description of their shape. Takes about two seconds. */
export const typeSchemas = (): TypeSchemas => {
  const generator = createGenerator({
    path: TYPES,
    tsconfig: 'tsconfig.json',
    // `npm run typecheck` does this.
    skipTypeCheck: true,
    expose: 'export',
    topRef: false,
    sortProps: false,
  });
  const read = (type: string): JsonSchema => {
    const { definitions = {}, ...schema }: Schema = generator.createSchema(type);
    const recursive = recursiveOf(definitions);
    for (const name of recursive) shared[name] = inlined(definitions[name], definitions, recursive) as JsonSchema;
    const { $schema: _, ...result } = inlined(schema, definitions, recursive) as JsonSchema;
    return result;
  };
  const shared: Record<string, JsonSchema> = {};
  const categories = EVENTS.flatMap((name) => Object.entries(read(name).properties as Record<string, JsonSchema>));
  const byCategory = categories.map(([category, events]) => [
    category,
    Object.fromEntries(branchesOf(events).flatMap((branch) => typesOf(branch).map((type) => [type, eventType(branch)]))),
  ]);
  const notice = { payload: read('StatusNotice'), attributes: read('StatusNoticeAttributes') };
  return { events: Object.fromEntries(byCategory), metadata: read('Metadata'), notice, shared };
};
