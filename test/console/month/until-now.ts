import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { withClock } from '#test/faults/parts/programs.js';
import { ADMIN, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { calling } from './caller.js';
import { liveADay } from './day.js';
import { fillMonth, type Month, type SetClock } from './month.js';
import { DAYS } from './status.js';

/** The server looks at its clock ten times a second. */
const CLOCK_MS = 250;
/** Length of the day that is lived hour by hour, and a bit. */
const LAST_DAY_MS = 26 * 3_600_000;

/**
 * A server whose clock begins a month ago, to be filled day by day, and the day before now hour by hour.
 * @param directory for the file of the clock
 * @param aheadMs of the real time that its clock ends
 */
export const untilNow = (directory: string, aheadMs = 0) => {
  const file = join(directory, 'clock');
  const write = (minutesAgo: number): void => writeFileSync(file, `${aheadMs / 1_000 - 60 * minutesAgo}`);
  const setClock: SetClock = async (minutesAgo) => {
    write(minutesAgo);
    await setTimeout(CLOCK_MS);
  };
  write(DAYS * 24 * 60);
  return {
    /** For the server, besides the keys of its administrators. */
    environment: withClock(file),
    fill: async (url: string): Promise<Month> => {
      const target = { url, statusKey: ADMIN, messagingKey: SERVICE_TOKEN, accountingToken: SYSTEM_ADMIN };
      const now = Date.now() + aheadMs;
      const month = await fillMonth(target, now, now - LAST_DAY_MS, setClock);
      await liveADay(target, month, setClock, now);
      await calling(url, { 'x-api-key': OPERATOR })('POST', '/audit/anchors'); // the server's own are as old as its last hour
      return month;
    },
  };
};
