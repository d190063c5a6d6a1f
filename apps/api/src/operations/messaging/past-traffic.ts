import { Inject, Injectable } from '@nestjs/common';
import { PastApplication } from '#api/as-of/past-application.js';
import { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { TrafficQueries } from '#projections/messaging/traffic/queries.js';

const HOUR_MS = 3_600_000;
const SECONDS_EACH = 300;
const STEPS = HOUR_MS / 1_000 / SECONDS_EACH;

/** Messages in each five minutes of the last hour. `from`: `YYYY-MM-DDTHH:MM:SS.sssZ`; `counts`: oldest first, `null` where this node has no history of them. */
type LastHour = Readonly<{ from: string; secondsEach: number; counts: readonly number[] | null }>;

/** Figures of the last hour, from the history of this node. Nothing of it is on record: counts are neither secret nor personal. */
@Injectable()
export class PastTraffic {
  constructor(
    private readonly past: PastApplication,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The result of `read` as of an hour ago; `null` if this node has no history of that moment. */
  anHourAgo<Found>(read: (traffic: TrafficQueries) => Promise<Found>): Promise<Found | null> {
    return this.asOf(this.clock() - HOUR_MS, read);
  }

  /** Messages published to a topic in each span. @param messages all that it has had by now */
  async lastHour(topicId: string, messages: number): Promise<LastHour> {
    const from = this.clock() - HOUR_MS;
    const totals: number[] = [];
    for (let step = 0; step < STEPS; step += 1) {
      const total = await this.asOf(from + step * SECONDS_EACH * 1_000, async (traffic) => (await traffic.ofTopic(topicId))?.messages ?? 0);
      if (total === null) return lastHourOf(from, null);
      totals.push(total);
    }
    const ends = [...totals.slice(1), messages];
    return lastHourOf(
      from,
      ends.map((end, step) => Math.max(0, end - (totals[step] ?? 0))),
    );
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

const lastHourOf = (from: number, counts: LastHour['counts']): LastHour => ({
  from: new Date(from).toISOString(),
  secondsEach: SECONDS_EACH,
  counts,
});
