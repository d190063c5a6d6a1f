/**
 * Whether this run leaves nothing out: `LOGBOOK_TEST_RUNS=all`, as `.ci/run` sets it. Without it, tests with random input have fewer runs, and most
 * journeys are on the embedded stores alone.
 */
export const isFullRun = process.env.LOGBOOK_TEST_RUNS === 'all';

/** For random input. jest.config.js sets it for all suites of a run, unless `LOGBOOK_TEST_SEED` does: another one in every full run, otherwise the same. */
export const SEED = Number(process.env.LOGBOOK_TEST_SEED ?? 1);

/** How often a test with random input runs. @param all in a full run. @param few in any other; default: an eighth of it */
export const runs = (all: number, few = Math.ceil(all / 8)): number => (isFullRun ? all : few);

/** Kinds of stores, for `describe.each`: in a run that leaves something out the first one alone. Every adapter has the contract of its port in every run. */
export const kinds = <Kind extends string>(...all: readonly Kind[]): readonly Kind[] => all.slice(0, isFullRun ? undefined : 1);
