import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';

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
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** The shortest period that cycles have, whatever a policy says (docs/limits.md). */
export const SHORTEST_PERIOD_MS = 100;

/** A subscription that fails so often in a row keeps failing: from then on its period is at least the shortest one, doubled with every failure. */
const FAILING = { failures: 10, longest: 60_000 } as const;

/**
 * The first cycle at once, then one every period, whether it failed or not, until it keeps failing; a cycle that takes longer is followed by the next
 * at once.
 */
const linear = (period: number, shortest: number): Pace => {
  let failures = 0;
  const slowedDown = (): number =>
    failures > FAILING.failures ? Math.min(shortest * 2 ** (failures - FAILING.failures), FAILING.longest) : 0;
  return {
    first: 0,
    after: (outcome, took) => {
      if (outcome === 'failed') failures += 1;
      else if (outcome === 'delivered') failures = 0;
      return Math.min(Math.max(0, Math.max(period, shortest, slowedDown()) - took), LONGEST_WAIT_MS);
    },
  };
};

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

/** A pace at its beginning. `shortest`: milliseconds that a period has at least. */
export const paceOf = ({ type, period }: PushConfiguration['retryPolicy'], shortest: number = SHORTEST_PERIOD_MS): Pace =>
  type === 'slowstart' ? slowstart() : linear(period, shortest);
