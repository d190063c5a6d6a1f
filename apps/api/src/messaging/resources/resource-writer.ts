import type { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { projectOf } from '#api/messaging/http-policy.js';
import { MessagingWriter } from '#api/messaging/messaging-writer.js';
import type { ResourceCommand } from '#domain/messaging/resources/resource-commands.js';
import { type ResourceEvent, resourcesStream } from '#domain/messaging/resources/resource-events.js';
import { resources } from '#domain/messaging/resources/resources.js';
import type { Clock } from '#domain/shared/clock.js';
import type { ExecutedEvent } from '#infra/stream-processor/execution.js';

/** Commands to the topics, subscriptions and schemas of the project of the path, in the name of whoever calls. */
export class ResourceWriter {
  private readonly writer: MessagingWriter;

  constructor(commands: CommandBus, clock: Clock) {
    this.writer = new MessagingWriter(commands, clock);
  }

  /** As {@link MessagingWriter.write}. @throws DomainError */
  write(request: FastifyRequest, reply: FastifyReply, command: ResourceCommand): Promise<readonly ExecutedEvent<ResourceEvent>[]> {
    return this.writer.write(request, reply, { stream: resourcesStream(projectOf(request).projectId), decider: resources, command });
  }
}
