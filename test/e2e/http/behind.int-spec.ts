import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { SERVICE, SUPER, SYSTEM } from '#test/support/as-of/world.js';
import { type Deployment, embedded } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';

/** Reads of ids that do not exist. */
const ABSENT = [
  ['/v1/projects/nobody', SERVICE],
  ['/v1/projects/known/topics/none', SERVICE],
  ['/v1/users/none', SERVICE],
  ['/api/v2/admin/tenants/6ac7d684-1f8e-4a02-a502-720e8f11e50b', SUPER],
  ['/accounting-system/providers/none', SYSTEM],
] as const;

const shown = ({ status, headers }: Answer) => [status, headers.get('logbook-read-model')];

describe('a read of what the read models do not show', () => {
  let deployment: Deployment;
  let lab: PastLab;
  beforeAll(async () => {
    deployment = await embedded();
    lab = await openPastLab(deployment, { LOGBOOK_HISTORY: 'off' });
    await lab.http.post('/v1/projects/known', { headers: SERVICE, body: {} });
  });
  afterAll(async () => {
    await lab?.close();
    await deployment?.dispose();
  });

  it.each(ABSENT)('is answered 404: %s', async (path, headers) => {
    expect(shown(await lab.http.get(path, { headers }))).toEqual([404, null]);
  });

  it('is waited for, then answered as it is found, while a write was acknowledged that is not shown', async () => {
    const { runtime, http } = lab;
    const headers = { ...SERVICE, 'content-type': 'application/json' };
    const end = await runtime.eventStore.end();
    runtime.readModels.owe('messaging.accounts', end + 1n);
    const waiting = http.get('/v1/users/soon', { headers });
    await http.post('/v1/users/soon', { headers, body: { email: 'soon@example.org', projects: [] } });
    expect(shown(await waiting)).toEqual([200, null]);
  });

  describe('that does not come', () => {
    let far: bigint;
    beforeAll(async () => {
      const { eventStore, readModels } = lab.runtime;
      far = (await eventStore.end()) + 1_000_000n;
      for (const category of ['messaging.accounts', 'messaging.resources', 'status.tenants', 'accounting.catalogue'])
        readModels.owe(category, far);
    });

    it.each(ABSENT)('stays 404, and says that it is behind: %s', async (path, headers) => {
      expect(shown(await lab.http.get(path, { headers }))).toEqual([404, 'behind']);
    });

    it('stays 404 for writes, too, and what is there is answered, marked', async () => {
      expect(shown(await lab.http.get('/v1/projects/known', { headers: SERVICE }))).toEqual([200, 'behind']);
      const pull = await lab.http.post('/v1/projects/known/subscriptions/none:pull', { headers: SERVICE, body: { maxMessages: '1' } });
      expect(shown(pull)).toEqual([404, 'behind']);
    });
  });
});
