import { beforeAll, describe, expect, it } from '@jest/globals';
import { issueKey, serving } from '#test/e2e/serving.js';
import { forbidden, notFound, pretty, unauthorized } from '#test/e2e/status/contract.js';
import { estat, newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { computedReport, INFO, RULE } from '#test/e2e/status/results/computed-report.js';
import { administration } from '#test/e2e/status/tenant-calls.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { type Answer, type Call, recordsOf } from '#test/support/status-client.js';

/** Status contract of 2026, table by table. */
describe('what the originals got in 2026', () => {
  const scene = serving(embedded);
  const admin = administration(scene);
  let tenant: TestTenant;
  let key = '';
  const roles: Record<string, string> = {};
  const asked = (path: string, options: Call = {}) => scene.root.get(path, { key, ...options });
  const dataOf = (answer: Answer) => (answer.json as { data: unknown }).data;
  const gives = (answer: Answer, status: number, body: unknown) => expect([answer.status, answer.text]).toEqual([status, pretty(body)]);
  const emsgn = (code: number, message: string) => ({ message, code });
  const invalid = (message: string, details: string) => ({
    status: { message: 'Bad Request', code: '400' },
    errors: [{ message, code: '400', details }],
  });

  beforeAll(async () => {
    for (const role of ['super_admin_restricted', 'super_admin_ui', 'super_admin_viewer', 'component_engine', 'component_poem'])
      roles[role] = (await issueKey(scene.root, 'status', role)).key;
    tenant = await newTenant(scene.status);
    key = `${tenant.name}-admin`;
    await computedReport(tenant);
  });

  describe('x-tenant-id', () => {
    const as = (by: string | undefined, id = tenant.id) => ({ key: by, headers: { 'x-tenant-id': id } });

    it('lets administrators act in a tenant, with the role that theirs stands for', async () => {
      expect((await scene.status.get('/reports', as(ADMIN))).status).toBe(200);
      expect((await scene.status.get('/downtimes', as(roles.super_admin_restricted))).status).toBe(200);
      expect((await scene.status.get('/downtimes', as(roles.super_admin_ui))).status).toBe(403);
      expect((await scene.status.get('/reports', as(roles.super_admin_ui))).status).toBe(200);
      const body = { info: { name: 'by administrator' } };
      for (const [by, status] of [
        [ADMIN, 201],
        [roles.super_admin_restricted, 403],
      ] as const)
        expect((await scene.status.post('/reports', { ...as(by), body })).status).toBe(status);
      expect((await tenant.get('/reports?name=by%20administrator')).text).toContain('by administrator');
    });

    it('refuses everybody else, other keys and tenants that there are not', async () => {
      for (const call of [
        as(key),
        as(undefined),
        as(roles.component_engine),
        as(ADMIN, 'nobody'),
        as(ADMIN, tenant.name),
        as(ADMIN, '/../x'),
      ])
        gives(await scene.status.get('/reports', call), 401, unauthorized);
      expect((await scene.status.get('/reports', as(key, ''))).status).toBe(200);
      expect((await scene.status.get('/admin/tenants', as(ADMIN, 'nobody'))).status).toBe(200);
    });

    it('keeps idempotency keys of tenants apart', async () => {
      const other = await newTenant(scene.status);
      for (const id of [tenant.id, other.id]) {
        const headers = { 'x-tenant-id': id, 'idempotency-key': 'same' };
        expect((await scene.status.post('/reports', { key: ADMIN, body: { info: { name: 'once each' } }, headers })).status).toBe(201);
      }
      expect((await other.get('/reports')).text).toContain('once each');
    });
  });

  describe('parts of a tenant', () => {
    it('are replaced by themselves', async () => {
      const id = await admin.created('parts', { name: 'u', api_key: 'parts-key', component: 'component_engine' });
      const { created } = (await admin.one(id)).info;
      const said = { name: 'parts 2', email: 'e@x' };
      gives(await admin.put(id, { info: said }, '/info'), 200, estat(200, 'Tenant info successfully updated'));
      const db_conf = [{ store: 'ar', server: 's', port: 1, database: 'd', username: 'u', password: 'p' }];
      gives(await admin.put(id, { db_conf }, '/db-conf'), 200, estat(200, 'Tenant database configuration successfully updated'));
      const topology = { type: 'GOCDB', feed: 'f' };
      gives(await admin.put(id, { topology }, '/topology'), 200, estat(200, 'Tenant topology configuration successfully updated'));
      gives(await admin.post(id, '/node-set'), 200, estat(200, 'Tenant has been set as node'));
      expect(await admin.one(id)).toEqual({
        id,
        info: { ...said, description: '', image: '', website: '', created, updated: expect.any(String) },
        db_conf,
        topology,
        users: [{ id: expect.any(String), name: 'u', email: '', api_key: 'parts-key', component: 'component_engine' }],
        node: true,
      });
      gives(await admin.post(id, '/node-unset'), 200, estat(200, 'Tenant has been unset from being a node'));
      expect(await admin.one(id)).not.toHaveProperty('node');
      expect((await admin.put(id, { info: { name: tenant.name } }, '/info')).text).toContain('Tenant with same name already exists');
      for (const rest of ['/info', '/db-conf', '/topology', '/ready']) {
        expect((await admin.put(id, '{', rest)).status).toBe(400);
        gives(await admin.put('none', {}, rest), 404, notFound);
      }
      for (const rest of ['/node-set', '/node-unset']) gives(await admin.post('none', rest), 404, notFound);
    });

    it('say whether they are ready', async () => {
      const id = await admin.created('ready');
      const not = { ready: false };
      const view = (more: object) => ({ status: { message: 'Success', code: '200' }, data: { id, name: 'ready', ...more } });
      gives(await admin.get(id, '/ready'), 200, view({ ready: false, data: not, topology: not, reports: not, last_check: '' }));
      const all = { data: { ready: true, message: 'm' }, topology: { ready: true }, reports: { ready: true }, last_check: 'now' };
      gives(await admin.put(id, all, '/ready'), 200, estat(200, 'Tenant successfully updated'));
      gives(await admin.get(id, '/ready'), 200, view({ ready: true, ...all }));
      gives(await admin.get('none', '/ready'), 404, notFound);
    });

    it('are ready by themselves once there are a topology and a report, unless something else was said', async () => {
      const id = await admin.created('self-ready', { name: 'u', api_key: 'self-ready-key', roles: ['admin'] });
      const by = { key: 'self-ready-key' };
      const shown = async () => {
        const { ready, data, topology, reports, last_check } = dataOf(await admin.get(id, '/ready')) as Record<string, unknown>;
        return [ready, data, topology, reports, last_check];
      };
      const [yes, no] = [{ ready: true }, { ready: false }];
      const group = { group: 'NGI', type: 'NGI', subgroup: 'SITE' };
      expect((await scene.status.post('/topology/groups?date=2015-05-01', { ...by, body: [group] })).status).toBe(201);
      expect(await shown()).toEqual([false, no, yes, no, '']);
      const body = { info: { name: 'First' }, topology_schema: { group: { type: 'NGI', group: { type: 'SITES' } } } };
      const report = (await scene.status.post('/reports', { ...by, body })).json as { data: { id: string } };
      expect(await shown()).toEqual([true, yes, yes, yes, '']);
      expect((await scene.status.delete(`/reports/${report.data.id}`, by)).status).toBe(200);
      expect(await shown()).toEqual([false, no, yes, no, '']);
      const said = { data: yes, topology: { ready: false, message: 'none' }, reports: yes, last_check: 'now' };
      await admin.put(id, said, '/ready');
      expect(await shown()).toEqual([false, yes, said.topology, yes, 'now']);
    });

    it('have one entry of Logbook itself where they have no databases', async () => {
      const id = await admin.created('without databases');
      const itself = { store: 'logbook', server: '', port: 0, database: '', username: '', password: '' };
      expect(await admin.one(id)).toMatchObject({ db_conf: [itself] });
      const own = { ...itself, store: 'ar', server: 's' };
      await admin.put(id, { db_conf: [own] }, '/db-conf');
      expect(await admin.one(id)).toMatchObject({ db_conf: [own] });
      await admin.put(id, { db_conf: [] }, '/db-conf');
      expect(await admin.one(id)).toMatchObject({ db_conf: [itself] });
    });
  });

  it('renews keys of components', async () => {
    const user = { name: 'e', api_key: 'engine-key', component: 'component_engine', roles: ['admin'] };
    await admin.created('integrated', user);
    const refresh = (component: string, name: string, by = roles.component_engine) =>
      scene.root.post(`/api/v3/integrations/components/${component}/by-tenant-name/${name}/refresh`, { key: by });
    const answer = await refresh('engine', 'integrated');
    const { api_key } = dataOf(answer) as { api_key: string };
    expect(api_key).toMatch(/^[0-9a-f]{64}$/);
    gives(answer, 200, { ...estat(200, 'component api key succesfully renewed'), data: { api_key } });
    expect([await admin.statusFor('engine-key'), await admin.statusFor(api_key)]).toEqual([401, 200]);
    for (const component of ['nothing', 'monbox', 'probe', 'poem-admin']) gives(await refresh(component, 'integrated'), 403, forbidden);
    gives(await refresh('engine', 'nobody'), 404, estat(404, 'tenant nobody not found'));
    gives(
      await refresh('poem-viewer', 'integrated', roles.component_poem),
      404,
      estat(404, 'Component poem-viewer not configured for tenant integrated'),
    );
    for (const by of [ADMIN, key, 'wrong']) gives(await refresh('engine', 'integrated', by), 401, unauthorized);
  });

  it('marks and filters reports', async () => {
    const own = await newTenant(scene.status);
    const create = async (name: string, more = {}) => recordIdOf(await own.post('/reports', { info: { name }, ...more }));
    const [a, b, c] = [await create('a'), await create('b'), await create('c', { public: true })];
    const mark = (id: string, rest: string) => own.post(`/reports/${id}/${rest}`, undefined);
    const names = async (query: string) =>
      recordsOf(await own.get(`/reports?${query}`))
        .map(({ info }) => (info as { name: string }).name)
        .sort();
    expect(await names('node')).toEqual([]);
    gives(await mark(a, 'set-public'), 200, estat(200, 'Report is set as public'));
    gives(await mark(c, 'set-private'), 200, estat(200, 'Report is set as private'));
    for (const id of [a, b]) gives(await mark(id, 'set-node-report'), 200, estat(200, 'Report was set as the default node report'));
    for (const rest of ['set-public', 'set-private', 'set-node-report']) gives(await mark('none', rest), 404, notFound);
    expect([await names('node'), await names('public=false'), await names('private&public'), await names('name=b')]).toEqual([
      ['b'],
      ['a'],
      ['b', 'c'],
      ['b'],
    ]);
    await own.put(`/reports/${a}`, { info: { name: 'a' } });
    expect(recordsOf(await own.get(`/reports/${a}`))[0]).toMatchObject({ public: true });
    expect(recordsOf(await own.get(`/reports/${b}`))[0]).toMatchObject({ node_report: true });
  });
  const recordIdOf = (answer: Answer): string => (dataOf(answer) as { id: string }).id;

  it.each([
    ['groups', { group: 'G', type: 'T', subgroup: 'S' }],
    ['endpoints', { group: 'G', type: 'T', service: 's', hostname: 'h' }],
    ['service-types', { name: 'n' }],
  ])('replaces topology %s by force', async (list, item) => {
    const own = await newTenant(scene.status);
    const count = async () => recordsOf(await own.get(`/topology/${list}?date=2024-01-01`)).length;
    const put = async (items: readonly object[], force: string) =>
      (await own.post(`/topology/${list}?date=2024-01-01${force}`, items)).status;
    expect(await put([item], '&force=true')).toBe(201);
    for (const force of ['', '&force=false']) expect(await put([item, item], force)).toBe(409);
    expect([await put([item, item], '&force=1'), await count()]).toEqual([201, 2]);
    expect([await put([item, item, item], '&force=true'), await count()]).toEqual([201, 3]);
    expect([await put([], '&force=true'), await count()]).toEqual([201, 0]);
    expect([await put([item], '&force=true'), await count()]).toEqual([201, 1]);
    expect((await own.delete(`/topology/${list}?date=2024-01-01`)).status).toBe(200);
    expect(await put([item], '')).toBe(201);
  });

  describe('version 4', () => {
    it('shows endpoint groups', async () => {
      const results = await asked('/api/v4/results/groups/SITE-A?report=Critical&date=2015-05-01');
      expect([results.status, dataOf(results)]).toEqual([
        200,
        [{ name: 'SITE-A', results: [{ date: '2015-05-01', availability: expect.any(String), uptime: expect.any(String) }] }],
      ]);
      const times = 'start_time=2015-05-01T00:00:00Z&end_time=2015-05-01T00:00:00Z';
      const statuses = dataOf(await asked(`/api/v4/status/groups/SITE-A?report=Critical&${times}`)) as { results: object[] }[];
      expect(statuses[0]?.results.at(0)).toEqual({ timestamp: '2015-05-01T00:00:00Z', value: 'OK' });
      expect(statuses[0]?.results.at(-1)).toEqual({ timestamp: '2015-05-01T23:59:59Z', value: 'CRITICAL' });
      gives(await asked('/api/v4/results/groups/none?report=Critical'), 200, { data: [] });
      gives(await asked('/api/v4/results/groups?report=no'), 404, emsgn(404, 'The report: no does not exist'));
      const several = 'Multiple reports found please specify one by using report url param';
      gives(await asked('/api/v4/status/groups'), 400, emsgn(400, several));
      const empty = await newTenant(scene.status);
      gives(await asked('/api/v4/status/groups', { key: `${empty.name}-admin` }), 404, emsgn(404, 'No reports found'));
    });

    const FORM = 'please use YYYY-MM-DD format like 2006-01-02';
    const ZULU = 'please use zulu format like 2006-01-02T15:04:05Z';
    it.each([
      ['granularity=x', 'Wrong Granularity', 'x is not accepted as granularity parameter, please provide either daily, monthly or custom'],
      ['date=x', 'date parsing error', `Error parsing date string x ${FORM}`],
      ['start_date=x&end_date=2015-01-01', 'date parsing error', `Error parsing start_date string x ${FORM}`],
      ['start_date=2015-01-01', 'date parsing error', 'You should speficy both start_date and end_date'],
      ['start_date=2015-01-02&end_date=2015-01-01', 'date parsing error', 'start_date should be a date before end_date'],
      ['start_time=x&end_time=2015-01-01T00:00:00Z', 'start_time parsing error', `Error parsing date string x ${ZULU}`],
      [
        'start_time=2015-01-02T00:00:00Z&end_time=2015-01-01T00:00:00Z',
        'time parsing error',
        'start_time should be a timestamp before end_time',
      ],
    ])('refuses %s', async (query, message, details) =>
      gives(await asked(`/api/v4/results/groups?report=Critical&${query}`), 400, invalid(message, details)),
    );

    it('shows nodes', async () => {
      const path = `/api/v4/nodes/${tenant.name}`;
      const day = 'date=2015-05-01';
      gives(await asked(`${path}/capabilities/summary`), 401, unauthorized);
      await admin.post(tenant.id, '/node-set');
      gives(await asked(`${path}/capabilities/summary`), 404, emsgn(404, 'Node report not set'));
      const report = recordsOf(await tenant.get('/reports?name=Critical'))[0];
      await tenant.post(`/reports/${report?.id}/set-node-report`, undefined);
      const row = async (rest: string, by = key) =>
        (dataOf(await asked(`${path}/${rest}`, { key: by })) as { results: object[] }[])[0]?.results[0];
      expect(await row(`capabilities/summary/SITE-A?${day}`)).toEqual({
        date: '2015-05-01',
        availability: expect.any(String),
        uptime: expect.any(String),
      });
      expect(Object.keys((await row(`capabilities/availability?${day}`)) ?? {})).toEqual(['date', 'availability']);
      expect(Object.keys((await row(`capabilities/uptime?${day}`, ADMIN)) ?? {})).toEqual(['date', 'uptime']);
      for (const monitoring of ['capabilities/monitoring/metrics', 'monitoring/metrics'])
        for (const item of ['', '/SITE-A'])
          expect(await row(`${monitoring}${item}?start-date=2015-05-01&end-date=2015-05-01`)).toMatchObject({
            availability: expect.any(Number),
            reliability: expect.any(Number),
          });
      expect((await asked(`${path}/capabilities/status`)).status).toBe(200);
      const other = await newTenant(scene.status);
      for (const by of [`${other.name}-admin`, 'wrong']) gives(await asked(`${path}/capabilities/summary`, { key: by }), 401, unauthorized);
      expect((await asked(`${path}/capabilities/summary`, { key: roles.super_admin_restricted })).status).toBe(403);
    });
  });

  describe('version 5', () => {
    const DAY = 'start-time=2015-05-01T00:00:00Z';
    const results = (path: string, query = DAY) => asked(`/api/v5/results/Critical/${path}?${query}`);
    const R = {
      timestamp: '2015-05-01',
      availability: expect.any(Number),
      reliability: expect.any(Number),
      unknown: expect.any(Number),
      uptime: expect.any(Number),
      downtime: expect.any(Number),
    };

    it('shows results on every level', async () => {
      const of = async (path: string) => ((await results(path)).json as { results: object[] }).results[0];
      expect(await of('supergroups')).toMatchObject({ results: [{ timestamp: '2015-05-01' }] });
      expect(await of('groups/SITE-A')).toMatchObject({ type: 'NGI', groups: [{ name: 'SITE-A', type: 'SITES', results: [R] }] });
      expect(await of('groups/SITE-A/service-types/CE')).toEqual({
        name: 'SITE-A',
        type: 'SITES',
        'service-types': [{ name: 'CE', type: 'service', results: [R] }],
      });
      for (const path of ['endpoints', 'endpoints/h1', 'groups/SITE-A/endpoints', 'groups/SITE-A/service-types/CE/endpoints/h1'])
        expect(await of(path)).toHaveProperty('service-types.0.endpoints.0', expect.objectContaining({ type: 'endpoint', results: [R] }));
      gives(await results('groups/none'), 404, emsgn(404, 'No results found for given query'));
      gives(await asked(`/api/v5/results/no/groups?${DAY}`), 404, emsgn(404, 'The report with the name no does not exist'));
      const noTimes = 'Please use start-time and/or end-time url parameters to set the prefered time span';
      gives(await results('groups', ''), 400, invalid('No time span set', noTimes));
      expect((await results('groups', 'end-time=x')).text).toContain('end-time parsing error');
      expect((await results('groups', `${DAY}&granularity=x`)).text).toContain('x is not acceptesd as granularity parameter, ');
    });

    it('shows statuses on every level', async () => {
      const status = (path: string, query = DAY) => asked(`/api/v5/status/Critical/${path}?${query}`);
      const of = async (path: string) => ((await status(path)).json as { groups: object[] }).groups[0];
      expect(await of('groups/SITE-A')).toMatchObject({ name: 'SITE-A', type: 'SITES', statuses: expect.any(Array) });
      expect(await of('groups/SITE-A/service-types')).toMatchObject({ 'service-types': [{ name: 'CE', type: 'service' }, { name: 'SE' }] });
      expect(await of('endpoints')).toHaveProperty(
        'service-types.0.endpoints.0.statuses.0',
        expect.objectContaining({ value: expect.any(String) }),
      );
      const metrics = (await of('groups/SITE-A/endpoints/h1/metrics')) as Record<
        string,
        { endpoints: { metrics: { name: string; statuses: { timestamp: string }[] }[] }[] }[]
      >;
      const metric = metrics['service-types']?.[0]?.endpoints[0]?.metrics[0];
      const at = metric?.statuses.at(-1)?.timestamp;
      const detail = await status(`groups/SITE-A/endpoints/h1/metrics/${metric?.name}/details`, `timestamp=${at}`);
      expect([detail.status, detail.json]).toMatchObject([200, { timestamp: at, group: 'SITE-A', hostname: 'h1', metric: metric?.name }]);
      for (const path of [
        'SITE-A/endpoints/h1/metrics/x',
        'SITE-B/endpoints/h1/metrics/ping',
        'SITE-A/service-types/SE/endpoints/h1/metrics/ping',
      ])
        gives(await status(`groups/${path}/details`, `timestamp=${at}`), 404, emsgn(404, 'Metric not found!'));
      gives(await status('groups', 'start-time=1999-01-01T00:00:00Z'), 200, { groups: null });
      gives(await asked('/api/v5/status/no/groups'), 404, emsgn(404, 'The report with the name no does not exist'));
    });

    it('shows the details of a metric as its timeline has them: by thresholds, and the last of several results that count in the group', async () => {
      const at = (time: string) => `2015-05-01T${time}:00:00Z`;
      const details = (service: string, metric: string, time: string) =>
        asked(
          `/api/v5/status/Critical/groups/SITE-A/service-types/${service}/endpoints/h1/metrics/${metric}/details?timestamp=${at(time)}`,
        );
      const head = (service_type: string, metric: string, time: string, status: string) => {
        const [summary, message, info] = ['', '', INFO];
        return {
          timestamp: at(time),
          group: 'SITE-A',
          hostname: 'h1',
          service_type,
          metric,
          status,
          summary,
          message,
          ...(service_type === 'CE' && { info }),
        };
      };
      const applied = { actual_data: 'load=95%;', threshold_rule_applied: RULE, original_status: 'OK' };
      gives(await details('SE', 'load', '08'), 200, { ...head('SE', 'load', '08', 'CRITICAL'), ...applied });
      const again = { timestamp: at('06'), service: 'CE', host: 'h1', metric: 'ping', status: 'WARNING', summary: 'corrected' };
      await tenant.post('/metric_data', [again, { ...again, endpoint_group: 'SITE-B', status: 'OK', summary: 'of another group' }]);
      gives(await details('CE', 'ping', '06'), 200, { ...head('CE', 'ping', '06', 'WARNING'), summary: 'corrected' });
    });

    it('shows the details of a service that has a result at that second, though the metric of one before it is carried over to it', async () => {
      const [profile] = recordsOf(await tenant.get('/metric_profiles?date=2015-01-01'));
      const services = ['CE', 'SE'].map((service) => ({ service, metrics: ['load'] }));
      const replaced = await tenant.put(`/metric_profiles/${profile?.id}?date=2015-01-01`, { name: 'metrics', services });
      expect(replaced.status).toBe(200);
      const midnight = '2015-05-01T00:00:00Z';
      await tenant.post('/metric_data', [{ timestamp: midnight, service: 'SE', host: 'h1', metric: 'load', status: 'WARNING' }]);
      const path = '/api/v5/status/Critical/groups/SITE-A/endpoints/h1/metrics/load';
      const listed = await asked(`${path}?${DAY}`);
      expect(listed.json).toHaveProperty('groups.0.service-types.0.name', 'CE');
      expect(listed.json).toHaveProperty('groups.0.service-types.0.endpoints.0.metrics.0.statuses.0.timestamp', midnight);
      const { status, json } = await asked(`${path}/details?timestamp=${midnight}`);
      expect([status, json]).toMatchObject([200, { timestamp: midnight, service_type: 'SE', status: 'WARNING' }]);
    });
  });
});
