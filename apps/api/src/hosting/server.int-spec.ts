import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, expect, it, jest } from '@jest/globals';
import { announceLost, EnvironmentLost } from '#infra/platform/lmdb/environment-error.js';
import { until } from '#test/support/eventually.js';

const directory = await mkdtemp(join(tmpdir(), 'logbook-given-up-'));
await writeFile(join(directory, 'credentials.json'), '{}'); // under Jest, the error of a missing file is no instance of Error
afterAll(() => rm(directory, { recursive: true, force: true }));

const done: string[] = [];
const noting = (name: string) => async () => void done.push(name);
const app = {
  init: noting('init'),
  close: noting('close'),
  get: () => ({ start: noting('start') }),
  getHttpAdapter: () => ({ getInstance: () => ({ listen: noting('listen') }) }),
};
let goOn = (): void => undefined;
jest.unstable_mockModule('./app.js', () => ({
  createApp: async () => {
    announceLost(new EnvironmentLost(join(directory, 'documents', 'index')));
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    return app;
  },
}));
const { serve } = await import('./server.js');

it('a start that was given up does not go on to listen', async () => {
  const nowhere = new Writable({ write: (_chunk, _encoding, written) => written() });
  const environment = { LOGBOOK_DATA_DIR: directory, LOGBOOK_ROLES: 'projector', LOGBOOK_PORT: '0' };
  const surroundings = { signalled: new Promise<string>(() => undefined), output: nowhere, errors: nowhere, watch: () => undefined };
  expect(await serve(environment, {}, surroundings)).toBe(1);
  goOn();
  await until(() => done.includes('close') || done.includes('listen'));
  expect(done).toEqual(['close']);
});
