import { Inject } from '@nestjs/common';
import { shaped } from '#api/ops-kit/answers-documentation.js';
import { indexBehind } from '#api/ops-kit/problem.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import type { PastSources } from '#api/shared/as-of/time-of-call.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { AUDIT_EVENTS, EVENT_STORE, LOG_BYTES, PAST_SOURCES, READS_ONLY } from '#api/shared/tokens.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { bounded, doc, nullable } from '#domain/shared/shape.js';
import type { CountedCategory } from '#infra/engine/audit-index/counted-events.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { Integrity } from '#infra/engine/integrity/integrity.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';

const LOG_SUMMARY = shaped(
  'the log; counts are of chained events',
  bounded(
    {
      'installation?': doc(nullable('uuid'), 'null while the log is empty'),
      'head?': doc('text', 'position of the newest event, system streams included'),
      'events?': 'integer',
      'streams?': 'integer',
      'expired?': doc('integer', 'of `events`: those that have left the log'),
      'bytes?': doc(nullable('integer'), 'of the data of the events in the log; null on EventStoreDB'),
      'categories?': [{ 'name?': 'text', 'streams?': 'integer', 'events?': 'integer', 'expired?': 'integer' }],
      'chain?': { 'size?': 'integer', 'position?': 'text' },
      'history?': nullable({ 'from?': 'text', 'position?': 'text', 'documents?': 'integer' }),
    },
    {
      example: {
        installation: '2a07d40a-ed77-4543-a2e5-094376c8fce7',
        head: '81234',
        events: 80_012,
        streams: 312,
        expired: 5_000,
        bytes: 41_234_567,
        categories: [{ name: 'messaging.messages', streams: 12, events: 60_000, expired: 5_000 }],
        chain: { size: 80_012, position: '81230' },
        history: { from: '0', position: '81234', documents: 120_345 },
      },
    },
  ),
);

/** The log as a whole (operations contract 1). */
@OpsController('ops/log', 'operations')
export class LogController {
  private readonly identity: LogIdentity;

  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(AUDIT_EVENTS) private readonly audit: AuditEvents,
    @Inject(LOG_BYTES) private readonly bytes: () => Promise<number | null>,
    @Inject(PAST_SOURCES) private readonly past: PastSources | null,
    private readonly integrity: Integrity,
    @Inject(READS_ONLY) private readonly readsOnly: boolean,
  ) {
    this.identity = new LogIdentity(events);
  }

  @Get('', { id: 'getLog', summary: 'How large the log is, by category, and how far chain and history are', answers: { 200: LOG_SUMMARY } })
  async show(): Promise<Answered<typeof LOG_SUMMARY>> {
    const { index, counted } = this.audit;
    const head = await this.events.head();
    const isCounted = (await index.reached(head)) || index.stopped() !== null;
    if (!isCounted && !this.readsOnly) throw indexBehind();
    const [installation, categories, bytes] = await Promise.all([this.identity.installation(), counted.categories(), this.bytes()]);
    const sum = (of: (category: CountedCategory) => number): number => categories.reduce((total, one) => total + of(one), 0);
    const { chain } = this.integrity;
    const counts = {
      events: sum(({ events }) => events),
      streams: sum(({ streams }) => streams),
      expired: sum((category) => category.expired),
    };
    return {
      installation,
      head: `${head}`,
      ...(isCounted && counts), // a server for reads only indexes nothing: it may have no counts
      bytes,
      ...(isCounted && { categories }),
      chain: { size: chain.size, position: `${chain.position}` },
      history: this.history(),
    };
  }

  private history(): Answered<typeof LOG_SUMMARY>['history'] {
    if (!this.past) return null;
    const { from, position, documents } = this.past.history.status();
    return { from: `${from}`, position: `${position}`, documents };
  }
}
