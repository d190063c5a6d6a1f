import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { RequestWriter } from '#api/shared/commands/request-writer.js';
import { contextOf } from '#api/shared/http/request-context.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { OWN_ISSUER } from '#infra/oidc/own-tokens.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { accountingCaller } from './http-policy.js';

/** Commands in the name of the caller. */
@Injectable()
export class AccountingWriter extends RequestWriter {
  constructor(commands: CommandBus, @Inject(CLOCK) clock: Clock) {
    super(commands, clock);
  }

  /** The actor is the id of the caller, with its issuer unless that is Logbook itself. */
  override context(request: FastifyRequest): CommandContext {
    const { id, issuer } = accountingCaller(request);
    return contextOf(request, 'accounting', { kind: 'user', id: issuer === OWN_ISSUER ? id : `${id}@${issuer}` }, this.clock);
  }
}
