import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { DomainError } from '#domain/shared/decider.js';
import type { JsonObject } from '#domain/shared/events.js';
import { ended } from '#domain/shared/resource-change.js';
import { type Changes, inProject, type NamedIndex, type Rules, requireRoom, sameJson } from './kind.js';
import { RESOURCE_LIMITS, shownSize } from './resource-limits.js';

export type SchemaType = 'json' | 'avro';

/** Type and document of a schema. The caller has compiled both together. */
export type SchemaContent = Readonly<{ type: SchemaType; document: JsonObject }>;

export type SchemaEvent =
  | Readonly<{ type: 'SchemaCreated'; data: Readonly<{ schemaId: string; name: string; type: SchemaType; document: JsonObject }> }>
  | Readonly<{ type: 'SchemaRevised'; data: Readonly<{ schemaId: string; name: string; type: SchemaType; document: JsonObject }> }>
  /** Topics that used the schema accept any message from now on. */
  | Readonly<{ type: 'SchemaDeleted'; data: Readonly<{ schemaId: string; name: string }> }>;

const schema = inProject('schema', 'schemaId');

export const schemaEvents: CatalogueOf<SchemaEvent> = {
  SchemaCreated: { resource: schema },
  SchemaRevised: { resource: schema },
  SchemaDeleted: { resource: ended(schema) },
};

/** Schemas are identified by their current names. `schemaId` is new. */
export type SchemaCommand =
  | Readonly<{ type: 'CreateSchema'; schemaId: string; name: string; content: SchemaContent }>
  /** Absent members are unchanged. `basedOn`: the schema of which the call leaves the type or the document as it is. */
  | Readonly<{ type: 'ReviseSchema'; name: string; newName?: string; content?: SchemaContent; basedOn?: Pick<Schema, 'id' | 'content'> }>
  | Readonly<{ type: 'DeleteSchema'; name: string }>;

/** `size`: characters of the displayed document. */
export type Schema = Readonly<{ id: string; name: string; content: SchemaContent; size: number }>;

type Topics = Readonly<{ values(): Iterable<{ schemaId: string | null }> }>;
type State = Readonly<{ schemas: NamedIndex<Schema>; topics: Topics }>;

/** @throws DomainError `SCHEMA_TOO_LARGE`, `PROJECT_FULL` if replacing a document of size `before` with one of `size` would exceed a limit */
const requireSchemaRoom = ({ schemas }: State, before: number, size: number): void => {
  const { schemaText, schemaTextPerProject } = RESOURCE_LIMITS;
  if (size <= before) return;
  if (size > schemaText.value) throw new DomainError('SCHEMA_TOO_LARGE', schemaText);
  let total = size - before;
  for (const schema of schemas.values()) total += schema.size;
  if (total > schemaTextPerProject.value) throw new DomainError('PROJECT_FULL', { ...schemaTextPerProject, unit: 'characters of schemas' });
};

const isSame = (a: SchemaContent, b: SchemaContent): boolean => a.type === b.type && sameJson(a.document, b.document);

export const schemaRules: Rules<State, SchemaCommand, SchemaEvent> = {
  CreateSchema: ({ schemaId, name, content: { type, document } }, state) => {
    if (state.schemas.has(name)) throw new DomainError('SCHEMA_EXISTS');
    requireRoom(state.schemas, RESOURCE_LIMITS.schemasPerProject);
    requireSchemaRoom(state, 0, shownSize(document));
    return [{ type: 'SchemaCreated', data: { schemaId, name, type, document } }];
  },
  ReviseSchema: (command, state) => {
    const { schemas } = state;
    const before = schemas.named(command.name);
    const { newName: name = before.name, content = before.content, basedOn = before } = command;
    const { type, document } = content;
    if (basedOn.id !== before.id || !isSame(basedOn.content, before.content)) throw new DomainError('SCHEMA_CHANGED');
    if (name !== before.name && schemas.has(name)) throw new DomainError('SCHEMA_EXISTS');
    if (name === before.name && isSame(content, before.content)) return [];
    if (document !== before.content.document) requireSchemaRoom(state, before.size, shownSize(document));
    return [{ type: 'SchemaRevised', data: { schemaId: before.id, name, type, document } }];
  },
  DeleteSchema: (command, { schemas }) => {
    const { id, name } = schemas.named(command.name);
    return [{ type: 'SchemaDeleted', data: { schemaId: id, name } }];
  },
};

type Written = Extract<SchemaEvent, { type: 'SchemaCreated' | 'SchemaRevised' }>['data'];

const put = ({ schemas }: State, { schemaId: id, name, type, document }: Written): void =>
  schemas.put({ id, name, content: { type, document }, size: shownSize(document) });

export const schemaChanges: Changes<State, SchemaEvent> = {
  SchemaCreated: put,
  SchemaRevised: put,
  SchemaDeleted: ({ schemas, topics }, { schemaId }) => {
    schemas.remove(schemaId);
    for (const topic of topics.values()) if (topic.schemaId === schemaId) topic.schemaId = null;
  },
};
