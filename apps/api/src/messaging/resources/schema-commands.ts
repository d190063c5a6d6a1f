import { randomUUID } from 'node:crypto';
import { Inject, type Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { contextNow } from '#api/shared/commands/context-now.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { SchemaContent, SchemaType } from '#domain/messaging/resources/schemas.js';
import type { Clock } from '#domain/shared/clock.js';
import type { JsonObject } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { SchemaInvalid } from '#infra/edges/schemas/errors.js';
import { MessageValidator } from '#infra/edges/schemas/validation/message-validator.js';
import { type SchemaDocument, SchemaQueries, schemaIn } from '#projections/messaging/resources/queries.js';
import { type ResourceOutcome, resourcesOf } from './project-resources.js';

/** Longest schema document, in characters of compact JSON: compiling one takes time and memory in proportion. */
const LONGEST_DOCUMENT = 1024 * 1024;

/** A schema as a command leaves it. */
export type WrittenSchema = Readonly<{
  schema: Pick<SchemaDocument, 'schemaId' | 'name' | 'type' | 'document'>;
  readable: boolean;
}>;

/** @throws MessagingError B19 */
const schemaTypeOf = (type: string): SchemaType => {
  const known = type.toLowerCase();
  if (known !== 'json' && known !== 'avro') throw errors.invalidSchemaType();
  return known;
};

/** A schema that compiles. `projectId`: on whose account the work is done. @throws MessagingError B20 */
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

export class CreateSchema extends Command<WrittenSchema> {
  /** @param type `json` or `avro`, in any case */
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly name: string,
    readonly type: string,
    readonly document: JsonObject | undefined,
  ) {
    super();
  }
}

@CommandHandler(CreateSchema)
class CreateSchemaHandler implements ICommandHandler<CreateSchema> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly schemas: SchemaQueries,
    private readonly validator: MessageValidator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws MessagingError C04, B19, B20 */
  async execute(creation: CreateSchema): Promise<WrittenSchema> {
    const { context, projectId, name } = creation;
    const content = await this.contentOf(creation);
    const { events, readable } = await this.gateway.execute({
      ...resourcesOf(projectId),
      context: contextNow(context, this.clock), // compiling took its time
      command: { type: 'CreateSchema', schemaId: randomUUID(), name, content },
    });
    const [created] = events;
    if (created?.type !== 'SchemaCreated') throw new Error('a creation made no schema');
    return { schema: created.data, readable };
  }

  /**
   * That a name is taken counts before what is wrong with the schema. A schema that is in order is left to the rules of the project, because the
   * command may be the repeat of an earlier one.
   */
  private async contentOf({ projectId, name, type, document }: CreateSchema): Promise<SchemaContent> {
    try {
      return await compilable(this.validator, projectId, schemaTypeOf(type), document);
    } catch (error) {
      throw (await this.schemas.stored(projectId, name)) ? errors.schemaExists() : error;
    }
  }
}

/** Changes of a schema: empty texts and documents that are empty or left out change nothing. */
export type SchemaChanges = Readonly<{ name: string; type: string; document: JsonObject | undefined }>;

export class ReviseSchema extends Command<WrittenSchema> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly name: string,
    readonly changes: SchemaChanges,
  ) {
    super();
  }
}

@CommandHandler(ReviseSchema)
class ReviseSchemaHandler implements ICommandHandler<ReviseSchema> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly schemas: SchemaQueries,
    private readonly validator: MessageValidator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws MessagingError N05, C04, B19, B20 */
  async execute({ context, projectId, name, changes }: ReviseSchema): Promise<WrittenSchema> {
    const before = schemaIn(found(await this.schemas.stored(projectId, name), errors.schemaNotFound));
    const newName = changes.name || name;
    if (newName !== name && (await this.schemas.stored(projectId, newName))) throw errors.schemaExists();
    const type = changes.type === '' ? before.type : schemaTypeOf(changes.type);
    const document = changes.document && Object.keys(changes.document).length > 0 ? changes.document : before.document;
    const unchanged = type === before.type && document === before.document;
    const content = unchanged ? undefined : await compilable(this.validator, projectId, type, document);
    const command = { type: 'ReviseSchema', name, newName, ...(content ? { content } : {}) } as const;
    const { readable } = await this.gateway.execute({ ...resourcesOf(projectId), context: contextNow(context, this.clock), command });
    return { schema: { ...before, name: newName, type, document }, readable };
  }
}

/** Deletes a schema. Topics that used it accept anything from then on. */
export class DeleteSchema extends Command<ResourceOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteSchema)
class DeleteSchemaHandler implements ICommandHandler<DeleteSchema> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, projectId, name }: DeleteSchema): Promise<ResourceOutcome> {
    return this.gateway.execute({ ...resourcesOf(projectId), context, command: { type: 'DeleteSchema', name } });
  }
}

export const schemaCommandHandlers: readonly Type[] = [CreateSchemaHandler, ReviseSchemaHandler, DeleteSchemaHandler];
