import { randomInt } from 'node:crypto';

/**
 * Whether this run leaves nothing out: `LOGBOOK_TEST_RUNS=all`, as `.ci/run` sets it. Without it, tests with random input have fewer runs, and most
 * journeys are on the embedded stores alone.
 */
export const isFullRun = process.env.LOGBOOK_TEST_RUNS === 'all';

const seedOfThisRun = (): number => (isFullRun ? randomInt(2 ** 31 - 1) : Math.floor(Date.now() / 86_400_000));

/** For random input: another one in every full run, otherwise that of the day (UTC). Failures name it, and `LOGBOOK_TEST_SEED` sets it. */
export const SEED = Number(process.env.LOGBOOK_TEST_SEED ?? seedOfThisRun());

/** How often a test with random input runs. @param all in a full run. @param few in any other; default: an eighth of it */
export const runs = (all: number, few = Math.ceil(all / 8)): number => (isFullRun ? all : few);

/** The same, for `fc.assert`, which prints the seed of a failure. */
export const randomRuns = (all: number, few?: number): Readonly<{ numRuns: number; seed: number }> => ({
  numRuns: runs(all, few),
  seed: SEED,
});
