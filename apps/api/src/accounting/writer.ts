import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#domain/shared/clock.js';
import type { Decider } from '#domain/shared/decider.js';
import type { DomainEvent } from '#domain/shared/events.js';
import { OWN_ISSUER } from '#infra/oidc/own-tokens.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { noteReadability } from '../shared/read-model-header.js';
import { contextOf } from '../shared/request-context.js';
import { StreamWrite } from '../shared/stream-write.js';
import { CLOCK } from '../shared/tokens.js';
import { accountingCaller } from './accounting-edge.js';

/** Commands in the name of the caller. */
@Injectable()
export class AccountingWriter {
  constructor(
    private readonly commands: CommandBus,
    @Inject(CLOCK) readonly clock: Clock,
  ) {}

  /** What surrounds the commands of a request. The actor is the id of the caller, with its issuer unless that is Logbook itself. */
  context(request: FastifyRequest): CommandContext {
    const { id, issuer } = accountingCaller(request);
    return contextOf(request, 'accounting', { kind: 'user', id: issuer === OWN_ISSUER ? id : `${id}@${issuer}` }, this.clock);
  }

  /** The events that answer the command, now or when its `Idempotency-Key` came first; the reply says when reads do not show them yet. @throws DomainError */
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
