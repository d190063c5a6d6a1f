import type { LogTimeline, Moment } from '#domain/operations/moments.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position, ServiceName } from '#domain/shared/events.js';
import type { History } from '#projections/shared/past.js';
import type { AsOf } from './as-of-header.js';
import * as refusals from './as-of-refused.js';

/** Where the past comes from. */
export type PastSources = Readonly<{ history: History; timeline: LogTimeline }>;

/** A moment of the log, and the time at which a request sees it: milliseconds since 1970-01-01 UTC. */
export type TimeOfCall = Readonly<{ moment: Moment | null; clock: number }>;

/** How long a read waits for what the history takes up just now. */
const PATIENCE_MS = 2_000;

/** Later than every log time. */
const EVER = 8.64e15;

/** Finds the moments that reads ask for (operations contract 5), and waits until the history has them. */
export class TimesOfCalls {
  /** @param latest the only moment, and all before it, that this server shows. Default: everything up to now */
  constructor(
    private readonly sources: Readonly<{ history: Pick<History, 'reach'>; timeline: LogTimeline }>,
    private readonly events: Pick<EventStore, 'end' | 'head'>,
    private readonly clock: Clock,
    private readonly latest?: TimeOfCall,
  ) {}

  /** @param service whose documents are to be there. Default: those of all. @throws AsOfRefused */
  async find(asOf: AsOf, service?: ServiceName): Promise<TimeOfCall> {
    const deadline = performance.now() + PATIENCE_MS;
    const found =
      asOf.kind === 'instant' ? await this.atInstant(asOf.milliseconds, deadline) : await this.atPosition(asOf.position, deadline);
    await this.requireHistory(found.moment, deadline, service);
    return found;
  }

  private async atInstant(milliseconds: number, deadline: number): Promise<TimeOfCall> {
    if (this.latest && milliseconds > this.latest.clock) throw refusals.laterThanServed();
    if (milliseconds > this.clock()) throw refusals.inTheFuture();
    const { timeline } = this.sources;
    // Log time never goes back: behind a later event there is none that counts.
    const newest = await timeline.atInstant(EVER);
    if (!this.latest && (!newest || Date.parse(newest.time) <= milliseconds)) await this.requireReached(await this.events.head(), deadline);
    const moment = await timeline.atInstant(milliseconds);
    return { moment: this.notLater(moment), clock: milliseconds };
  }

  private async atPosition(position: Position, deadline: number): Promise<TimeOfCall> {
    const { sources } = this;
    if (await this.isLater(position)) throw refusals.laterThanServed();
    if (!(await sources.timeline.reached(position, 0))) {
      if (position > (await this.events.end())) throw refusals.beyondHead();
      await this.requireReached(position, deadline);
    }
    const moment = await sources.timeline.atPosition(position);
    return { moment, clock: moment ? Date.parse(moment.time) : 0 };
  }

  /** Whether this server shows a point before it. Events that are not chained, such as leaves, make none of their own. */
  private async isLater(position: Position): Promise<boolean> {
    if (!this.latest) return false;
    const shown = this.latest.moment?.position ?? 0n;
    if (position <= shown) return false;
    const { timeline } = this.sources;
    return !(await timeline.reached(position, 0)) || ((await timeline.atPosition(position))?.position ?? 0n) !== shown;
  }

  /** The moment of the server where the instant comes after it. */
  private notLater(moment: Moment | null): Moment | null {
    const latest = this.latest?.moment;
    if (!this.latest || moment === null) return moment;
    return latest && moment.position > latest.position ? latest : moment;
  }

  private async requireReached(position: Position, deadline: number): Promise<void> {
    if (!(await this.sources.timeline.reached(position, left(deadline)))) throw refusals.notReached();
  }

  private async requireHistory(moment: Moment | null, deadline: number, service?: ServiceName): Promise<void> {
    if (!moment) return;
    const reach = await this.sources.history.reach(moment.position, left(deadline), service);
    if (reach === 'behind') throw refusals.notReached();
    if (reach === 'lost') throw refusals.historyLost();
  }
}

const left = (deadline: number): number => Math.max(0, Math.ceil(deadline - performance.now()));
