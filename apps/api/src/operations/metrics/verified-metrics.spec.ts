import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import type { FindingsOfJobs } from '#api/operations/findings/verified.js';
import { lookedUpAnew } from '#api/ops-kit/looked-up.js';
import { verifiedMetrics } from './verified-metrics.js';

it('findings of verifications stay while jobs cannot be read, and are absent while none could be read yet', async () => {
  const log = { index: 7, kind: 'altered', detail: 'its event is not what it was' };
  let known: FindingsOfJobs['known'] = null;
  const look = async () => {
    throw new Error('the store is away');
  };
  const verified = {
    look,
    get known() {
      return known;
    },
  };
  const registry = new Registry();
  const set = lookedUpAnew(registry, () => verifiedMetrics(registry, { names: ['status.results'] }, verified));
  const shown = async () => (await registry.metrics()).split('\n').filter((line) => /^logbook_/.test(line));

  await expect(set()).rejects.toThrow('the store is away');
  expect(await shown()).toEqual([]);
  known = { log, differences: new Map([['status.results', 2]]) };
  await set();
  expect(await shown()).toEqual(['logbook_log_damaged 1', 'logbook_projection_differences{projection="status.results"} 2']);
});
