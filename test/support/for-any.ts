import fc from 'fast-check';
import { SEED } from './test-runs.js';

/** Expects something of any values of these arbitraries: it is tried so many times, from the seed of the run, which a failure prints. */
export const forAny = <Values extends [unknown, ...unknown[]]>(
  numRuns: number,
  ...property: [...arbitraries: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> }, holds: (...values: Values) => unknown]
): Promise<void> => fc.assert(fc.asyncProperty(...(property as Parameters<typeof fc.asyncProperty<Values>>)), { numRuns, seed: SEED });
