import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#api/operations/problem.js';
import { setPosition } from '#api/shared/http/position-header.js';
import { contextOf } from '#api/shared/http/request-context.js';
import { pathOf } from '#api/shared/http/service-http-policy.js';
import { AUDIT_EVENTS, EVENT_STORE } from '#api/shared/tokens.js';
import { AUDIT_STREAM, auditTrail } from '#domain/operations/audit-events.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { AuditIndexIncomplete } from '#infra/audit-index/audit-index.js';
import type { AuditEvents } from '#infra/audit-index/open-audit-index.js';
import { StreamProcessor } from '#infra/stream-processor/stream-processor.js';

const BEHIND = 'the audit index has not reached the head of the log yet, try again later';

/** What calls of `/audit` have in common. */
@Injectable()
export class AuditCalls {
  constructor(
    @Inject(AUDIT_EVENTS) readonly audit: AuditEvents,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly processor: StreamProcessor,
  ) {}

  /**
   * Number of events in the index, everything among them that was acknowledged before the call.
   * @throws Problem 503 the index is behind
   */
  async size(): Promise<number> {
    const head = await this.events.head();
    if (!(await this.audit.index.reached(head))) throw new Problem(503, BEHIND);
    return this.audit.index.checkpoint().size;
  }

  /** Records that the caller is about to see personal data. Does nothing unless the caller asks for them. */
  async recordPersonal(request: FastifyRequest, reply: FastifyReply, personal: boolean | undefined): Promise<void> {
    if (!personal) return;
    const context = contextOf(request, 'ops', { kind: 'key', id: request.operator?.keyId ?? '' });
    const data = { path: pathOf(request.url), query: request.query as Readonly<Record<string, string | readonly string[]>> };
    const command = { type: 'RecordRead', event: { type: 'PersonalDataRead', data } } as const;
    const { position } = await this.processor.execute({ stream: AUDIT_STREAM, decider: auditTrail, command, context });
    setPosition(reply, position);
  }

  /** @throws Problem 503 while the index is being built anew */
  async reading<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof AuditIndexIncomplete ? new Problem(503, BEHIND) : error;
    }
  }
}
