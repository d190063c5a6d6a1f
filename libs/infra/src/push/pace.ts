import type { PushConfiguration } from '#domain/messaging/resource-events.js';

/** How a cycle of a push subscription ended; `idle`: there was nothing to deliver. */
export type CycleOutcome = 'delivered' | 'failed' | 'idle';

/** When the cycles of a subscription begin (messaging contract 4.9). All times in milliseconds. */
export type Pace = Readonly<{
  /** Before the first cycle. */
  first: number;
  /** How long to wait after a cycle that ended this way and took so long. */
  after(outcome: CycleOutcome, took: number): number;
}>;

const SLOWSTART = { first: 1_000, shortest: 300, longest: 24 * 3_600_000 } as const;

/** The longest that a timer of Node can wait. */
const LONGEST_WAIT = 2 ** 31 - 1;

/** The first cycle at once, then one every period; a cycle that takes longer is followed by the next at once. */
const linear = (period: number): Pace => ({ first: 0, after: (_outcome, took) => Math.min(Math.max(0, period - took), LONGEST_WAIT) });

/** Intervals that halve with every success and double with every failure. */
const slowstart = (): Pace => {
  let interval: number = SLOWSTART.first;
  let failing = false;
  return {
    first: interval,
    after: (outcome) => {
      if (outcome === 'failed') interval = Math.min(interval * 2, SLOWSTART.longest);
      else if (outcome === 'delivered') interval = failing ? SLOWSTART.first : Math.max(interval / 2, SLOWSTART.shortest);
      if (outcome !== 'idle') failing = outcome === 'failed';
      return interval;
    },
  };
};

/** A pace at its beginning. */
export const paceOf = ({ type, period }: PushConfiguration['retryPolicy']): Pace => (type === 'slowstart' ? slowstart() : linear(period));
