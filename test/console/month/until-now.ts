import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { withClock } from '#test/faults/parts/programs.js';
import { ADMIN, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { liveADay, type SetClock } from './day.js';
import { fillMonth, type Month } from './month.js';

/** The server looks at its clock ten times a second. */
const CLOCK_MS = 250;
const BEGINNING_MINUTES = 26 * 60;

/**
 * A server whose clock begins 26 hours ago, to be filled with the month and the day before now.
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
  write(BEGINNING_MINUTES);
  return {
    /** For the server, besides the keys of its administrators. */
    environment: withClock(file),
    fill: async (url: string): Promise<Month> => {
      const target = { url, statusKey: ADMIN, messagingKey: SERVICE_TOKEN, accountingToken: SYSTEM_ADMIN };
      const now = Date.now() + aheadMs;
      const month = await fillMonth(target, now, now - BEGINNING_MINUTES * 60_000);
      await liveADay(target, month, setClock, now);
      return month;
    },
  };
};
