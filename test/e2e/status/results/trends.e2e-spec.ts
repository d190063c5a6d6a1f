import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/expect-error.js';
import { serving } from '#test/e2e/serving.js';
import { badDate, listOf, pretty } from '#test/e2e/status/contract.js';
import { emsg, expectJson, newTenant, type TestTenant, UNDER_XML } from '#test/e2e/status/extended-contract.js';
import { badParameters, given, parsingError } from '#test/e2e/status/metric-data/metric-points.js';
import { onOneDay } from '#test/support/clocks/one-day.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import type { Call } from '#test/support/status-client.js';
import { type Configuration, givenConfiguration, givenReport, POINTS } from './results-scene.js';

const READERS = ['admin', 'editor', 'viewer', 'admin_ui'];
const RANGE = 'start_date=2015-04-01&end_date=2015-05-02';
const emsgn = (message: string) => ({ message, code: 404 });
const bad = (details: string) => badParameters(['Bad Request', details]);

const scene = serving(embedded);
let tenant: TestTenant;
let configuration: Configuration;
beforeAll(async () => {
  tenant = await newTenant(scene.status);
  configuration = await givenConfiguration(tenant);
  await givenReport(tenant, configuration, 'R');
  await given(tenant, ...POINTS);
});

describe('trends', () => {
  const trends = (path: string, query = RANGE, options: Call = {}) => tenant.get(`/trends/R/${path}?${query}`, options);
  const [a, b] = [{ endpoint_group: 'SITE-A' }, { endpoint_group: 'SITE-B' }];
  const [h1, h2] = [
    { ...a, service: 'web', endpoint: 'h1' },
    { ...b, service: 'db', endpoint: 'h2' },
  ];
  const [http, cert, query] = [
    { ...h1, metric: 'http' },
    { ...h1, metric: 'cert' },
    { ...h2, metric: 'query' },
  ];
  const flapping = (item: object, times: number) => ({ ...item, flapping: times });
  const minutes = (item: object, status: string, duration_in_minutes: number) => ({ ...item, status, duration_in_minutes });
  const events = (item: object, status: string, count: number) => ({ ...item, status, events: count });

  it.each(['metrics', 'metrics/tags', 'endpoints', 'services', 'groups'])('of %s are JSON, of a known report', async (level) => {
    for (const path of [`flapping/${level}`, `status/${level}`]) {
      expectJson(await trends(path, 'date=2015-04-29', UNDER_XML), 200, listOf());
      expectJson(await tenant.get(`/trends/x/${path}?date=y`, UNDER_XML), 404, emsg(404, 'The report with the name x does not exist'));
    }
  });

  it('of changes sum them up, the most first', async () => {
    expectJson(await trends('flapping/metrics'), 200, listOf(flapping(query, 4), flapping(http, 3), flapping(cert, 1)));
    expectJson(await trends('flapping/endpoints'), 200, listOf(flapping(h2, 4), flapping(h1, 3)));
    expectJson(
      await trends('flapping/services', 'date=2015-04-30'),
      200,
      listOf(flapping({ ...a, service: 'web' }, 1), flapping({ ...b, service: 'db' }, 1)),
    );
    expectJson(await trends('flapping/groups', `${RANGE}&top=1`), 200, listOf(flapping(b, 4)));
    const monthly = listOf({ date: '2015-04', top: [flapping(a, 1)] }, { date: '2015-05', top: [flapping(b, 3)] });
    expectJson(await trends('flapping/groups', `${RANGE}&top=1&granularity=monthly`), 200, monthly);
  });

  it('of statuses tell critical, unknown and warning apart', async () => {
    const metrics = [
      { status: 'CRITICAL', top: [events(query, 'CRITICAL', 2), events(http, 'CRITICAL', 1)] },
      { status: 'UNKNOWN', top: [events(query, 'UNKNOWN', 1)] },
    ];
    expectJson(await trends('status/metrics'), 200, listOf(...metrics));
    const endpoints = [
      { status: 'CRITICAL', top: [minutes(h2, 'CRITICAL', 1_615), minutes(h1, 'CRITICAL', 90)] },
      { status: 'UNKNOWN', top: [minutes(h2, 'UNKNOWN', 15)] },
    ];
    expectJson(await trends('status/endpoints', `${RANGE}&top=0`), 200, listOf(...endpoints));
    const service = minutes({ ...b, service: 'db' }, 'CRITICAL', 175);
    expectJson(
      await trends('status/services', 'date=2015-05-01&top=1&start_date=x'),
      200,
      listOf({ status: 'CRITICAL', top: [service] }, { status: 'UNKNOWN', top: [{ ...minutes({ ...b, service: 'db' }, 'UNKNOWN', 15) }] }),
    );
    expectJson(
      await trends('status/groups', `${RANGE}&granularity=monthly&top=-1`),
      200,
      listOf(
        { date: '2015-05', status: 'CRITICAL', top: [minutes(b, 'CRITICAL', 1_615), minutes(a, 'CRITICAL', 90)] },
        { date: '2015-05', status: 'UNKNOWN', top: [minutes(b, 'UNKNOWN', 15)] },
      ),
    );
  });

  it('count the points of a status, and the one carried over from the day before', async () => {
    const again = await newTenant(scene.status);
    await givenReport(again, await givenConfiguration(again), 'R');
    const sent = (at: string, status: string) => ({
      host: 'h2',
      service: 'db',
      metric: 'query',
      timestamp: `2016-05-${at}:00:00Z`,
      status,
    });
    const critical = ['01T23', '02T01', '02T02', '02T04', '02T05'].map((at) => sent(at, 'CRITICAL'));
    await given(again, ...critical, sent('02T03', 'OK'));
    const listed = (count: number) => listOf({ status: 'CRITICAL', top: [events(query, 'CRITICAL', count)] });
    expectJson(await again.get('/trends/R/status/metrics?date=2016-05-02'), 200, listed(5));
    expectJson(await again.get('/trends/R/status/metrics?start_date=2016-05-01&end_date=2016-05-03'), 200, listed(7));
  });

  it('by tag follow the metric list as it is now, and what the report wants', async () => {
    const tagged = [
      { name: 'http', tags: ['net', 'core', 'net'] },
      { name: 'query', tags: ['core'] },
      { name: 'cert', tags: [] },
    ];
    for (const path of ['flapping/metrics/tags', 'status/metrics/tags']) expectJson(await trends(path), 200, listOf());
    expect((await scene.status.put('/admin/metrics', { key: ADMIN, body: tagged })).status).toBe(200);
    const core = { tag: 'core', top: [flapping(query, 4), flapping(http, 3)] };
    expectJson(await trends('flapping/metrics/tags'), 200, listOf(core, { tag: 'net', top: [flapping(http, 3)] }));
    expectJson(
      await trends('flapping/metrics/tags', `${RANGE}&granularity=monthly&top=1`),
      200,
      listOf(
        { date: '2015-04', tag: 'core', top: [flapping(http, 1)] },
        { date: '2015-04', tag: 'net', top: [flapping(http, 1)] },
        { date: '2015-05', tag: 'core', top: [flapping(query, 3)] },
        { date: '2015-05', tag: 'net', top: [flapping(http, 2)] },
      ),
    );
    expectJson(
      await trends('status/metrics/tags'),
      200,
      listOf(
        { status: 'CRITICAL', tag: 'core', top: [events(query, 'CRITICAL', 2), events(http, 'CRITICAL', 1)] },
        { status: 'CRITICAL', tag: 'net', top: [events(http, 'CRITICAL', 1)] },
        { status: 'UNKNOWN', tag: 'core', top: [events(query, 'UNKNOWN', 1)] },
      ),
    );
    const dateFirst = { date: '2015-05', status: 'UNKNOWN', tag: 'core', top: [events(query, 'UNKNOWN', 1)] };
    expect((await trends('status/metrics/tags', `${RANGE}&granularity=monthly`)).text).toContain(
      pretty(dateFirst).replaceAll('\n', '\n  '),
    );
    for (const [name, wanted, full] of [
      ['tags', ['tags'], []],
      ['flapping', ['flapping'], ['flapping/metrics', 'flapping/groups']],
      ['tagged', ['status', 'tags'], ['status/services', 'status/metrics', 'status/metrics/tags']],
    ] as const) {
      await givenReport(tenant, configuration, name, { computations: { ar: false, status: false, trends: wanted } });
      const kinds = [
        'flapping/metrics',
        'flapping/groups',
        'flapping/metrics/tags',
        'status/services',
        'status/metrics',
        'status/metrics/tags',
      ];
      const shown: string[] = [];
      for (const path of kinds) if ((await tenant.get(`/trends/${name}/${path}?${RANGE}`)).text !== pretty(listOf())) shown.push(path);
      expect([name, shown]).toEqual([name, full]);
    }
  });

  it('need days, and an integer', async () => {
    const part = 'please use either a date url parameter or a combination of start_date and end_date parameters to declare range';
    for (const query of ['start_date=2015-05-01', 'end_date=x', 'start_date=&end_date=2015-05-01'])
      expectJson(await trends('flapping/groups', query), 400, bad(part));
    expectJson(await trends('status/groups', 'date=2015-02-29', UNDER_XML), 400, badDate('2015-02-29'));
    expectJson(await trends('status/groups', 'start_date=2015-1-1&end_date=y'), 400, badDate('2015-1-1'));
    for (const top of ['x', '1.5', '1e3', '%201']) expect((await trends('status/metrics', `${RANGE}&top=${top}`)).status).toBe(400);
    for (const query of ['', 'date=', 'start_date=&end_date=', 'date=2015-04-29', 'start_date=2015-05-02&end_date=2015-05-01'])
      expect([query, (await trends('flapping/metrics', query)).status]).toEqual([query, 200]);
    expectJson(await trends('flapping/groups', 'date=2016-02-29'), 200, listOf());
  });
});

describe('results of version 3', () => {
  const v3 = (path: string, options: Call = {}) => scene.root.get(`/api/v3/results/${path}`, { key: 'tenant-1-admin', ...options });
  const span = (from: string, to = from, more = '') => `?start_time=${from}T00:00:00Z&end_time=${to}T00:00:00Z${more}`;
  const day = span('2015-05-01');
  const b1 = { availability: '54.03509', reliability: '81.48148', unknown: '0.01042', uptime: '0.53472', downtime: '0.33333' };
  const a1 = { availability: '93.75', reliability: '93.75', unknown: '0', uptime: '0.9375', downtime: '0' };
  const group = (name: string, row: object, date = {}) => ({ name, type: 'SITES', results: [{ ...date, ...row }] });

  it('are for the tenant roles, as JSON', async () => {
    for (const path of ['R', 'R/id/id-1']) {
      const statuses = await Promise.all(
        [...READERS, 'unknown_role'].map(async (role) => (await v3(path, { key: `tenant-1-${role}` })).status),
      );
      expect(statuses.map((status) => status === 403)).toEqual([false, false, false, false, true]);
      expectError(await v3(path, { key: 'nobody' }), 'unauthorized');
      expectError(await v3(path, { accept: 'text/html' }), 'not acceptable');
      const options = await scene.root.call('OPTIONS', `/api/v3/results/${path}`);
      expect([options.status, options.headers.get('allow')]).toEqual([200, 'GET, OPTIONS']);
      expect((await scene.root.post(`/api/v3/results/${path}`)).status).toBe(405);
      expectJson(await v3(`x${path.slice(1)}`, UNDER_XML), 404, emsgn('The report with the name x does not exist'));
    }
  });

  it('of groups hold their endpoint groups', async () => {
    const date = { date: '2015-05-01' };
    const of = (name: string, availability: string, reliability: string, ...groups: readonly object[]) => ({
      name,
      type: 'NGI',
      results: [{ ...date, availability, reliability }],
      groups,
    });
    const both = [group('SITE-A', a1, date), group('SITE-B', b1, date)];
    const daily = [of('NGI-1', '85.807018', '91.29629600000001', ...both), of('NGI-2', '54.03509', '81.48148', ...both.slice(1))];
    for (const more of ['', '&granularity=', '&granularity=DAILY'])
      expectJson(await v3(`R${span('2015-05-01', '2015-05-01', more)}`, UNDER_XML), 200, { results: daily });
    const custom = await v3(`R${span('2015-04-30', '2015-05-01', '&granularity=Custom')}`);
    const { results } = custom.json as { results: readonly { results: readonly object[] }[] };
    expect(results.map((one) => one.results)).toEqual([
      [{ availability: '92.903509', reliability: '95.648148' }],
      [{ availability: '77.017545', reliability: '90.74074' }],
    ]);
    expectJson(await v3(`R${span('2015-04-29')}`), 200, { results: [] });
  });

  it('of a resource are those of its endpoints', async () => {
    const endpoint = {
      name: 'h1',
      service: 'web',
      supergroup: 'SITE-A',
      info: { ID: 'id-1', URL: 'https://h1/<a>' },
      results: [{ date: '2015-05-01', ...a1 }],
    };
    expectJson(await v3(`R/id/id-1${day}`), 200, { id: 'id-1', endpoints: [endpoint] });
    expectJson(await v3(`R/id/ID-1${day}`, UNDER_XML), 404, emsgn('No endpoints found with resource-id: ID-1'));
    await onOneDay(async (today) => {
      const thisMonth = await v3('R/id/id-1?granularity=monthly');
      expect(thisMonth.json).toMatchObject({ endpoints: [{ results: [{ date: today.slice(0, 7) }] }] });
    });
  });

  it('need a period that can be read', async () => {
    const noSpan = ['No time span set', 'Please use start_time and end_time url parameters to set the prefered time span'] as const;
    const wrong = (value: string) =>
      ['Wrong Granularity', `${value} is not accepted as granularity parameter, please provide either daily, monthly or custom`] as const;
    expectJson(await v3('R?granularity=YEARLY', UNDER_XML), 400, badParameters(wrong('yearly'), noSpan));
    for (const path of ['R?start_time=2015-05-01T00:00:00Z', 'R?start_time=&end_time=', 'R/id/id-1?end_time=x&start_time='])
      expectJson(await v3(path), 400, badParameters(noSpan));
    const parsing = badParameters(wrong('x'), parsingError('start_time', 's'), parsingError('end_time', 'e'));
    for (const path of ['R', 'R/id/1']) expectJson(await v3(`${path}?start_time=s&end_time=e&granularity=X`), 400, parsing);
  });
});

it('statistics of the topology of a report name what has results on the day', async () => {
  const stats = (groups: readonly string[], endpointGroups: readonly string[], services: readonly string[]) => ({
    status: { message: 'Success', code: '200' },
    data: {
      group_count: groups.length,
      group_type: 'NGI',
      group_list: groups,
      endpoint_group_count: endpointGroups.length,
      endpoint_group_type: 'SITES',
      endpoint_group_list: endpointGroups,
      service_count: services.length,
      service_list: services,
    },
  });
  const all = stats(['NGI-1', 'NGI-2'], ['SITE-A', 'SITE-B'], ['db', 'web']);
  for (const query of ['?date=2015-05-01', '']) expectJson(await tenant.get(`/topology/stats/R${query}`), 200, all);
  expectJson(await tenant.get('/topology/stats/R?date=2015-04-29'), 200, stats([], [], []));
});
