import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import { EMPTY, openRestorableLog, type RestorableLog } from '#test/support/event-stores/restorable-log.js';
import { newTallyEvent } from '#test/support/projections/tally-projection.js';
import { ResultsOrigin } from './origin.js';
import { ResultsStore } from './results-store.js';

let log: RestorableLog;
let store: ResultsStore;
let directory: string;

const KEY = { tenantId: 't', report: 'r', name: 'Critical', day: '2024-01-01' };
const PROOF = { plan: 'p', points: '1', seconds: 86_400, at: 0 };

/** Opens the log as every writing process does. */
const start = () => new LogIdentity(log.store()).open();
const append = (count = 1) =>
  log.store().append(
    'test.tally-1',
    Array.from({ length: count }, () => newTallyEvent({ type: 'Counted', data: { name: 'a', by: 1 } })),
    'any',
  );
const examine = (versions = 'v1') => new ResultsOrigin(log.store(), store, versions).examine();
const write = async (versions = 'v1'): Promise<void> => {
  await new ResultsOrigin(log.store(), store, versions).record();
  store.write(KEY, PROOF, { day: KEY.day, seconds: 86_400, groups: [], supergroups: [] });
};
const isThere = (): boolean => store.proof(KEY) !== undefined;

beforeEach(async () => {
  log = await openRestorableLog('the embedded log');
  directory = mkdtempSync(join(tmpdir(), 'logbook-results-'));
  store = ResultsStore.open({ path: join(directory, 'results'), report: () => {} });
  await start();
  await append(3);
});
afterEach(async () => {
  await store.close();
  await log.dispose();
  rmSync(directory, { recursive: true });
});

describe('Stored results', () => {
  it('stay where the log goes on, is opened again, or is put back as it was', async () => {
    await write();
    await start();
    await append(5);
    expect([await examine(), isThere()]).toEqual([undefined, true]);
    await log.restore(await log.backup());
    await start();
    expect([await examine(), isThere()]).toEqual([undefined, true]);
  });

  it('are discarded where the log was put back to before them, whatever was written since', async () => {
    const backup = await log.backup();
    await append(2);
    await write();
    await log.restore(backup);
    await start();
    await append(20);
    expect([await examine(), isThere()]).toEqual([expect.stringContaining('the newest opening of the log before'), false]);
    await write();
    await log.restore(backup);
    expect([await examine(), isThere()]).toEqual([expect.stringContaining('the log ends at'), false]);
  });

  it('are discarded where it is the log of others, or their read models are of another version', async () => {
    await write();
    expect([await examine('v2'), isThere()]).toEqual([expect.stringContaining('another version'), false]);
    await write();
    await log.restore(EMPTY);
    await start();
    expect([await examine(), isThere()]).toEqual([expect.stringContaining('they come from installation'), false]);
  });

  it('are not discarded where there are none, which a full disk would refuse', async () => {
    store.clear = () => Promise.reject(new Error('the disk is full'));
    expect(await examine()).toBeUndefined();
  });

  it('are discarded if it is not known where they come from', async () => {
    store.write(KEY, PROOF, { day: KEY.day, seconds: 86_400, groups: [], supergroups: [] });
    expect([await examine(), isThere()]).toEqual([undefined, false]);
  });
});
