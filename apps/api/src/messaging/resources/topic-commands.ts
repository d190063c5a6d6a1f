import { randomUUID } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { wireInstant } from '#projections/messaging/layout.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { type ResourceOutcome, resourcesOf } from './project-resources.js';

/** A new topic. `createdOn`: as on the wire. */
export type CreatedTopic = Readonly<{ createdOn: string; readable: boolean }>;

export class CreateTopic extends Command<CreatedTopic> {
  /** @param schema name of a schema of the project, `null` = none */
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly name: string,
    readonly schema: string | null,
  ) {
    super();
  }
}

@CommandHandler(CreateTopic)
class CreateTopicHandler implements ICommandHandler<CreateTopic> {
  constructor(private readonly gateway: CommandGateway) {}

  async execute({ context, projectId, name, schema }: CreateTopic): Promise<CreatedTopic> {
    const command = { type: 'CreateTopic', topicId: randomUUID(), name, schema } as const;
    const { events, readable } = await this.gateway.execute({ ...resourcesOf(projectId), context, command });
    const [created] = events;
    if (!created) throw new Error('a creation made no topic');
    return { createdOn: wireInstant(created.metadata.time), readable };
  }
}

/** Deletes a topic with its messages. Its subscriptions stay. */
export class DeleteTopic extends Command<ResourceOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteTopic)
class DeleteTopicHandler implements ICommandHandler<DeleteTopic> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, projectId, name }: DeleteTopic): Promise<ResourceOutcome> {
    return this.gateway.execute({ ...resourcesOf(projectId), context, command: { type: 'DeleteTopic', name } });
  }
}

/** Gives a topic a schema in place of the one it has. */
export class AttachSchema extends Command<ResourceOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly topic: string,
    readonly schema: string,
  ) {
    super();
  }
}

@CommandHandler(AttachSchema)
class AttachSchemaHandler implements ICommandHandler<AttachSchema> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly resources: ResourceQueries,
  ) {}

  /** @throws MessagingError N03 */
  async execute({ context, projectId, topic, schema }: AttachSchema): Promise<ResourceOutcome> {
    found(await this.resources.topic(projectId, topic), errors.topicNotFound);
    return this.gateway.execute({ ...resourcesOf(projectId), context, command: { type: 'AttachSchema', topic, schema } });
  }
}

/** Takes the schema from a topic, if it has one. */
export class DetachSchema extends Command<ResourceOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly topic: string,
  ) {
    super();
  }
}

@CommandHandler(DetachSchema)
class DetachSchemaHandler implements ICommandHandler<DetachSchema> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, projectId, topic }: DetachSchema): Promise<ResourceOutcome> {
    return this.gateway.execute({ ...resourcesOf(projectId), context, command: { type: 'DetachSchema', topic } });
  }
}

export const topicCommandHandlers: readonly Type[] = [CreateTopicHandler, DeleteTopicHandler, AttachSchemaHandler, DetachSchemaHandler];
