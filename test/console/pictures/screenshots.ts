/**
 * `npm run screenshots`: pictures of every view, with a month of data, and of the documentation of the API, of the first line of the overview in six states,
 * and a film of a minute, into `docs/console`. With a name (`npm run screenshots -- events`, `-- states`, `-- tour`) only those whose names have it in them.
 * The film needs ffmpeg.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openChromium } from '#test/console/chromium.js';
import { untilNow } from '#test/console/month/until-now.js';
import { embedded } from '#test/support/deployments.js';
import { startLogbook } from '#test/support/processes/logbook-process.js';
import { takePictures } from './pictures.js';
import { hasFfmpeg, takeTour } from './tour.js';

const FOLDER = 'docs/console';
const [TOUR, STATES] = ['tour', 'states'];
const [wanted = ''] = process.argv.slice(2);

/** By the tests that bring the states about. */
const takeStates = (): void => {
  const program = ['--no-warnings', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js', 'test/console/overview-states'];
  execFileSync(process.execPath, program, { env: { ...process.env, LOGBOOK_PICTURES: FOLDER }, stdio: 'inherit' });
};

const main = async (): Promise<void> => {
  const canFilm = hasFfmpeg();
  if (wanted === TOUR && !canFilm) throw new Error('the tour needs ffmpeg: apt-get install ffmpeg');
  if (STATES.includes(wanted)) takeStates();
  if (wanted === STATES) return;
  const browser = await openChromium();
  const deployment = await embedded();
  const { environment, fill } = untilNow(deployment.dataDirectory);
  const server = await startLogbook({ ...deployment.environment, ...environment });
  try {
    const month = await fill(server.url);
    mkdirSync(FOLDER, { recursive: true });
    await takePictures(browser, server.url, month, FOLDER, wanted);
    if (canFilm && TOUR.includes(wanted)) await takeTour(browser, server.url, month, join(FOLDER, `${TOUR}.webm`));
  } finally {
    await browser.close();
    await server.stop();
    await deployment.dispose();
  }
};

await main();
