/**
 * `npm run screenshots`: pictures of every view, with a month of data, and of the documentation of the API, and a film of a minute, into `docs/console`. With
 * a name (`npm run screenshots -- events`, `-- tour`) only those whose names have it in them. The film needs ffmpeg.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { embedded } from '#test/support/deployments.js';
import { startLogbook } from '#test/support/logbook-process.js';
import { openChromium } from './chromium.js';
import { untilNow } from './month/until-now.js';
import { takePictures } from './pictures.js';
import { hasFfmpeg, takeTour } from './tour.js';

const FOLDER = 'docs/console';
const TOUR = 'tour';
const [wanted = ''] = process.argv.slice(2);

const main = async (): Promise<void> => {
  const isTourWanted = TOUR.includes(wanted);
  if (isTourWanted && !hasFfmpeg()) throw new Error('the tour needs ffmpeg: apt-get install ffmpeg');
  const browser = await openChromium();
  const deployment = await embedded();
  const { environment, fill } = untilNow(deployment.dataDirectory);
  const server = await startLogbook({ ...deployment.environment, ...environment });
  try {
    const month = await fill(server.url);
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
