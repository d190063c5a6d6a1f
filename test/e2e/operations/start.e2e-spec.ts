import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '#test/support/eventually.js';
import { type LaunchedLogbook, launchLogbook, startLogbook } from '#test/support/processes/logbook-process.js';
import { startRedis } from '#test/support/redis/redis.js';
import { failToStart, failToStartAlone, startServer } from '#test/support/server-host/hosted-server.js';
import { httpClient } from '#test/support/status-client.js';

type Environment = Readonly<Record<string, string>>;
type Row = readonly [what: string, variable: string, environment: () => Environment, reason: RegExp];

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
    await rm(directory, { recursive: true, force: true });
  });

  /** Expects an end with code 1 and one line that names the variable and the reason, and shows no secret. */
  const expectFailure = async ([, variable, environment, reason]: Row, fail = failToStart): Promise<void> => {
    const { code, errors } = await fail({ LOGBOOK_DATA_DIR: join(directory, variable), ...environment() });
    expect([code, errors]).toEqual([1, [expect.any(String)]]);
    const [error = ''] = errors;
    expect(JSON.parse(error)).toEqual({
      level: 'error',
      time: expect.any(String),
      service: 'logbook',
      node: expect.stringMatching(/:\d+$/),
      version: expect.any(String),
      variable,
      message: expect.stringMatching(reason),
    });
    expect(error).not.toContain('a-secret');
  };

  it('on a port in use the process ends with code 1 and one line on standard error', () =>
    expectFailure(['on a port in use', 'LOGBOOK_PORT', () => ({ LOGBOOK_PORT: port() }), /in use/], failToStartAlone));

  it.each<Row>([
    ['on an address of another machine', 'LOGBOOK_HOST', () => ({ LOGBOOK_HOST: '192.0.2.1' }), /EADDRNOTAVAIL/],
    ['in a file instead of a directory', 'LOGBOOK_DATA_DIR', () => ({ LOGBOOK_DATA_DIR: file }), /not a directory/],
    [
      'with a secret file that is not there',
      'LOGBOOK_OPS_KEY_FILE',
      () => ({ LOGBOOK_OPS_KEY_FILE: join(directory, 'no-file') }),
      /ENOENT/,
    ],
    [
      'with embedded read models that nobody would keep up to date',
      'LOGBOOK_ROLES',
      () => ({ LOGBOOK_ROLES: 'api,push' }),
      /no projector.*never be ready/,
    ],
    ['where no directory can be made', 'LOGBOOK_DATA_DIR', () => ({ LOGBOOK_DATA_DIR: '/proc/logbook' }), /ENOENT/],
    [
      'with several wrong variables',
      'LOGBOOK_PORT, EVENTSTORE_URL, REDIS_URL, LOGBOOK_MASTER_KEY',
      () => ({
        LOGBOOK_PORT: '99999',
        EVENTSTORE_URL: 'a-secret',
        REDIS_URL: 'http://user:a-secret@host',
        LOGBOOK_MASTER_KEY: 'a-secret',
      }),
      /LOGBOOK_PORT must not be greater than 65535.*LOGBOOK_MASTER_KEY must be 32 bytes/s,
    ],
  ])('%s ends with code 1 and one line that names %s', (...row) => expectFailure(row));

  it('beside another server of the same data directory ends with one line that names both, or waits some seconds, as that may be about to end', async () => {
    const shared = { LOGBOOK_DATA_DIR: join(directory, 'shared') };
    const first = await startLogbook(shared);
    let second: LaunchedLogbook | undefined;
    try {
      const reason = new RegExp(`shared/log is in use by process ${first.pid}: stop that first`);
      await expectFailure(['beside another server', 'LOGBOOK_DATA_DIR', () => ({ ...shared, LOGBOOK_START_TIMEOUT: '0s' }), reason]);
      expect((await httpClient(first.url).get('/health/live')).status).toBe(200);
      second = launchLogbook(shared);
      const { lines } = second;
      const waits = new RegExp(`waiting for the stores: .*shared/log is in use by process ${first.pid}`);
      await until(() => lines.some((line) => waits.test(line)));
      await first.kill();
      expect((await httpClient(await second.url).get('/health/live')).status).toBe(200);
    } finally {
      await first.kill();
      await second?.signal('SIGTERM');
    }
  });

  it('on a copy of an embedded log ends with one line if the original uses the same prefix in Redis', async () => {
    const redis = await startRedis();
    const shared = { REDIS_URL: redis.url, LOGBOOK_REDIS_PREFIX: redis.keyPrefix };
    const [original, copy] = [join(directory, 'original'), join(directory, 'copy')];
    const environment = { ...shared, LOGBOOK_DATA_DIR: original };
    await (await startServer(environment)).stop();
    await cp(original, copy, { recursive: true });
    const first = await startLogbook(environment);
    try {
      const reason = new RegExp(`uses the prefix ${redis.keyPrefix} on this Redis`);
      await expectFailure(['on a copy', 'LOGBOOK_REDIS_PREFIX', () => ({ ...shared, LOGBOOK_DATA_DIR: copy }), reason]);
    } finally {
      await first.stop();
      await redis.stop();
    }
  });

  // Together, as each of them waits for the store.
  it('without its Redis or its EventStoreDB waits, then ends with code 1 and one line that names the address', () => {
    const briefly = { LOGBOOK_START_TIMEOUT: '1s' };
    return Promise.all([
      expectFailure(['without its Redis', 'REDIS_URL', () => ({ ...briefly, REDIS_URL: 'redis://127.0.0.1:1' }), /ECONNREFUSED/]),
      expectFailure([
        'without its EventStoreDB',
        'EVENTSTORE_URL',
        () => ({ ...briefly, EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' }),
        /ECONNREFUSED.*waited [1-9]/,
      ]),
    ]);
  });
});
