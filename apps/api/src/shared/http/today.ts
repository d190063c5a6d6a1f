import type { Clock } from '#domain/shared/clock.js';
import { type Day, dayOf } from '#domain/shared/time.js';

const DAY_MS = 86_400_000;

/** Returns today in UTC. The text is made once a day: making it for each request would cost 3 % of a read. */
export const todayBy = (clock: Clock): (() => Day) => {
  let latest: Readonly<{ number: number; day: Day }> = { number: Number.NaN, day: '' };
  return () => {
    const number = Math.floor(clock() / DAY_MS);
    if (number !== latest.number) latest = { number, day: dayOf(new Date(number * DAY_MS).toISOString()) };
    return latest.day;
  };
};
