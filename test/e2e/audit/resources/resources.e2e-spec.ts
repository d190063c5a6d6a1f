import { describe, expect, it } from '@jest/globals';
import { records } from '#test/e2e/accounting/records.js';
import { accountCalls, made as bodyOf, type User } from '#test/e2e/messaging/accounts/accounts.js';
import { createProject, SERVICE_TOKEN } from '#test/e2e/messaging/calls.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { administration, user } from '#test/e2e/status/tenant-calls.js';
import { accountingClient } from '#test/support/accounting/accounting-client.js';
import { ADMIN, deployments, OPERATOR, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { idOf, registerTenant } from '#test/support/status-client.js';

type Version = Readonly<{ version: number; position: string; type: string; change: readonly object[]; value: unknown; actor: object }>;
type Found = Readonly<{ resource: object; versions: readonly Version[]; next: number | null }>;

describe.each(deployments)('records as versions on %s', (_, open) => {
  const scene = serving(open, {
    LOGBOOK_HISTORY: 'on',
    LOGBOOK_ROLES: 'api,projector,push,history',
    LOGBOOK_MESSAGING_SERVICE_TOKEN: SERVICE_TOKEN,
  });
  const ask = async (path: string): Promise<Found> => {
    const { status, json, text } = await scene.root.get(`/audit/resources/${path}`, { key: OPERATOR });
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return json as Found;
  };
  const statusOf = async (path: string, key = OPERATOR) => (await scene.root.get(`/audit/resources/${path}`, { key })).status;

  it('show who changed what, with the record as it was, also when its project took it along', async () => {
    const project = await createProject(scene, 'kept');
    await project.topic('news');
    const pushed = await project.post('/topics/news:modifyAcl', { authorized_users: [] });
    expect(pushed.status).toBe(200);
    const first = await ask('messaging/topic/news?scope=kept');
    expect(first.resource).toMatchObject({ service: 'messaging', kind: 'topic', deleted: false, scope: expect.any(String) });
    const { value } = first.versions[0] as Version;
    expect(value).toMatchObject({ name: '/projects/kept/topics/news' });
    expect(first.versions).toMatchObject([{ version: 1, type: 'TopicCreated', change: [{ op: 'add', path: '', value }], value }]);
    expect((await project.delete('')).status).toBe(200);
    const { resource } = first as Readonly<{ resource: { id: string; scope: string } }>;
    const after = await ask(`messaging/topic/${resource.id}?scope=${resource.scope}`);
    expect(after).toMatchObject({
      resource: { deleted: true },
      versions: [
        { version: 1, value },
        { type: 'ProjectDeleted', value: null },
      ],
    });
    expect(await ask('messaging/project/kept')).toMatchObject({ resource: { deleted: true }, versions: [{}, { value: null }] });
  });

  it('show a schema also under names that no path can hold', async () => {
    const project = await createProject(scene, 'oddly');
    for (const name of ['other', 'odd'])
      expect((await project.post(`/schemas/${name}`, { type: 'json', schema: { type: 'object' } })).status).toBe(200);
    expect((await project.put('/schemas/odd', { name: 'projects/oddly/schemas/a, b' })).status).toBe(200);
    const { resource } = (await ask('messaging/schema/a%2C%20b?scope=oddly')) as Readonly<{ resource: { id: string; scope: string } }>;
    expect((await project.delete('')).status).toBe(200);
    expect((await ask(`messaging/schema/${resource.id}?scope=${resource.scope}`)).versions).toMatchObject([
      { type: 'SchemaCreated', value: { uuid: resource.id, name: 'projects/oddly/schemas/odd' } },
      { type: 'SchemaRevised', value: { uuid: resource.id, name: 'projects/oddly/schemas/a, b' } },
      { type: 'ProjectDeleted', value: null },
    ]);
  });

  it('have all digits of numbers, in values, changes and differences', async () => {
    const system = accountingClient(scene.server.url, SYSTEM_ADMIN);
    const made = records(() => system);
    const { project, provider } = await made.pair();
    const { id: installation } = await made.installation(project, provider);
    const { metric_definition_id: definition = '' } = await made.definition();
    const path = `/installations/${installation}`;
    const period = '"time_period_start":"2024-05-01T00:00:00Z","time_period_end":"2024-05-02T00:00:00Z"';
    const before = `{"metric_definition_id":"${definition}",${period},"value":12300000000000001}`;
    const { metric_id: metric } = (await system.post(`${path}/metrics`, before)).json as Readonly<{ metric_id: string }>;
    expect((await system.patch(`${path}/metrics/${metric}`, '{"value":12345678901234567890.123456789}')).status).toBe(200);
    const capacity = `{"metric_definition_id":"${definition}","value":9007199254740993,"registered_on":"2024-05-01"}`;
    expect((await system.post(`${path}/capacities`, capacity)).status).toBe(200);
    const [{ id: capacityId }] = (await system.get(`${path}/capacities`)).json as readonly [Readonly<{ id: string }>];
    const textOf = async (of: string) => (await scene.root.get(of, { key: OPERATOR })).text;

    const ofMetric = await textOf(`/audit/resources/accounting/metric/${metric}`);
    expect(ofMetric.match(/"value":12300000000000001\.0[,}]/g)).toHaveLength(2); // in the change and in the value
    expect(ofMetric).toContain('"change":[{"op":"replace","path":"/value","value":12345678901234567890.123456789}]');
    expect(await textOf(`/audit/resources/accounting/capacity/${capacityId}`)).toContain('"value":9007199254740993,');
    const [, revised] = JSON.parse(ofMetric).versions as readonly Readonly<{ index: number }>[];
    const difference = await textOf(`/audit/changes/${revised?.index}/difference`);
    expect(difference).toMatch(/"before":\{.*"value":12300000000000001\.0.*"after":\{.*"value":12345678901234567890\.123456789/);

    await registerTenant(scene.status, ADMIN, 'exact', ['admin']);
    const schema = '{"group":{"type":"NGI","group":{"type":"SITES"}},"id":9007199254740993,"far":1e400,"near":1e-400}';
    const body = `{"info":{"name":"exact"},"topology_schema":${schema}}`;
    const report = idOf(await scene.status.post('/reports', { key: 'exact-admin', body }));
    expect(await textOf(`/audit/resources/status/report/${report}`)).toContain('"id":9007199254740993,"far":1e400,"near":1e-400');
  });

  it('follow `updated` of a tenant: what one call does to it and its users is one version', async () => {
    const { created, one, put, post, remove } = administration(scene);
    const id = await created('updated', user('first', 'updated-first'));
    const added = idOf(await post(id, '/users', { name: 'second', email: 'a@b', roles: ['viewer'] }));
    expect((await put(id, { name: 'third' }, `/users/${added}`)).status).toBe(200);
    expect((await post(id, `/users/${added}/renew_api_key`)).status).toBe(200);
    expect((await remove(id, `/users/${added}`)).status).toBe(200);
    const { resource, versions } = await ask(`status/tenant/${id}`);
    const types = ['TenantRegistered', 'TenantUserAdded', 'TenantUserRevised', 'TenantUserKeyRenewed', 'TenantUserRemoved'];
    expect(versions.map(({ type }) => type)).toEqual(types);
    expect(resource).toMatchObject({ deleted: false });
    expect(versions.at(-1)?.value).toMatchObject({ info: { updated: (await one(id)).info.updated }, users: [{ roles: ['admin'] }] });
    expect(await ask(`status/user/${added}`)).toMatchObject({
      resource: { deleted: true },
      versions: [{ type: 'TenantUserAdded' }, {}, {}, { type: 'TenantUserRemoved', value: null }],
    });
    expect((await put(id, { info: { name: 'updated' }, users: [user('fourth', 'updated-fourth')] })).status).toBe(200);
    expect((await remove(id)).status).toBe(200);
    expect((await ask(`status/tenant/${id}?after=5`)).versions).toMatchObject([
      { version: 6, type: 'TenantRevised', value: { users: [{ roles: ['admin'] }] } },
      { version: 7, type: 'TenantDeleted', value: null },
    ]);
  });

  it('are what a read as of their position shows, whatever else their call recorded', async () => {
    const { created, put, usersOf } = administration(scene);
    const { key } = await issueKey(scene.root, 'ops', 'auditor');
    const tenant = await created('appended', user('one', 'appended-one'), user('two', 'appended-two'));
    const [{ id: first = '' } = {}] = await usersOf(tenant);
    const changed = {
      info: { name: 'appended' },
      users: [user('uno', 'appended-one'), user('two', 'appended-two'), user('three', 'appended-three')],
    };
    expect((await put(tenant, changed)).status).toBe(200);
    const { uuid: registration } = await accountCalls(scene).registration('appended');
    const accepted = await bodyOf<User>(accountCalls(scene).post(`/registrations/${registration}:accept`));
    for (const [record, path] of [
      [`status/tenant/${tenant}`, `/api/v2/admin/tenants/${tenant}`],
      [`status/user/${first}`, `/api/v2/admin/users:byID/${first}`],
      [`messaging/registration/${registration}`, `/v1/registrations/${registration}`],
      [`messaging/user/${accepted.uuid}`, `/v1/users:byUUID/${accepted.uuid}`],
      ['messaging/project/appended', '/v1/projects/appended'],
    ] as const) {
      const { versions } = (await scene.root.get(`/audit/resources/${record}?personal=true`, { key })).json as Found;
      for (const { version, position, value } of versions) {
        const { status, json } = await scene.root.get(path, { key: '', headers: { 'x-api-key': key, 'logbook-as-of': position } });
        const shown = record.startsWith('status') ? (json as Readonly<{ data?: readonly unknown[] }>).data?.[0] : json;
        expect([record, version, status, shown]).toEqual([record, version, 200, value]);
      }
    }
  });

  it('have the report that is that of the node no more', async () => {
    await registerTenant(scene.status, ADMIN, 'noded', ['admin']);
    const key = 'noded-admin';
    const [former, latter] = await Promise.all(
      ['former', 'latter'].map(async (name) => idOf(await scene.status.post('/reports', { key, body: { info: { name } } }))),
    );
    for (const id of [former, latter]) expect((await scene.status.post(`/reports/${id}/set-node-report`, { key })).status).toBe(200);
    const marks = async (id?: string) =>
      (await ask(`status/report/${id}`)).versions.map(({ value }) => (value as Readonly<{ node_report?: true }>).node_report);
    expect(await marks(former)).toEqual([undefined, true, undefined]);
    expect(await marks(latter)).toEqual([undefined, true]);
  });

  it('have a day for each version of dated records, in pages of either order', async () => {
    await registerTenant(scene.status, ADMIN, 'versions', ['admin']);
    const key = 'versions-admin';
    const made = await scene.status.post('/weights?date=2024-01-15', { key, body: weights('one') });
    const { id } = (made.json as Readonly<{ data: { id: string } }>).data;
    await scene.status.put(`/weights/${id}?date=2024-03-01`, { key, body: weights('two') });
    await scene.status.put(`/weights/${id}?date=2024-01-15`, { key, body: weights('three') });
    const { versions, next } = await ask(`status/weights/${id}`);
    expect(next).toBeNull();
    expect(
      versions.map(({ value }) => Object.entries(value as Record<string, { name: string }>).map(([day, { name }]) => [day, name])),
    ).toEqual([
      [['2024-01-15', 'one']],
      [
        ['2024-01-15', 'one'],
        ['2024-03-01', 'two'],
      ],
      [
        ['2024-01-15', 'three'],
        ['2024-03-01', 'two'],
      ],
    ]);
    expect(versions[2]?.change).toEqual([{ op: 'replace', path: '/2024-01-15/name', value: 'three' }]);
    const newest = await ask(`status/weights/${id}?order=desc&limit=2`);
    expect(newest).toEqual({ ...newest, versions: [versions[2], versions[1]], next: 2 });
    expect(await ask(`status/weights/${id}?order=desc&after=2`)).toMatchObject({ versions: [versions[0]], next: null });
    expect(await ask(`status/weights/${id}?after=1&limit=1`)).toMatchObject({ versions: [versions[1]], next: 2 });
  });

  it('have the values of lists without an envelope', async () => {
    const admin = accountingClient(scene.server.url, SYSTEM_ADMIN);
    const make = records(() => admin);
    const { project, provider } = await make.pair();
    const { id } = await make.installation(project, provider);
    const { metric_definition_id } = await make.definition();
    const registered = await admin.post(`/installations/${id}/capacities`, { metric_definition_id, value: 5 });
    expect(registered.status).toBe(200);
    const [capacity] = (await admin.get(`/installations/${id}/capacities`)).json as readonly Readonly<{ id: string }>[];
    expect((await ask(`accounting/capacity/${capacity?.id}`)).versions).toMatchObject([{ type: 'CapacityRegistered', value: capacity }]);
  });

  it('hide secrets: a new one is a version without a change', async () => {
    const { id } = await issueKey(scene.root, 'status', 'super_admin_ui');
    expect(await ask(`ops/key/${id}`)).toMatchObject({
      versions: [{ type: 'AccessKeyIssued', value: { id, service: 'status', role: 'super_admin_ui' } }],
    });
    const users = (await scene.status.get('/admin/tenants', { key: ADMIN })).json as Readonly<{
      data: readonly { users: readonly { id: string }[] }[];
    }>;
    const tenant = users.data.at(-1);
    const userId = tenant?.users[0]?.id ?? '';
    const { versions } = await ask(`status/user/${userId}`);
    expect(versions[0]?.value).toMatchObject({ id: userId, name: '[personal]', api_key: '[secret]' });
  });

  it('refuse what the contract refuses', async () => {
    expect(await statusOf('messaging/topic/news')).toBe(400);
    expect(await statusOf('messaging/topic/none?scope=none')).toBe(404);
    expect(await statusOf('messaging/user/none')).toBe(404);
    expect(await statusOf('messaging/tenant/none')).toBe(404);
    expect(await statusOf('status/weights/none?limit=101')).toBe(400);
    const { key } = await issueKey(scene.root, 'ops', 'operator');
    expect(await statusOf('messaging/user/none?personal=true', key)).toBe(403);
    expect(await statusOf('messaging/user/none', key)).toBe(404);
  });
});
