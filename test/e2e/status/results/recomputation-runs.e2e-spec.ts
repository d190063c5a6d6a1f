import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issueKey, serving, servingAlone } from '#test/e2e/serving.js';
import { newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { statusesOf } from '#test/e2e/status/recomputations/recomputations.js';
import { distributed, embedded, OPERATOR, oneMoreNode } from '#test/support/deployments.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { type Answer, httpClient, idOf, registerTenant, type StatusRecord, statusClient } from '#test/support/status-client.js';
import { pointsOf, smallReport } from './small-report.js';

const RUN = ['pending', 'approved', 'running', 'done'];
const DAY = '2015-01-10';
/** Results contract 14, vectors 1 and 9. */
const [PLAIN, EXCLUDED] = ['93.75', '97.82609'];

const request = (changes: object = {}) => ({
  requester_name: 'Ann',
  requester_email: 'ann@example.org',
  reason: 'power cut',
  start_time: `${DAY}T06:00:00Z`,
  end_time: `${DAY}T06:59:59Z`,
  report: 'Small',
  exclude: ['SITE-A'],
  ...changes,
});

/** Calls of a tenant on its recomputations, and the availability of the group on the day. */
const callsOf = (tenant: () => TestTenant) => {
  const path = (id: string) => `/recomputations/${id}`;
  const one = async (id: string) => ((await tenant().get(path(id))).json as { data: StatusRecord }).data;
  const move = async (id: string, status: string): Promise<void> => {
    expect((await tenant().post(`${path(id)}/status`, { status })).status).toBe(200);
  };
  return {
    one,
    move,
    requested: async (changes?: object): Promise<string> => idOf(await tenant().post('/recomputations', request(changes))),
    reset: (id: string) => tenant().delete(`${path(id)}/status`),
    remove: (id: string) => tenant().delete(path(id)),
    replace: (id: string, changes: object) => tenant().put(path(id), request(changes)),
    until: (id: string, status: string) => eventually(() => one(id)).until((found) => found.status === status),
    availability: async (): Promise<string | undefined> => {
      const span = `start_time=${DAY}T00:00:00Z&end_time=${DAY}T00:00:00Z`;
      const { text } = await tenant().get(`/results/Small/SITES/SITE-A?${span}`);
      return /"availability": "([^"]*)"/.exec(text)?.[1];
    },
  };
};

const givenSmall = async (tenant: TestTenant): Promise<void> => {
  await smallReport(tenant, 'Small');
  const points = [...pointsOf('2015-01-09', ['23:00:00', 'OK']), ...pointsOf(DAY, ['06:00:00', 'CRITICAL'], ['07:30:00', 'OK'])];
  const withData = points.map((point) => ({ ...point, actual_data: 'time=5s' }));
  expect((await tenant.post('/metric_data', withData)).status).toBe(201);
};

describe('recomputations of a report that exists', () => {
  const scene = serving(embedded, { LOGBOOK_HISTORY: 'on' });
  let tenant: TestTenant;
  const { requested, move, until, one, reset, remove, replace, availability } = callsOf(() => tenant);
  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    await givenSmall(tenant);
  });

  it('run once they are approved, by way of running to done, and take effect', async () => {
    expect(await availability()).toBe(PLAIN);
    const id = await requested();
    await move(id, 'approved');
    expect(statusesOf(await until(id, 'done'))).toEqual(RUN);
    expect(await availability()).toBe(EXCLUDED);
    await reset(id);
    expect(await availability()).toBe(PLAIN);
    await move(id, 'approved');
    expect(statusesOf(await until(id, 'done'))).toEqual([...RUN, 'pending', ...RUN.slice(1)]);
    await replace(id, { exclude: [] });
    expect(await availability()).toBe(PLAIN);
    await replace(id, {});
    expect([await availability(), (await one(id)).status]).toEqual([EXCLUDED, 'done']);
    await move(id, 'rejected');
    expect(await availability()).toBe(PLAIN);
    await move(id, 'done');
    expect(await availability()).toBe(EXCLUDED);
    await remove(id);
    expect(await availability()).toBe(PLAIN);
  });

  it('are completed when they are found running, and stay as they are otherwise, or where there is no such report', async () => {
    const ids = { running: await requested(), unknown: await requested({ report: 'Unknown' }), pending: await requested() };
    await move(ids.unknown, 'approved');
    await move(ids.running, 'running');
    expect(statusesOf(await until(ids.running, 'done'))).toEqual(['pending', 'running', 'done']);
    expect([statusesOf(await one(ids.unknown)), statusesOf(await one(ids.pending))]).toEqual([['pending', 'approved'], ['pending']]);
    for (const id of Object.values(ids)) await remove(id);
  });

  it('are listed under root as well as with status and data, the same elements', async () => {
    const id = await requested();
    const { json } = await tenant.get('/recomputations');
    const { status, data, root } = json as { status: object; data: readonly StatusRecord[]; root: readonly StatusRecord[] };
    expect([status, root, data.map((found) => found.id)]).toEqual([{ message: 'Success', code: '200' }, data, [id]]);
    await remove(id);
  });

  describe('explained', () => {
    const why = (path = '', headers = {}, key = OPERATOR): Promise<Answer> =>
      scene.root.get(`/audit/results/${tenant.id}/Small/SITE-A/${DAY}${path}`, { key, headers });
    type Place = Readonly<{ index: number }>;
    type Why = Readonly<{
      figures: Readonly<{ availability: string }>;
      timeline: readonly object[];
      functions: readonly object[];
      report: Readonly<{ event: Place }>;
      profiles: readonly Readonly<{ type: string; event: Place }>[];
      topology: Readonly<Record<'groups' | 'endpoints', Readonly<{ event: Place }>>>;
      recomputations: readonly Readonly<{ id: string; excludesGroup: boolean; events: readonly Place[] }>[];
      endpoints: readonly Readonly<{ metrics: readonly Readonly<{ points: readonly Readonly<{ status: string; event: Place }>[] }>[] }>[];
      next: string | null;
    }>;
    const typeOf = async ({ index }: Place) =>
      ((await scene.root.get(`/audit/events/${index}`, { key: OPERATOR })).json as { type: string }).type;

    it('follow a figure to the events of the log', async () => {
      const id = await requested();
      await move(id, 'done');
      const found = (await why()).json as Why;
      expect(found.figures.availability).toBe(EXCLUDED);
      expect(found.functions).toEqual([{ name: 'web', services: ['web'], timeline: found.timeline }]);
      const types = (places: readonly Place[]) => Promise.all(places.map(typeOf));
      expect(await types(found.profiles.map(({ event }) => event))).toEqual([
        'MetricProfileSnapshotDated',
        'OperationsProfileSnapshotDated',
        'AggregationProfileSnapshotDated',
      ]);
      expect(await types([found.report.event, found.topology.groups.event, found.topology.endpoints.event])).toEqual([
        'ReportCreated',
        'TopologyGroupsListed',
        'TopologyEndpointsListed',
      ]);
      const [recomputation] = found.recomputations;
      expect([found.recomputations.length, recomputation?.id, recomputation?.excludesGroup]).toEqual([1, id, true]);
      expect(await types(recomputation?.events ?? [])).toEqual(['RecomputationRequested', 'RecomputationStatusChanged']);
      const points = found.endpoints.flatMap(({ metrics }) => metrics.flatMap((metric) => metric.points));
      expect(points.map(({ status }) => status)).toEqual(['OK', 'CRITICAL', 'OK']);
      expect(new Set(await types(points.map(({ event }) => event)))).toEqual(new Set(['MetricResultsRecorded']));
      await remove(id);
    });

    it('show operators and auditors the same, with the data of the probes', async () => {
      const shownTo = async (role: string): Promise<string> => (await why('', {}, (await issueKey(scene.root, 'ops', role)).key)).text;
      const shown = await shownTo('operator');
      expect(shown).toContain('"actualData":"time=5s"');
      expect(await shownTo('auditor')).toBe(shown);
    });

    it('come in pages', async () => {
      const pages: (readonly string[])[] = [];
      for (let next: string | null = '0.0'; next !== null; ) {
        const page = (await why(`?limit=1&after=${next}`)).json as Why;
        pages.push(page.endpoints.flatMap(({ metrics }) => metrics.flatMap(({ points }) => points.map(({ status }) => status))));
        next = page.next;
      }
      expect(pages).toEqual([['OK'], ['CRITICAL'], ['OK']]);
    });

    it('are refused as all calls of auditors are', async () => {
      const path = `/audit/results/${tenant.id}/Small/SITE-A`;
      const statusOf = async (url: string, key: string | undefined = OPERATOR, headers = {}) =>
        (await scene.root.get(url, { key, headers })).status;
      const { key: operator } = await issueKey(scene.root, 'ops', 'operator');
      const asOf = { 'logbook-as-of': '2024-01-01T00:00:00Z' };
      const answers = [
        await statusOf(`${path}/${DAY}`, 'wrong'),
        await statusOf(`${path}/${DAY}`, operator, asOf),
        await statusOf(`${path}/2015-02-30`),
        await statusOf(`${path}/${DAY}?limit=0`),
        await statusOf(`${path}/${DAY}?after=1`),
        await statusOf(`${path}/${DAY}?personal=true`),
        await statusOf(`${path}/${DAY}`, OPERATOR, { 'logbook-as-of': 'yesterday' }),
        await statusOf(`${path}/2015-01-01`),
        await statusOf(`${path}/9999-12-31`),
        await statusOf(`${path}x/${DAY}`),
        await statusOf(`/audit/results/${'x'.repeat(2_000)}/Small/SITE-A/${DAY}`),
      ];
      expect(answers).toEqual([401, 403, 400, 400, 400, 400, 400, 404, 404, 404, 404]);
      expect(await statusOf(`${path}/${DAY}`, OPERATOR, asOf)).toBe(404); // before the first event
    });

    it('follow figures of all groups, which operators and auditors see without a trace in the log', async () => {
      type Item = Readonly<{ date: string; availability: string; reliability: string }>;
      type Results = Readonly<{
        results: readonly Readonly<{ groups: readonly Readonly<{ name: string; results: readonly Item[] }>[] }>[];
      }>;
      const [from, to] = [`${DAY.slice(0, 8)}01`, DAY];
      const path = `/audit/results/${tenant.id}/Small?from=${from}&to=${to}`;
      const figuresBy = async (granularity: string) => {
        const times = `start_time=${from}T00:00:00Z&end_time=${to}T23:59:59Z`;
        const { json } = await scene.root.get(`/api/v3/results/Small?${times}&granularity=${granularity}`, { key: `${tenant.name}-admin` });
        return new Map((json as Results).results.flatMap(({ groups }) => groups).map(({ name, results }) => [name, results]));
      };
      const [daily, monthly] = [await figuresBy('daily'), await figuresBy('monthly')];
      const shown = (items: readonly Item[] | undefined, member: 'day' | 'month') =>
        items?.map(({ date, availability, reliability }) => ({ [member]: date, availability, reliability }));
      const expected = {
        asOf: null,
        report: 'Small',
        type: 'SITES',
        groups: [...daily].map(([name, days]) => ({ name, days: shown(days, 'day'), months: shown(monthly.get(name), 'month') })),
        late: expect.arrayContaining([{ day: DAY, at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/) }]),
      };
      for (const role of ['operator', 'auditor']) {
        const { id, key } = await issueKey(scene.root, 'ops', role);
        expect(await scene.root.get(path, { key })).toMatchObject({ status: 200, json: expected });
        expect((await scene.root.get(`/audit/results/${tenant.id}`, { key })).json).toMatchObject({ id: tenant.id, reports: ['Small'] });
        const { items } = (await scene.root.get('/audit/results', { key })).json as { items: readonly object[] };
        expect(items).toContainEqual({ id: tenant.id, name: expect.any(String) });
        expect((await scene.root.get(`/audit/events?actor=${id}`, { key: OPERATOR })).json).toMatchObject({ items: [] });
      }
    });

    it('follow figures that are refused without a span of days, and to operators as of the past and in the service', async () => {
      const { key: operator } = await issueKey(scene.root, 'ops', 'operator');
      const statusOf = async (path: string, headers = {}, key = operator) => (await scene.root.get(path, { key, headers })).status;
      const report = `/audit/results/${tenant.id}/Small`;
      const [asOf, span] = [{ 'logbook-as-of': '2024-01-01T00:00:00Z' }, '?from=2026-01-01&to=2026-01-31'];
      const spans = [
        '',
        '?from=2026-01-01',
        '?from=2026-02-30&to=2026-03-01',
        '?from=2026-03-02&to=2026-03-01',
        '?from=2026-01-01&to=2026-12-31',
      ];
      for (const query of [...spans, `${span}&group=SITE-A`]) expect([query, await statusOf(`${report}${query}`)]).toEqual([query, 400]);
      expect(await statusOf(`${report}${span}`, {}, 'wrong')).toBe(401);
      expect(await statusOf(`${report}x${span}`)).toBe(404);
      expect(await statusOf(`/audit/results/${tenant.id}x`)).toBe(404);
      for (const path of ['/audit/results', `/audit/results/${tenant.id}`, `${report}${span}`])
        expect(await statusOf(path, asOf)).toBe(403);
      const inService = { ...asOf, 'logbook-tenant': tenant.id };
      expect([await statusOf('/api/v2/admin/tenants', inService), await statusOf('/api/v2/reports', inService)]).toEqual([403, 403]);
    });

    it('tell auditors what a figure was at an earlier moment, and came from', async () => {
      const answer = await tenant.post('/recomputations', request());
      const [id, before] = [idOf(answer), answer.headers.get('logbook-position') ?? ''];
      await move(id, 'approved');
      await until(id, 'done');
      const auditor = await issueKey(scene.root, 'ops', 'auditor'); // the first read of a key is an event at once
      const then = (await why('', { 'logbook-as-of': before }, auditor.key)).json as Why & { asOf: { position: string } };
      expect([then.asOf.position, then.figures.availability, then.recomputations]).toEqual([before, PLAIN, []]);
      expect(((await why()).json as Why).figures.availability).toBe(EXCLUDED);
      const reads = (await scene.root.get('/audit/events?type=AsOfRead', { key: OPERATOR })).json as { items: { data: object }[] };
      expect(reads.items.at(-1)?.data).toMatchObject({ path: `/audit/results/${tenant.id}/Small/SITE-A/${DAY}`, position: before });
      await remove(id);
    });
  });

  describe('health of the installation', () => {
    const keys = { editor: 'health-editor', check: 'health-consistency-check', ack: 'health-consistency-ack' };
    beforeAll(async () => {
      await registerTenant(scene.status, 'status-administrator', 'health', ['editor', 'viewer', 'consistency-check', 'consistency-ack']);
      for (const role of ['consitency-viewer', 'consistency-viewer'])
        await registerTenant(scene.status, 'status-administrator', role, [role]);
    });
    const at = (path: string, key = keys.editor) => scene.root.get(`/api/${path}`, { key });
    const say = (what: string, key: string, body: unknown, version = 'v2') =>
      scene.root.post(`/api/${version}/consistency/${what}`, { key, body: body as object });
    const shape = ({ status, json }: Answer) => [status, json];
    const critical = { status: 'CRITICAL', message: 'no data' };
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

    it('is unknown before the first check', async () => {
      for (const version of ['v2', 'v3']) {
        expect(shape(await at(`${version}/health`))).toEqual([404, { message: 'Health status not yet available', code: 404 }]);
        const none = 'Constistency information is not yet available';
        expect(shape(await at(`${version}/consistency`))).toEqual([404, { message: none, code: 404 }]);
      }
      const none = 'There is no auto check event yet to acknowledge';
      expect(shape(await say('ack', keys.ack, critical))).toEqual([404, { message: none, code: 404 }]);
      expect((await say('ack', keys.ack, [])).status).toBe(400);
    });

    it('has no status where the last check has none', async () => {
      await say('auto-check', keys.check, { message: 'no data' });
      expect(shape(await at('v2/health'))).toEqual([200, { timestamp: instant, message: 'no data' }]);
      await say('auto-check', keys.check, { status: '', message: '' });
      expect((await at('v3/consistency?verbose')).json).toEqual({ timestamp: instant, auto_check_timestamp: instant });
    });

    it('is that of the last check, until somebody acknowledges it', async () => {
      const checked = { message: 'The Auto Check event was posted succesfully', code: 200 };
      expect(shape(await say('auto-check', keys.check, critical, 'v3'))).toEqual([200, checked]);
      const shown = { ...critical, timestamp: instant };
      for (const path of ['v2/health', 'v3/health', 'v2/consistency', 'v3/consistency'])
        expect(shape(await at(path))).toEqual([200, shown]);
      const auto = {
        auto_check_status: 'CRITICAL',
        auto_check_mesage: 'no data',
        auto_check_message: 'no data',
        auto_check_timestamp: instant,
      };
      expect((await at('v2/consistency?verbose')).json).toEqual({ ...shown, ...auto });
      const known = { status: 'OK', message: 'known' };
      for (const body of [
        { ...known, message: '' },
        { ...known, timeout_hours: -1 },
      ]) {
        await say('ack', keys.ack, body);
        expect((await at('v2/health')).json).toEqual(shown);
      }
      const acknowledged = { message: 'The Ack event was posted succesfully', code: 200 };
      expect(shape(await say('ack', keys.ack, known))).toEqual([200, acknowledged]);
      await say('auto-check', keys.check, critical);
      expect((await at('v3/health')).json).toEqual({ ...known, timestamp: instant });
      const ack = { ack_status: 'OK', ack_message: 'known', ack_timestamp: instant, ack_timeout_hours: 6 };
      expect((await at('v3/consistency?verbose=false')).json).toEqual({ ...known, timestamp: instant, ...auto, ...ack });
    });

    it('is for the roles of the contract', async () => {
      const statuses = async (path: string, ...callers: readonly string[]) =>
        Promise.all(callers.map(async (key) => (await at(path, key)).status));
      expect(await statuses('v2/health', 'health-viewer', keys.check, keys.ack)).toEqual([200, 403, 403]);
      const viewers = ['health-viewer', 'consitency-viewer-consitency-viewer', 'consistency-viewer-consistency-viewer'];
      expect(await statuses('v2/consistency', ...viewers)).toEqual([403, 200, 200]);
      expect([(await say('ack', keys.check, critical)).status, (await say('auto-check', keys.ack, critical)).status]).toEqual([403, 403]);
    });
  });
});

describe('recomputations on two nodes', () => {
  const scene = servingAlone(distributed);
  let second: LogbookProcess;
  let tenant: TestTenant;
  const { requested, move, until, one, availability } = callsOf(() => tenant);
  beforeAll(async () => {
    second = await startLogbook({ ...(await oneMoreNode(scene.deployment)), LOGBOOK_HISTORY: 'off' });
    await untilReady(httpClient(second.url));
    tenant = await newTenant(statusClient(second.url)); // the other one is killed
    await givenSmall(tenant);
  });
  afterAll(() => second?.stop());

  it('run once, also when a node is killed while it runs them', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => requested({ end_time: '2020-01-01T00:00:00Z' })));
    await Promise.all(ids.map((id) => move(id, 'approved')));
    await scene.server.kill();
    for (const id of ids) expect(statusesOf(await until(id, 'done'))).toEqual(RUN);
    expect(await availability()).toBe('100'); // of the six hours before
    expect(new Set((await Promise.all(ids.map(one))).map(({ status }) => status))).toEqual(new Set(['done']));
  });
});
