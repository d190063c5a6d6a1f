import { randomUUID } from 'node:crypto';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { whileBehind } from '#api/messaging/while-behind.js';
import { commandTo, commandWith } from '#api/shared/commands/command-of.js';
import { contextNow } from '#api/shared/commands/context-now.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { SchemaContent, SchemaType } from '#domain/messaging/resources/schemas.js';
import type { JsonObject } from '#domain/shared/events.js';
import { SchemaInvalid } from '#infra/edges/schemas/errors.js';
import { MessageValidator } from '#infra/edges/schemas/validation/message-validator.js';
import { SchemaQueries, schemaIn } from '#projections/messaging/resources/schema-queries.js';
import { type InProject, toResources, writeResource } from './project-resources.js';

/** Longest schema document, in characters of compact JSON: compiling takes time and memory in proportion. */
const LONGEST_DOCUMENT = 1024 * 1024;

/** @throws MessagingError B19 */
const schemaTypeOf = (type: string): SchemaType => {
  const known = type.toLowerCase();
  if (known !== 'json' && known !== 'avro') throw errors.invalidSchemaType();
  return known;
};

/** Checks that a schema compiles. `projectId`: project whose turn the work takes. @throws MessagingError B20 */
const compilable = async (
  validator: MessageValidator,
  projectId: string,
  type: SchemaType,
  document: JsonObject | undefined,
): Promise<SchemaContent> => {
  if (!document) throw errors.schemaNotCompiled('schema is invalid');
  const { length } = JSON.stringify(document);
  if (length > LONGEST_DOCUMENT) throw errors.schemaNotCompiled(`schema is longer than ${LONGEST_DOCUMENT} characters`);
  const content: SchemaContent = { type, document };
  try {
    await validator.requireCompilable(projectId, content, length);
  } catch (error) {
    throw error instanceof SchemaInvalid ? errors.schemaNotCompiled(error.message) : error;
  }
  return content;
};

/** `type`: `json` or `avro`, in any case. */
type GivenSchema = InProject & Readonly<{ name: string; type: string; document: JsonObject | undefined }>;

/** Changes of a schema. Empty texts, and empty or omitted documents, change nothing. */
export type SchemaChanges = Readonly<{ name: string; type: string; document: JsonObject | undefined }>;

/** A taken name takes precedence over errors in the schema. The decider gets a valid schema, because the command may be a repeat. */
const contentOf = async (
  validator: MessageValidator,
  schemas: SchemaQueries,
  { projectId, name, type, document }: GivenSchema,
): Promise<SchemaContent> => {
  try {
    return await compilable(validator, projectId, schemaTypeOf(type), document);
  } catch (error) {
    throw (await schemas.stored(projectId, name)) ? errors.schemaExists() : error;
  }
};

/** Deletes a schema. Topics that used it accept anything from then on. */
export class DeleteSchema extends commandTo(toResources, 'DeleteSchema') {}

/** @throws MessagingError C04, B19, B20 */
export class CreateSchema extends commandWith(
  [SchemaQueries, MessageValidator, CLOCK],
  async (data: GivenSchema, { context, gateway }, schemas, validator, clock) => {
    const { projectId, name } = data;
    const content = await contentOf(validator, schemas, data);
    const command = { type: 'CreateSchema', projectId, schemaId: randomUUID(), name, content } as const;
    const call = { context: contextNow(context, clock), gateway }; // compiling may have taken long
    const { events, readable } = await writeResource(call, command, { type: 'DeleteSchema', name });
    return { schema: eventOf(events, 'SchemaCreated').data, readable };
  },
) {}

/** The content of a schema after changes. `basedOn`: what it was before, if the changes leave one member of it. @throws MessagingError B19 */
const revisedBy = ({ schemaId: id, ...before }: ReturnType<typeof schemaIn>, changes: SchemaChanges) => {
  const type = changes.type === '' ? undefined : schemaTypeOf(changes.type);
  const document = changes.document && Object.keys(changes.document).length > 0 ? changes.document : undefined;
  const isPartly = (type === undefined) !== (document === undefined);
  const basedOn = isPartly ? { id, content: { type: before.type, document: before.document } } : undefined;
  return { type: type ?? before.type, document: document ?? before.document, basedOn };
};

/** @throws MessagingError N05, C04, B19, B20 */
export class ReviseSchema extends commandWith(
  [SchemaQueries, MessageValidator, CLOCK],
  async (
    { projectId, name, changes }: InProject & Readonly<{ name: string; changes: SchemaChanges }>,
    { context, gateway },
    schemas,
    validator,
    clock,
  ) =>
    whileBehind('SCHEMA_CHANGED', async () => {
      const before = schemaIn(found(await schemas.stored(projectId, name), errors.schemaNotFound));
      const newName = changes.name || name;
      if (newName !== name && (await schemas.stored(projectId, newName))) throw errors.schemaExists();
      const { type, document, basedOn } = revisedBy(before, changes);
      const unchanged = type === before.type && document === before.document;
      const revise = (content: SchemaContent | undefined, to = newName) => {
        const revised = { newName: to, ...(content && { content }), ...(basedOn && { basedOn }) };
        const command = { type: 'ReviseSchema', projectId, name, ...revised } as const;
        return gateway.execute(toResources(contextNow(context, clock), command));
      };
      const content = unchanged
        ? undefined
        : await compilable(validator, projectId, type, document).catch(async (error: unknown) => {
            if (basedOn) await revise(undefined, name); // what it is based on may have changed: then it is judged anew
            throw error;
          });
      const { events, readable } = await revise(content);
      const [event] = events;
      const revision = event?.type === 'SchemaRevised' ? event.data : { name: newName, type, document };
      return { schema: { ...before, ...revision }, readable };
    }),
) {}
