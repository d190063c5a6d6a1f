import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { indexBehind, Problem } from '#api/ops-kit/problem.js';
import { ReadTrail } from '#api/ops-kit/read-trail.js';
import type { Answer } from '#api/shared/http/answer.js';
import { setPosition } from '#api/shared/http/headers/position-header.js';
import { noteReadability } from '#api/shared/http/headers/read-model-header.js';
import { contextOf } from '#api/shared/http/request-context.js';
import { pathOf } from '#api/shared/http/service-http-policy.js';
import { AUDIT_EVENTS, EVENT_STORE } from '#api/shared/tokens.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { EventRequest } from '#infra/engine/audit-index/event-pages.js';
import { AuditIndexIncomplete } from '#infra/engine/audit-index/index-files.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';
import { EVENTS_OF_PAGE, type EventQuery } from './event-query.js';
import { LinesAnswer, pageAnswer } from './ndjson.js';

/** Maximum number of NDJSON lists in progress: a stalled client keeps some hundred kilobytes. */
const MOST_LISTS = 64;
/** The same for one key. */
const MOST_LISTS_OF_KEY = 16;

/** A call for a list of events. `lines`: NDJSON instead of a page. */
type ListCall = Readonly<{ request: FastifyRequest; reply: FastifyReply; lines: boolean; query: Pick<EventQuery, 'limit' | 'personal'> }>;

/** Common parts of the calls of `/audit`. */
@Injectable()
export class AuditCalls {
  /** Counts lists instead of bytes. */
  private readonly lists = new MemoryBudget(MOST_LISTS, MOST_LISTS_OF_KEY);

  constructor(
    @Inject(AUDIT_EVENTS) readonly audit: AuditEvents,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly reads: ReadTrail,
  ) {}

  /**
   * Number of events in the index, which includes all events acknowledged before the call. A stopped index shows its current content.
   * @throws Problem 503 the index is behind
   */
  async size(reply: FastifyReply): Promise<number> {
    const { index } = this.audit;
    const head = await this.events.head();
    const patience = index.stopped() === null ? undefined : 0;
    if (!(await index.reached(head, patience))) {
      if (index.stopped() === null) throw indexBehind();
      noteReadability(reply, false);
    }
    return index.checkpoint().size;
  }

  /** The requested events, as a page or as lines. `nextOf`: the client's form of the start of the next page. */
  async answer(
    { request, reply, lines, query: { limit, personal } }: ListCall,
    asked: EventRequest,
    nextOf: (place: number | null) => string | number | null,
  ): Promise<Answer> {
    const end = lines ? this.lists.tryTake(request.sharedBy, 1) : undefined;
    if (lines && !end) throw new Problem(503, 'too many lists are being read as NDJSON, try again later');
    await this.recordPersonal(request, reply, personal).catch((error: unknown) => {
      end?.();
      throw error;
    });
    const { pages } = this.audit;
    if (end) return new LinesAnswer(pages.portions(asked, limit), end);
    const { items, next } = await pages.page(asked, limit ?? EVENTS_OF_PAGE);
    return pageAnswer(items, nextOf(next));
  }

  /** Records that the caller is about to see personal data. Does nothing unless the call requests them. */
  async recordPersonal(request: FastifyRequest, reply: FastifyReply, personal: boolean | undefined): Promise<void> {
    if (!personal) return;
    const context = contextOf(request, 'ops', { kind: 'key', id: request.operator?.keyId ?? '' });
    const data = { path: pathOf(request.url), query: request.query as Readonly<Record<string, string | readonly string[]>> };
    setPosition(reply, await this.reads.record({ type: 'PersonalDataRead', data }, context));
  }

  /** @throws Problem 503 while the index is being rebuilt */
  async reading<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof AuditIndexIncomplete ? indexBehind() : error;
    }
  }
}
