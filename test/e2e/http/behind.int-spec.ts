import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { AccessQueries, type OidcTenantView } from '#projections/accounting/access/queries.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { NEW_OIDC_TENANT } from '#projections/accounting/examples.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ReadModelsBehind } from '#projections/shared/read-store.js';
import { projectBody } from '#test/e2e/accounting/records.js';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { SERVICE, SUPER, SYSTEM } from '#test/support/as-of/world.js';
import { type Deployment, embedded, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
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

  it('is not marked for what another service owes', async () => {
    const { runtime, http } = lab;
    runtime.readModels.owe('accounting.catalogue', (await runtime.eventStore.end()) + 1n);
    expect(shown(await http.get('/accounting-system/providers', { headers: SYSTEM }))).toEqual([200, 'behind']);
    for (const path of ['/v1/projects/known', '/v1/projects/none'])
      expect(shown(await http.get(path, { headers: SERVICE }))).toEqual([path.endsWith('known') ? 200 : 404, null]);
    await http.post('/v1/projects/later', { headers: SERVICE, body: {} });
    await eventually(() => runtime.readModels.isOwing()).until((isOwing) => !isOwing);
  });

  it('is waited for, then answered as it is found, while a write was acknowledged that is not shown', async () => {
    const { runtime, http } = lab;
    const headers = { ...SERVICE, 'content-type': 'application/json' };
    // On a busy machine the write may come when the read has waited for two seconds.
    const found = await eventually(async () => {
      const name = `soon-${crypto.randomUUID()}`;
      runtime.readModels.owe('messaging.accounts', (await runtime.eventStore.end()) + 1n);
      const waiting = http.get(`/v1/users/${name}`, { headers });
      await http.post(`/v1/users/${name}`, { headers, body: { email: `${name}@example.org`, projects: [] } });
      return shown(await waiting);
    }).until(([status]) => status === 200);
    expect(found).toEqual([200, null]);
  });

  it('waits for them after a write with the client of the tests', async () => {
    const { runtime, http } = lab;
    const applied = jest.spyOn(runtime.readModels, 'applied').mockResolvedValue(false);
    runtime.readModels.owe('messaging.accounts', (await runtime.eventStore.end()) + 2n);
    let isAnswered = false;
    const written = http.post('/v1/projects/owed', { headers: SERVICE, body: {} }).finally(() => {
      isAnswered = true;
    });
    await eventually(() => http.get('/v1/projects/owed', { headers: SERVICE })).until(({ status }) => status === 200);
    expect(shown(await http.get('/health/live'))).toEqual([200, 'behind']);
    expect(isAnswered).toBe(false);
    applied.mockRestore();
    await http.post('/v1/projects/paid', { headers: SERVICE, body: {}, mayBeBehind: true });
    expect(shown(await written)).toEqual([200, 'behind']);
  });

  it('changes nothing in the answer to a change that is in force', async () => {
    const { http } = lab;
    const { json } = await http.post('/accounting-system/admin/oidc-tenants', { headers: SYSTEM, body: NEW_OIDC_TENANT });
    const before = json as OidcTenantView;
    const body = { client_id: 'new', secret: 'new' };
    const revise = () => http.call('PATCH', `/accounting-system/admin/oidc-tenants/${before.id}`, { headers: SYSTEM, body });
    await revise();
    jest.spyOn(AccessQueries.prototype, 'oidcTenant').mockResolvedValueOnce(before);
    expect((await revise()).json).toEqual({ ...before, client_id: 'new' });
    jest.restoreAllMocks();
  });

  it('needs no log for a name that is invalid', async () => {
    const require = jest
      .spyOn(lab.runtime.completeness, 'require')
      .mockImplementation(() => Promise.reject(new EventStoreUnavailable('away')));
    expect((await lab.http.get('/v1/projects/a%20b/topics')).status).toBe(400);
    expect(require).not.toHaveBeenCalled();
    expect((await lab.http.get('/v1/projects/a%20b/topics', { headers: SERVICE })).status).toBe(400);
    jest.restoreAllMocks();
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

    it('stays 422 where a body refers to it', async () => {
      const { json } = await lab.http.post('/api/v2/admin/tenants', {
        headers: SUPER,
        body: { info: { name: 'owed' }, users: [{ name: 'a', email: 'a@example.org', api_key: 'owed-tenant-key', roles: ['admin'] }] },
        mayBeBehind: true,
      });
      expect(json).toMatchObject({ status: { code: '201' } });
      const body = {
        name: 'refers',
        namespace: '',
        endpoint_group: 'sites',
        metric_operation: 'AND',
        profile_operation: 'AND',
        metric_profile: { name: '', id: '6ac7d684-1f8e-4a02-a502-720e8f11e50b' },
        groups: [],
      };
      const refused = await lab.http.post('/api/v2/aggregation_profiles', { headers: { 'x-api-key': 'owed-tenant-key' }, body });
      expect([...shown(refused), refused.text]).toEqual([422, 'behind', expect.stringContaining('metric profile ID is not found')]);
    });

    it('stays 404 for writes, too, and what is there is answered, marked', async () => {
      expect(shown(await lab.http.get('/v1/projects/known', { headers: SERVICE }))).toEqual([200, 'behind']);
      const pull = await lab.http.post('/v1/projects/known/subscriptions/none:pull', { headers: SERVICE, body: { maxMessages: '1' } });
      expect(shown(pull)).toEqual([404, 'behind']);
    });

    it('marks writes of /ops, too', async () => {
      const { http, runtime } = lab;
      const call = { key: OPERATOR, mayBeBehind: true };
      const applied = jest.spyOn(runtime.readModels, 'applied').mockResolvedValue(false);
      const made = await http.post('/ops/keys', { ...call, body: { service: 'status', role: 'super_admin', name: 'leaked' } });
      const { id } = made.json as Readonly<{ id: string }>;
      applied.mockRestore();
      const shows = jest.spyOn(runtime.readModels, 'shows').mockReturnValue(false);
      const revoked = await http.delete(`/ops/keys/${id}`, call);
      shows.mockRestore();
      expect([shown(made), shown(revoked)]).toEqual([
        [201, 'behind'],
        [204, 'behind'],
      ]);
      const headers = { ...SERVICE, 'content-type': 'application/json' };
      const body = { email: 'erased@example.org', projects: [] };
      const user = (await http.post('/v1/users/erased', { headers, body, mayBeBehind: true })).json as Readonly<{ uuid: string }>;
      const erased = jest.spyOn(runtime.readModels, 'applied').mockResolvedValue(false);
      const erasure = { service: 'messaging', kind: 'user', id: user.uuid, reason: 'request 1' };
      expect(shown(await http.post('/ops/erasures', { ...call, body: erasure }))).toEqual([202, 'behind']);
      erased.mockRestore();
    });

    it('waits once more for the resource of a new installation, although its external id is claimed by then', async () => {
      const post = (path: string, body?: object) =>
        lab.http.post(`/accounting-system${path}`, { headers: SYSTEM, body, mayBeBehind: true });
      await post('/admin/projects', projectBody('i'));
      await post('/providers', { id: 'i', name: 'i' });
      await post('/projects/i/associate/provider/i', {});
      await post('/admin/resources', { id: 'i', name: 'i' });
      jest.spyOn(CatalogueQueries.prototype, 'hasResource').mockResolvedValueOnce(false);
      const body = { project: 'i', organisation: 'i', infrastructure: 'i', installation: 'i', resource: 'i' };
      expect((await post('/installations', body)).status).toBe(201);
      jest.restoreAllMocks();
    });

    describe('after a write of a user', () => {
      const body = { roles: ['consumer'] };
      const add = async (name: string) => {
        const headers = { ...SERVICE, 'content-type': 'application/json' };
        await lab.http.post(`/v1/users/${name}`, { headers, body: { email: `${name}@example.org`, projects: [] }, mayBeBehind: true });
        return jest.spyOn(AccountQueries.prototype, 'users');
      };
      afterEach(() => void jest.restoreAllMocks());

      it('waits once more for the user', async () => {
        (await add('soon')).mockResolvedValueOnce([undefined]);
        const added = await lab.http.post('/v1/projects/known/members/soon:add', { headers: SERVICE, body, mayBeBehind: true });
        expect([added.status, added.json]).toEqual([200, expect.objectContaining({ name: 'soon' })]);
      });

      it.each([
        ['gone', 404],
        ['late', 503],
      ])('is not repeated: %s', async (name, status) => {
        (await add(name)).mockResolvedValue([undefined]);
        const require = jest.spyOn(lab.runtime.completeness, 'require');
        if (status === 503) require.mockImplementation(() => Promise.reject(new ReadModelsBehind('behind')));
        const path = `/v1/projects/known/members/${name}:add`;
        expect((await lab.http.post(path, { headers: SERVICE, body, mayBeBehind: true })).status).toBe(status);
        jest.restoreAllMocks();
        expect((await lab.http.post(path, { headers: SERVICE, body, mayBeBehind: true })).status).toBe(409);
      });
    });
  });
});
