import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Finished, runLogbook } from '#test/support/logbook-process.js';

describe('a start that cannot succeed', () => {
  let directory: string;
  let file: string;
  const busy = createServer();
  const port = () => String((busy.address() as { port: number }).port);

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'logbook-start-'));
    file = join(directory, 'file');
    await writeFile(file, '');
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    busy.close();
    await chmod(directory, 0o700);
    await rm(directory, { recursive: true, force: true });
  });

  const rows: readonly (readonly [what: string, variable: string, environment: () => Readonly<Record<string, string>>, reason: RegExp])[] =
    [
      ['on a port in use', 'LOGBOOK_PORT', () => ({ LOGBOOK_PORT: port() }), /in use/],
      ['on an address of another machine', 'LOGBOOK_HOST', () => ({ LOGBOOK_HOST: '192.0.2.1' }), /EADDRNOTAVAIL/],
      ['on a port that is none', 'LOGBOOK_PORT', () => ({ LOGBOOK_PORT: '99999' }), /65535/],
      ['in a file instead of a directory', 'LOGBOOK_DATA_DIR', () => ({ LOGBOOK_DATA_DIR: file }), /not a directory/],
      ['below a file', 'LOGBOOK_DATA_DIR', () => ({ LOGBOOK_DATA_DIR: join(file, 'data') }), /ENOTDIR/],
      ['where no directory can be made', 'LOGBOOK_DATA_DIR', () => ({ LOGBOOK_DATA_DIR: '/proc/logbook' }), /ENOENT/],
      ['without its Redis', 'REDIS_URL', () => ({ REDIS_URL: 'redis://127.0.0.1:1' }), /ECONNREFUSED/],
      ['without its EventStoreDB', 'EVENTSTORE_URL', () => ({ EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' }), /ECONNREFUSED/],
      ['with a master key that is none', 'LOGBOOK_MASTER_KEY', () => ({ LOGBOOK_MASTER_KEY: 'short' }), /32 bytes/],
    ];

  const start = (environment: Readonly<Record<string, string>>): Promise<Finished> =>
    runLogbook(['serve'], { LOGBOOK_DATA_DIR: join(directory, 'data'), ...environment });

  it.each(rows)('%s ends with code 1 and one line that names %s', async (_what, variable, environment, reason) => {
    const { code, stderr } = await start(environment());
    const lines = stderr.trim().split('\n');
    expect([code, lines.length]).toEqual([1, 1]);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'error',
      time: expect.any(String),
      variable,
      message: expect.stringMatching(reason),
    });
  });
});
