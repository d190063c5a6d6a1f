import type { LogMoment, LogTimeline } from '#domain/operations/moments.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { History } from '#projections/shared/past.js';
import type { AsOf } from './as-of-header.js';
import * as refusals from './as-of-refused.js';

/** Sources of past reads. */
export type PastSources = Readonly<{ history: History; timeline: LogTimeline }>;

/** A moment of the log, and the clock of the request: milliseconds since 1970-01-01 UTC. */
export type TimeOfCall = Readonly<{ moment: LogMoment | null; clock: number }>;

/** End of the wait of a read that begins now for the history, by `performance.now()`. */
export const patienceEnds = (): number => performance.now() + 2_000;

/** Milliseconds left until the deadline. */
export const left = (deadline: number): number => Math.max(0, Math.ceil(deadline - performance.now()));

/** Later than every log time. */
const EVER = 8.64e15;

/** Finds the requested moments of reads (operations contract 5). */
export class TimesOfCalls {
  /** @param latest the only moment that this server shows, with all before it. Default: everything up to now */
  constructor(
    private readonly timeline: LogTimeline,
    private readonly events: Pick<EventStore, 'end' | 'head'>,
    private readonly clock: Clock,
    private readonly latest?: TimeOfCall,
  ) {}

  /** @throws AsOfRefused */
  find(asOf: AsOf, deadline: number): Promise<TimeOfCall> {
    return asOf.kind === 'instant' ? this.atInstant(asOf.milliseconds, deadline) : this.atPosition(asOf.position, deadline);
  }

  private async atInstant(milliseconds: number, deadline: number): Promise<TimeOfCall> {
    if (this.latest && milliseconds > this.latest.clock) throw refusals.laterThanServed();
    if (milliseconds > this.clock()) throw refusals.inTheFuture();
    const { timeline } = this;
    // Log time never goes back: no event behind a later one can count.
    const newest = await timeline.atInstant(EVER);
    if (!newest && this.latest?.moment) throw refusals.notReached(); // the index was lost
    if (!this.latest && (!newest || Date.parse(newest.time) <= milliseconds)) await this.requireReached(await this.events.head(), deadline);
    const moment = await timeline.atInstant(milliseconds);
    return { moment: this.notLater(moment), clock: milliseconds };
  }

  private async atPosition(position: Position, deadline: number): Promise<TimeOfCall> {
    const { timeline } = this;
    if (await this.isLater(position)) throw refusals.laterThanServed();
    if (!(await timeline.reached(position + 1n, 0))) {
      if (position > (await this.events.end())) throw refusals.beyondHead();
      await this.requireReached(await this.events.head(), deadline); // the position may be inside an append, of which the index may have a part
    }
    const moment = await timeline.atPosition(position);
    return { moment, clock: moment ? Date.parse(moment.time) : 0 };
  }

  /** Returns whether a position is later than the moment of this server. Unchained events, such as leaves, are not separate points. */
  private async isLater(position: Position): Promise<boolean> {
    if (!this.latest) return false;
    const shown = this.latest.moment?.position ?? 0n;
    if (position <= shown) return false;
    const { timeline } = this;
    return !(await timeline.reached(position, 0)) || ((await timeline.atPosition(position))?.position ?? 0n) !== shown;
  }

  /** The moment of the server if the given one is later. */
  private notLater(moment: LogMoment | null): LogMoment | null {
    const latest = this.latest?.moment;
    if (!this.latest || moment === null) return moment;
    return latest && moment.position > latest.position ? latest : moment;
  }

  private async requireReached(position: Position, deadline: number): Promise<void> {
    if (!(await this.timeline.reached(position, left(deadline)))) throw refusals.notReached();
  }
}
