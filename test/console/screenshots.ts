/**
 * `npm run screenshots`: pictures of every view, with a month of data, and of the documentation of the API, and a film of a minute, into `docs/console`. With
 * a name (`npm run screenshots -- events`, `-- tour`) only those whose names have it in them. The film needs ffmpeg.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { withClock } from '#test/faults/parts/programs.js';
import { ADMIN, embedded, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { startLogbook } from '#test/support/logbook-process.js';
import { openChromium } from './chromium.js';
import { liveADay } from './month/day.js';
import { fillMonth } from './month/month.js';
import { takePictures } from './pictures.js';
import { hasFfmpeg, takeTour } from './tour.js';

const FOLDER = 'docs/console';
const TOUR = 'tour';
/** The server looks at its clock ten times a second. */
const CLOCK_MS = 250;
const [wanted = ''] = process.argv.slice(2);

const main = async (): Promise<void> => {
  const isTourWanted = TOUR.includes(wanted);
  if (isTourWanted && !hasFfmpeg()) throw new Error('the tour needs ffmpeg: apt-get install ffmpeg');
  const browser = await openChromium();
  const deployment = await embedded();
  const clock = join(deployment.dataDirectory, 'clock');
  const setClock = async (minutesAgo: number): Promise<void> => {
    writeFileSync(clock, `${-60 * minutesAgo}`);
    await setTimeout(CLOCK_MS);
  };
  await setClock(26 * 60);
  const server = await startLogbook({ ...deployment.environment, ...withClock(clock) });
  try {
    const target = { url: server.url, statusKey: ADMIN, messagingKey: SERVICE_TOKEN, accountingToken: SYSTEM_ADMIN };
    const month = await fillMonth(target);
    await liveADay(target, month, setClock);
    mkdirSync(FOLDER, { recursive: true });
    await takePictures(browser, server.url, month, FOLDER, wanted);
    if (isTourWanted) await takeTour(browser, server.url, month, join(FOLDER, `${TOUR}.webm`));
  } finally {
    await browser.close();
    await server.stop();
    await deployment.dispose();
  }
};

await main();
