import * as errors from '#api/status/errors.js';
import { HandedOver } from '#api/status/large-calls/handed-over.js';
import type { LargeCalls } from '#api/status/large-calls/large-calls.js';
import { turnOfCall } from '#api/status/large-calls/turn-of-call.js';
import { DomainError } from '#domain/shared/decider.js';
import type { Day } from '#domain/shared/time.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import type { DaySpan, EndpointFilter, ReportReader, Results } from '#projections/status/results/report-reader.js';

export type ReadBounds = Readonly<{
  /** Maximum number of items that a call reads, counted for each day. */
  most: number;
  /** A call that reads more is a large one: a tenant has one at a time, and the others wait. Default 200,000. */
  largeFrom?: number;
  /** Maximum duration of a large call, and of its wait. Default 120,000. */
  longestMs?: number;
  /** Maximum number of waiting large calls of a tenant. Default 10. */
  mostWaiting?: number;
}>;

const LARGE_FROM = 200_000;
const LONGEST_MS = 120_000;
const MOST_WAITING = 10;

/** Error for a call over more items than allowed: its days times their listed items. */
const tooManyItems = (most: number): DomainError =>
  new DomainError('OVER_LIMIT', {
    text: `The answer would be computed from more than ${most.toLocaleString('en-US')} items, counted for each day: ask for fewer days`,
  });

/** Limits reads of results, so that no call delays others: by days and items before anything is read, and by time. */
export class BoundedResults implements Results {
  private readonly bounds: Required<ReadBounds>;

  constructor(
    private readonly inner: Results,
    { most, largeFrom = LARGE_FROM, longestMs = LONGEST_MS, mostWaiting = MOST_WAITING }: ReadBounds,
    private readonly turns = new Turnstile(1),
    private readonly largeCalls?: Pick<LargeCalls, 'answer'>,
  ) {
    this.bounds = { most, largeFrom, longestMs, mostWaiting };
  }

  /** The same for handlers under `AnswersLargeCalls`: a read too large for this thread throws {@link HandedOver}. Turns are shared. */
  handingOver(largeCalls: Pick<LargeCalls, 'answer'>): BoundedResults {
    return new BoundedResults(this.inner, this.bounds, this.turns, largeCalls);
  }

  async report(tenantId: string, name: string, isGone = () => false): Promise<ReportReader | undefined> {
    const reader = await this.inner.report(tenantId, name);
    const enter = async () => (this.largeCalls ? this.handOver(tenantId, this.largeCalls) : this.enter(tenantId, isGone));
    return reader && new BoundedReader(reader, this.bounds, { enter, isGone });
  }

  private handOver(tenantId: string, largeCalls: Pick<LargeCalls, 'answer'>): never {
    throw new HandedOver(async (call) => {
      const leave = await this.enter(tenantId, call.isGone);
      return largeCalls.answer(call, this.bounds.longestMs, leave);
    });
  }

  private async enter(tenantId: string, isGone: () => boolean): Promise<() => void> {
    const { longestMs, mostWaiting } = this.bounds;
    if (this.turns.waiting(tenantId) >= mostWaiting) throw errors.unavailable();
    return turnOfCall(this.turns, tenantId, { isGone, longestMs });
  }
}

/** `enter`: resolves at the turn of a large call with the function that ends it. `isGone`: the client has disconnected. */
type TurnOfReader = Readonly<{ enter: () => Promise<() => void>; isGone: () => boolean }>;

/**
 * Reading fails with `OVER_LIMIT` for more items than a call may read. A large call also fails with StatusError 503 if it waits or takes too long
 * or too many of the tenant wait, and with 499 once its client is gone.
 */
class BoundedReader implements ReportReader {
  readonly id;
  readonly name;
  readonly types;
  readonly computations;
  readonly disabled;
  readonly now;

  constructor(
    private readonly inner: ReportReader,
    private readonly bounds: Required<ReadBounds>,
    private readonly turn: TurnOfReader,
  ) {
    ({ id: this.id, name: this.name, types: this.types, computations: this.computations, disabled: this.disabled, now: this.now } = inner);
  }

  days(span: DaySpan) {
    return this.bounded(span, 'groups', () => this.inner.days(span));
  }

  details(span: DaySpan, group?: string) {
    return this.bounded(span, 'endpoints', () => this.inner.details(span, group));
  }

  metrics(span: DaySpan, filter: EndpointFilter) {
    return this.bounded(span, 'endpoints', () => this.inner.metrics(span, filter));
  }

  itemDays(span: DaySpan, kind: 'groups' | 'endpoints') {
    return this.inner.itemDays(span, kind);
  }

  expected(day: Day) {
    return this.inner.expected(day);
  }

  names(day: Day) {
    return this.inner.names(day);
  }

  plan(day: Day) {
    return this.inner.plan(day);
  }

  private async *bounded<Of>(span: DaySpan, kind: 'groups' | 'endpoints', read: () => AsyncIterable<Of>): AsyncGenerator<Of> {
    const { most, largeFrom, longestMs } = this.bounds;
    const items = await this.inner.itemDays(span, kind);
    if (items > most) throw tooManyItems(most);
    if (items <= largeFrom) {
      yield* read();
      return;
    }
    const leave = await this.turn.enter();
    try {
      const end = performance.now() + longestMs;
      for await (const day of read()) {
        if (this.turn.isGone()) throw errors.nobodyWaits();
        if (performance.now() > end) throw errors.unavailable();
        yield day;
      }
    } finally {
      leave();
    }
  }
}
