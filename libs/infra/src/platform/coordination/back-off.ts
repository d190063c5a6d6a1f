/** Milliseconds to wait after the given number of failures in a row, counted from 1. */
export type BackOff = (failures: number) => number;

/**
 * Pauses that double from `firstMs` up to `longestMs`.
 * @param spread share of each pause, from 0 to 1, that is taken off at random, so that rivals do not meet again. Default 0: no randomness
 */
export const backOff =
  (firstMs: number, longestMs: number, spread = 0): BackOff =>
  (failures) =>
    Math.min(firstMs * 2 ** (failures - 1), longestMs) * (1 - spread * Math.random());

/** Whether to log a failure, counted from 1 in a row: the 1st, 2nd, 4th, 8th … are enough to show that it lasts. */
export const isLogged = (failures: number): boolean => (failures & (failures - 1)) === 0;
