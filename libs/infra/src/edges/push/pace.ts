import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import { LONGEST_TIMER_MS } from '#infra/platform/coordination/alarm.js';
import { backOff } from '#infra/platform/coordination/back-off.js';

/** Result of one cycle of a push subscription. `failed`: at the endpoint; `interrupted`: in this installation; `idle`: there was nothing to deliver. */
export type CycleOutcome = 'delivered' | 'failed' | 'interrupted' | 'idle';

/** Decides when the cycles of a subscription start (messaging contract 4.9). All times are milliseconds. */
type PushPace = Readonly<{
  /** Pause before the first cycle. */
  first: number;
  /** Pause after a cycle with this outcome and duration, which is negative if the clock was set back meanwhile. */
  after(outcome: CycleOutcome, took: number): number;
}>;

const SLOWSTART = { first: 1_000, shortest: 300, longest: 24 * 3_600_000 } as const;

/** Shortest period of cycles, regardless of the policy (docs/limits.md). */
const SHORTEST_PERIOD_MS = 100;

/**
 * After this many failures in a row, the period is at least the shortest one, doubled with every further failure up to `longest`
 * milliseconds.
 */
const FAILING = { failures: 10, longest: 60_000 } as const;

/**
 * Starts the first cycle at once, then one every period, whether it failed or not, until the subscription keeps failing. If a cycle takes
 * longer than its period, the next one starts at once.
 */
const linear = (period: number, shortest: number): PushPace => {
  let failures = 0;
  const slowedDown = (): number =>
    failures > FAILING.failures ? Math.min(shortest * 2 ** (failures - FAILING.failures), FAILING.longest) : 0;
  return {
    first: 0,
    after: (outcome, took) => {
      if (outcome === 'failed' || outcome === 'interrupted') failures += 1;
      else if (outcome === 'delivered') failures = 0;
      return Math.min(Math.max(0, Math.max(period, shortest, slowedDown()) - Math.max(0, took)), LONGEST_TIMER_MS);
    },
  };
};

/** Pauses of a slow start after interruptions in a row. They do not change its interval: the endpoint did not fail. */
const interruptedMs = backOff(SLOWSTART.first, FAILING.longest);

/** Halves the interval with every success and doubles it with every failure. */
const slowstart = (): PushPace => {
  let interval: number = SLOWSTART.first;
  let failing = false;
  let interruptions = 0;
  return {
    first: interval,
    after: (outcome) => {
      interruptions = outcome === 'interrupted' ? interruptions + 1 : 0;
      if (outcome === 'interrupted') return interruptedMs(interruptions);
      if (outcome === 'failed') interval = Math.min(interval * 2, SLOWSTART.longest);
      else if (outcome === 'delivered') interval = failing ? SLOWSTART.first : Math.max(interval / 2, SLOWSTART.shortest);
      if (outcome !== 'idle') failing = outcome === 'failed';
      return interval;
    },
  };
};

/** A pace in its initial state. `shortest`: smallest period in milliseconds. */
export const paceOf = ({ type, period }: PushConfiguration['retryPolicy'], shortest: number = SHORTEST_PERIOD_MS): PushPace =>
  type === 'slowstart' ? slowstart() : linear(period, shortest);
