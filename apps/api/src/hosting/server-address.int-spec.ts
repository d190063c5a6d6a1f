import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { currentBoot, startOf } from '#infra/platform/program/process-origin.js';
import { announceAddress, servedMasterKey, serverAddress, withdrawAddress } from './server-address.js';

/** Of a process that runs: the first one's parent is not seen in a container. */
const OTHER_PID = process.ppid || 1;

const OWN = 'http://127.0.0.1:1';
const OTHER = 'http://127.0.0.1:2';

describe('the address of a server', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'logbook-address-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  /** In the form that another process writes. */
  const announced = (pid: number, changes: object = {}) =>
    writeFile(
      join(folder, `server.${pid}.json`),
      JSON.stringify({ url: OTHER, roles: ['history'], boot: currentBoot(), start: startOf(pid), ...changes }),
    );

  it('is that of one with the role, of several on one data directory', async () => {
    await announced(OTHER_PID);
    await announceAddress(folder, OWN, ['api', 'push']);
    expect([serverAddress(folder, 'api'), serverAddress(folder, 'history'), serverAddress(folder, 'projector')]).toEqual([
      OWN,
      OTHER,
      undefined,
    ]);
    withdrawAddress(folder, OTHER);
    expect(serverAddress(folder, 'api')).toBe(OWN);
    withdrawAddress(folder, OWN);
    expect([serverAddress(folder, 'api'), serverAddress(folder, 'history')]).toEqual([undefined, OTHER]);
  });

  it.each([
    ['started at another time', { start: '1' }],
    ['belongs to another boot', { boot: 'another' }],
    ['has no start', { start: undefined }],
    ['says no address', { url: 1 }],
  ])('does not count where its process %s, though there is one with its id', async (_what, changes) => {
    await announced(OTHER_PID, changes);
    expect(serverAddress(folder, 'history')).toBeUndefined();
  });

  it('goes when another server starts after its process has ended', async () => {
    await announced(OTHER_PID, { start: '1' });
    await announceAddress(folder, OWN, ['api']);
    expect(await readdir(folder)).toEqual([`server.${process.pid}.json`]);
  });

  it('is not that of a copy of the data directory', async () => {
    const copy = join(folder, 'copy');
    await announceAddress(folder, OWN, ['api'], 'fingerprint');
    await cp(join(folder, `server.${process.pid}.json`), join(copy, `server.${process.pid}.json`));
    expect([serverAddress(folder, 'api'), servedMasterKey(folder)]).toEqual([OWN, 'fingerprint']);
    expect([serverAddress(copy, 'api'), servedMasterKey(copy)]).toEqual([undefined, undefined]);
  });

  it('is nowhere without a data directory', async () => {
    await announceAddress(join(folder, 'none'), OWN, ['api']);
    withdrawAddress(join(folder, 'none'), OWN);
    expect(serverAddress(join(folder, 'none'), 'api')).toBeUndefined();
  });
});
