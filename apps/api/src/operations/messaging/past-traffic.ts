import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { PastApplication } from '#api/as-of/past-application.js';
import { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import { AUDIT_EVENTS, CLOCK } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { TrafficQueries } from '#projections/messaging/traffic/queries.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const BIN_MS = 5 * MINUTE_MS;
const BINS = HOUR_MS / BIN_MS;
/** Totals at the start of bins, which are constant once all earlier accepted messages are in the log. */
const MOST_KEPT = 20_000;
const SETTLED_MS = 10_000;

/** Starts of the five-minute bins of the last hour, in milliseconds since 1970-01-01 UTC, aligned to the clock. The last is in progress. */
const binsOf = (now: number): readonly number[] => {
  const last = Math.floor(now / BIN_MS) * BIN_MS;
  return Array.from({ length: BINS }, (_, bin) => last - (BINS - 1 - bin) * BIN_MS);
};

/** Counts by bin, oldest first. `from`: `YYYY-MM-DDTHH:MM:SS.sssZ`; a list is `null` if this node has no history of the hour. */
type LastHour<Name extends string> = Readonly<{ from: string; secondsEach: number }> & Readonly<Record<Name, readonly number[] | null>>;

/** A counter: a name for the cache, its present value, and a function that reads it. */
type Counter = Readonly<{ id: string; now: number; read: (traffic: TrafficQueries) => Promise<number> }>;

/** Figures of the last hour, from the history of this node. The read is not recorded, because counts are neither secret nor personal. */
@Injectable()
export class PastTraffic {
  private readonly known = new LRUCache<string, number>({ maxSize: MOST_KEPT, sizeCalculation: () => 1, ttl: HOUR_MS + BIN_MS });
  /** Build of the audit index with which the totals were read: another one may belong to another log. */
  private build = '';

  constructor(
    private readonly past: PastApplication,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(AUDIT_EVENTS) private readonly audit: Readonly<{ index: Pick<AuditEvents['index'], 'build'> }>,
  ) {}

  /** The result of `read` as of an hour ago; `null` if this node has no history of that moment. */
  anHourAgo<Found>(read: (traffic: TrafficQueries) => Promise<Found>): Promise<Found | null> {
    return this.asOf(this.clock() - HOUR_MS, read);
  }

  /** Rate per second in the last minute; `null` as above. */
  async perSecond({ now, read }: Counter): Promise<number | null> {
    const before = await this.asOf(this.clock() - MINUTE_MS, read);
    return before === null ? null : (Math.max(0, now - before) * 1_000) / MINUTE_MS;
  }

  async lastHour<Name extends string>(counters: Readonly<Record<Name, Counter>>): Promise<LastHour<Name>> {
    const bins = binsOf(this.clock());
    const counts: Record<string, readonly number[] | null> = {};
    for (const [name, counter] of Object.entries<Counter>(counters)) counts[name] = await this.countsIn(bins, counter);
    return {
      from: new Date(bins[0] ?? 0).toISOString(),
      secondsEach: BIN_MS / 1_000,
      ...(counts as Record<Name, readonly number[] | null>),
    };
  }

  private async countsIn(bins: readonly number[], { id, now, read }: Counter): Promise<readonly number[] | null> {
    const { build } = this.audit.index;
    if (build !== this.build) this.known.clear();
    this.build = build;
    const totals: number[] = [];
    for (const begin of bins) {
      const key = `${id} ${begin}`;
      const total = this.known.get(key) ?? (await this.asOf(begin, read));
      if (total === null) return null;
      if (this.clock() - begin > SETTLED_MS && build === this.audit.index.build) this.known.set(key, total);
      totals.push(total);
    }
    return [...totals.slice(1), now].map((end, bin) => Math.max(0, end - (totals[bin] ?? 0)));
  }

  private async asOf<Found>(milliseconds: number, read: (traffic: TrafficQueries) => Promise<Found>): Promise<Found | null> {
    try {
      const found = await this.past.over({ kind: 'instant', milliseconds }, (store) => read(new TrafficQueries(store)));
      return found === 'of now' ? null : found;
    } catch (error) {
      if (error instanceof AsOfRefused) return null;
      throw error;
    }
  }
}
