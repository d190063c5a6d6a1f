import type { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#domain/shared/clock.js';
import type { Decider } from '#domain/shared/decider.js';
import type { DomainEvent } from '#domain/shared/events.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { noteReadability } from '../shared/read-model-header.js';
import { contextOf } from '../shared/request-context.js';
import { StreamWrite } from '../shared/stream-write.js';
import { tenantAdmission } from './status-edge.js';

/** Commands in the name of the tenant's user who calls. */
export class TenantWriter {
  constructor(
    private readonly commands: CommandBus,
    private readonly clock: Clock,
  ) {}

  context(request: FastifyRequest): CommandContext {
    return contextOf(request, 'status', { kind: 'user', id: tenantAdmission(request).caller.actorId }, this.clock);
  }

  /** The events that answer the command; the reply says when reads do not show them yet. @throws DomainError */
  async write<S, C, E extends DomainEvent>(
    request: FastifyRequest,
    reply: FastifyReply,
    { stream, decider, command }: Readonly<{ stream: string; decider: Decider<S, C, E>; command: C }>,
  ): Promise<readonly E[]> {
    const { events, readable } = await this.commands.execute(new StreamWrite(stream, decider, command, this.context(request)));
    noteReadability(reply, readable);
    return events;
  }
}
