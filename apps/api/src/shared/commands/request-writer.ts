import type { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noteReadability } from '#api/shared/http/read-model-header.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Decider } from '#domain/shared/decider.js';
import type { DomainEvent } from '#domain/shared/events.js';
import type { CommandContext, ExecutedEvent } from '#infra/stream-processor/execution.js';
import { StreamWrite } from './stream-write.js';

/** Commands in the name of whoever calls; each service knows who that is. */
export abstract class RequestWriter {
  constructor(
    private readonly commands: CommandBus,
    readonly clock: Clock,
  ) {}

  /** What surrounds the commands of a request. */
  abstract context(request: FastifyRequest): CommandContext;

  /**
   * The events that answer the command, now or when its `Idempotency-Key` came first; the reply says when reads do not show them yet.
   * @throws DomainError
   */
  async write<S, C, E extends DomainEvent>(
    request: FastifyRequest,
    reply: FastifyReply,
    { stream, decider, command }: Readonly<{ stream: string; decider: Decider<S, C, E>; command: C }>,
  ): Promise<readonly ExecutedEvent<E>[]> {
    const { events, readable } = await this.commands.execute(new StreamWrite(stream, decider, command, this.context(request)));
    noteReadability(reply, readable);
    return events;
  }
}
