/** Milliseconds to wait before the next attempt, from 1: doubling up to 100, at random within the upper half so that rivals do not meet again. */
export const backOff = (attempt: number): number => Math.min(100, 2 ** attempt) * (0.5 + Math.random() / 2);
