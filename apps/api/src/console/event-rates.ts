import type { AuditIndex } from '#infra/engine/audit-index/audit-index.js';

const BUCKET_MS = 60_000;
const BUCKETS = 60;
/** Period for which `now` is the mean. */
const NOW_MS = 10_000;
/** Maximum delay between the log time of an event and its index entry. */
const LATE_MS = 5_000;

/** Counts by the index of the log, so that counts survive a restart. Past minutes are looked up once. */
export class EventRates {
  private readonly counts = new Map<number, number>();
  private build = '';

  constructor(private readonly index: Pick<AuditIndex, 'build' | 'countBefore'>) {}

  /**
   * Events per second by log time. `minutes`: the last hour, oldest first, the newest up to now; the first one begins at `from`.
   * @param now milliseconds since 1970-01-01 UTC
   * @throws AuditIndexIncomplete
   */
  at(now: number) {
    const from = Math.floor(now / BUCKET_MS) * BUCKET_MS - (BUCKETS - 1) * BUCKET_MS;
    if (this.build !== this.index.build) this.counts.clear();
    this.build = this.index.build;
    for (const instant of this.counts.keys()) if (instant < from) this.counts.delete(instant);
    const bounds = Array.from({ length: BUCKETS }, (_, bucket) => from + bucket * BUCKET_MS);
    const newest = this.index.countBefore(now);
    const counts = [...bounds.map((instant) => this.before(instant, now, newest)), newest];
    const minutes = bounds.map((begin, bucket) => {
      const seconds = Math.max(NOW_MS, Math.min(BUCKET_MS, now - begin)) / 1_000;
      return ((counts[bucket + 1] ?? 0) - (counts[bucket] ?? 0)) / seconds;
    });
    const latest = newest - this.index.countBefore(now - NOW_MS);
    return { now: latest / (NOW_MS / 1_000), from: new Date(from).toISOString(), secondsEach: BUCKET_MS / 1_000, minutes };
  }

  /** An index that is catching up has too low counts: a past instant is counted only once the index has later events. */
  private before(instant: number, now: number, newest: number): number {
    const known = this.counts.get(instant);
    if (known !== undefined) return known;
    const count = this.index.countBefore(instant);
    if (instant < now - LATE_MS && newest > count) this.counts.set(instant, count);
    return count;
  }
}
