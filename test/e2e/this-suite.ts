import { expect } from '@jest/globals';

/** When this suite was loaded, in whole seconds, as instants of some answers are. Milliseconds. */
const BEGUN = Math.floor(Date.now() / 1_000) * 1_000;

/** Expects an instant since the suite began. */
export const expectRecent = (time: string | undefined): void => {
  const at = Date.parse(time ?? '');
  expect([time, at >= BEGUN, at <= Date.now()]).toEqual([time, true, true]);
};
