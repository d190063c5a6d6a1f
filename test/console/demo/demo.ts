import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADMINISTRATORS } from '#test/support/deployments.js';
import { builtModule } from '#test/support/processes/built.js';
import { launchLogbook } from '#test/support/processes/logbook-process.js';
import { untilNow } from '../month/until-now.js';

/** For a user on a terminal. */
const placesOf = (url: string, directory: string): string =>
  [
    `The demo is ready: ${url}/console`,
    `  key      ${ADMINISTRATORS.LOGBOOK_OPS_KEY} (sign in with it)`,
    `  API      ${url}/docs`,
    `  guides   ${url}/guides`,
    `  data     ${directory}, removed at the end`,
    '  Ctrl-C ends it.\n',
  ].join('\n');

/**
 * Serves a month of made-up data until SIGINT or SIGTERM, from a fresh directory for temporary files: no `.env`, no variable but `LOGBOOK_PORT` (default: a
 * free port) and no stores of this installation are used.
 * @param aheadMs of the real time that the clock of the server is
 * @throws Error the server ends or refuses data
 */
export const demo = async (output: NodeJS.WritableStream, aheadMs = 0): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'logbook-demo-'));
  const { environment, fill } = untilNow(directory, aheadMs);
  const { LOGBOOK_PORT = '0' } = process.env;
  const own = { LOGBOOK_PORT, LOGBOOK_DATA_DIR: join(directory, 'data'), ...ADMINISTRATORS };
  const server = launchLogbook({ ...own, ...environment }, [fileURLToPath(builtModule('server/main'))], directory);
  let isEnding = false;
  const end = (): void => {
    isEnding = true;
    void server.signal('SIGKILL'); // its data are not needed any more
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);
  try {
    output.write('Writing a month of made-up data, which takes a minute or two ...\n');
    const url = await server.url;
    await fill(url);
    output.write(placesOf(url, directory));
    await server.exited;
    if (!isEnding) throw new Error(`the server ended: ${server.lines.slice(-3).join('\n')}`);
  } catch (error) {
    if (!isEnding) throw error;
  } finally {
    await server.signal('SIGKILL');
    await rm(directory, { recursive: true });
  }
};
