import { backOff } from '#infra/platform/coordination/back-off.js';

/** Milliseconds to wait after a number of failures in a row: 2 doubling up to 100, half of it at random so that rivals do not meet again. */
export const rivalPauseMs = backOff(2, 100, 0.5);
