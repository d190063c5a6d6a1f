import type { ShownStatus, StatusDetails } from '#api/status/answers/branches.js';
import type { Timeline } from '#domain/status/results/timeline.js';

const FLAGGED: StatusDetails = { affected_by_threshold_rule: true };
const DAY = 86_400;

/** `YYYY-MM-DDTHH:MM:SSZ` of seconds since 1970. */
const zuluOf = (seconds: number): string => `${new Date(seconds * 1_000).toISOString().slice(0, -5)}Z`;

/** The statuses of one item on several days, in order of time. There may be very many, so they are stored as numbers and shared texts. */
export class StatusLine {
  /** Seconds since 1970. */
  private readonly instants: number[] = [];
  private readonly values: string[] = [];
  private readonly details = new Map<number, StatusDetails>();
  private readonly leading = new Map<number, ShownStatus>();
  /** Characters of details. Unlike the statuses themselves they may have any length. */
  textSize = 0;

  get length(): number {
    return this.instants.length;
  }

  /** @param flagged set if a threshold rule affected the statuses of the day */
  addDay(midnight: number, timeline: Timeline, flagged: boolean): void {
    for (const { at, status } of timeline) this.add(midnight + at, status, flagged ? FLAGGED : undefined);
  }

  add(instant: number, value: string, details?: StatusDetails): void {
    if (details) {
      this.details.set(this.length, details);
      for (const text of Object.values(details)) if (typeof text === 'string') this.textSize += text.length;
    }
    this.instants.push(instant);
    this.values.push(value);
  }

  /** Sets the status before the next added one, for answers that begin there. */
  lead(status: ShownStatus): void {
    this.leading.set(this.length, status);
  }

  /** The statuses from index `from` up to `to`, exclusive, preceded by the leading status of the first. */
  *part(from: number, to: number): Generator<ShownStatus> {
    const leading = this.leading.get(from);
    if (leading && from < to) yield leading;
    for (let index = from; index < to; index++) {
      const [instant = 0, value = ''] = [this.instants[index], this.values[index]];
      yield { timestamp: zuluOf(instant), value, details: this.details.get(index) };
    }
  }

  /** The final element of a timeline: the last status at the end of its day, or now if that is today. `now`: seconds since 1970. */
  closing(now: number): ShownStatus {
    const [instant = 0, value = ''] = [this.instants.at(-1), this.values.at(-1)];
    const day = Math.floor(instant / DAY);
    return { timestamp: zuluOf(day === Math.floor(now / DAY) ? now : (day + 1) * DAY - 1), value };
  }
}
