import type { RecordedEvent } from '#domain/shared/events.js';
import type { EventReference } from '#infra/engine/projection-runner/failure.js';
import type { Lag } from './lag.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const MINUTES = 60;

/** An event with the milliseconds that it took to apply. */
export type TimedEvent = EventReference & Readonly<{ milliseconds: number }>;

/**
 * Pace of a projection on the node that applies the log to it. `eventsIn`, `eventsOut`: events a second over the last minute, written to the log and applied.
 * `slowest`: of the last hour. `lags`: the longest lag in seconds of each minute of the last hour, the oldest first, `null` before the measuring began;
 * `from` is the begin of the first one, milliseconds since 1970-01-01 UTC.
 */
export type PaceSnapshot = Readonly<{
  eventsIn: number;
  eventsOut: number;
  slowest: TimedEvent | null;
  from: number;
  lags: readonly (number | null)[];
}>;

/** Figures of a second or a minute; `begin` says of which one. */
type Bucket<Figures> = Figures & { begin: number };

/** The buckets of the last 60 units of time, each kept in the place of the one 60 units before. */
class Recent<Figures extends object> {
  private readonly buckets: Bucket<Figures>[] = [];

  constructor(
    private readonly unit: number,
    private readonly empty: () => Figures,
  ) {}

  at(time: number): Bucket<Figures> {
    const number = Math.floor(time / this.unit);
    const place = number % MINUTES;
    const begin = number * this.unit;
    const known = this.buckets[place];
    if (known?.begin === begin) return known;
    const bucket = { ...this.empty(), begin };
    this.buckets[place] = bucket;
    return bucket;
  }

  after(time: number): readonly Bucket<Figures>[] {
    return this.buckets.filter((bucket) => bucket && bucket.begin > time);
  }
}

/** Measures the pace of a projection from its batches. An idle one costs nothing. */
export class Pace {
  private readonly seconds = new Recent(SECOND_MS, () => ({ written: 0, applied: 0 }));
  private readonly minutes = new Recent(MINUTE_MS, () => ({ lag: 0, slowest: null as TimedEvent | null }));
  private lastAt = 0;
  /** Time that the last batch took, from its arrival to the end of the commit, in seconds. */
  batchSeconds = 0;

  /** @param begin of the measuring, milliseconds since 1970-01-01 UTC */
  constructor(private readonly begin: number) {}

  /** Events that were applied in one step. @param now milliseconds since 1970-01-01 UTC, as `recordedAt` */
  add(events: readonly Pick<RecordedEvent, 'recordedAt'>[], slowest: TimedEvent | null, now: number): void {
    this.lastAt = now;
    this.seconds.at(now).applied += events.length;
    const since = now - MINUTE_MS + SECOND_MS; // before it, a second may have the same place as the current one
    for (const { recordedAt } of events) if (recordedAt > since && recordedAt <= now) this.seconds.at(recordedAt).written += 1;
    const minute = this.minutes.at(now);
    const [first] = events;
    if (first) minute.lag = Math.max(minute.lag, (now - first.recordedAt) / 1_000);
    if (slowest && slowest.milliseconds > (minute.slowest?.milliseconds ?? 0)) minute.slowest = slowest;
  }

  /** @param lag of now, which counts since the last batch */
  snapshot(lag: Lag, now: number): PaceSnapshot {
    const seconds = this.seconds.after(now - MINUTE_MS);
    const sum = (figure: 'written' | 'applied') => seconds.reduce((total, second) => total + second[figure], 0);
    const waitingOfMinute = lag.events * Math.min(1, 60 / Math.max(lag.seconds, 1));
    const from = (Math.floor(now / MINUTE_MS) - MINUTES + 1) * MINUTE_MS;
    const minutes = new Map(this.minutes.after(from - 1).map((minute) => [minute.begin, minute]));
    const lags = Array.from({ length: MINUTES }, (_, index) => {
      const begin = from + index * MINUTE_MS;
      const end = Math.min(now, begin + MINUTE_MS);
      const waiting = end > this.lastAt && lag.events > 0 ? Math.max(0, lag.seconds - (now - end) / 1_000) : 0;
      const lagOfMinute = Math.max(minutes.get(begin)?.lag ?? 0, waiting);
      return end <= this.begin && lagOfMinute === 0 ? null : lagOfMinute;
    });
    const slowest = [...minutes.values()].reduce<TimedEvent | null>(
      (most, minute) => (minute.slowest && minute.slowest.milliseconds > (most?.milliseconds ?? -1) ? minute.slowest : most),
      null,
    );
    return { eventsIn: (sum('written') + waitingOfMinute) / 60, eventsOut: sum('applied') / 60, slowest, from, lags };
  }
}
