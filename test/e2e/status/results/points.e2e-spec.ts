import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { listOf } from '#test/e2e/status/contract.js';
import { expectJson, newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import {
  expectText,
  given,
  ndjson,
  type Point,
  sendLines,
  stored,
  UTF8_XML,
  unprocessable,
} from '#test/e2e/status/metric-data/metric-points.js';
import { embedded } from '#test/support/deployments.js';
import { smallReport } from './small-report.js';

const HOST = 'h1.example.org';
/** A point of the one expected metric, for every report. */
const point = (timestamp: string, changes: Point = {}): Point => ({
  timestamp,
  service: 'web',
  host: HOST,
  metric: 'http',
  status: 'OK',
  ...changes,
});

describe('metric results whose groups the topology determines', () => {
  const scene = serving(embedded);
  let tenant: TestTenant;
  let report: string;
  const get = (path: string) => tenant.get(path);
  const at = (time: string, day = '2015-01-10') => `${day}T${time}Z`;
  const newest = (timestamp: string, more: Point = {}) => ({
    endpoint_group: 'SITE-A',
    service: 'web',
    endpoint: HOST,
    metric: 'http',
    timestamp,
    status: 'OK',
    ...more,
  });
  const latest = (...metric_data: readonly object[]) => ({ status: { message: 'Success', code: '200' }, data: { metric_data } });

  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    ({ report } = await smallReport(tenant, 'Small'));
    const schema = { group: { type: 'NGI', group: { type: 'SITES' } } };
    expect((await tenant.post('/reports', { info: { name: 'Wants nothing' }, topology_schema: schema })).status).toBe(201);
    await tenant.post('/topology/groups?date=2015-02-01', [
      { group: 'NGI-A', type: 'NGI', subgroup: 'SITE-A' },
      { group: 'NGI-A', type: 'NGI', subgroup: 'SITE-B' },
    ]);
    const endpoint = { type: 'SITES', service: 'web', hostname: HOST, tags: { info_ID: 'one' } };
    await tenant.post('/topology/endpoints?date=2015-02-01', [
      { ...endpoint, group: 'SITE-A' },
      { ...endpoint, group: 'SITE-B' },
    ]);
  });

  it('are taken with a monitoring host, which is a text', async () => {
    const lines = ndjson([point(at('00:00:00', '2014-06-01'), { monitoring_host: 'mon', report: '', endpoint_group: null })]);
    expectJson(await sendLines(tenant, lines), 201, stored(1));
    const wrong = await sendLines(
      tenant,
      ndjson([point(at('00:00:00', '2014-06-01')), { ...point('2014-06-01T00:00:00Z'), monitoring_host: 1 }]),
    );
    expect([wrong.status, (wrong.json as ReturnType<typeof unprocessable>).errors[0]?.details]).toEqual([
      422,
      expect.stringMatching(/^line 2: /),
    ]);
  });

  it('are among the latest of reports that expect them, in the groups where they count', async () => {
    await given(
      tenant,
      point(at('10:00:00'), { status: 'CRITICAL', summary: 's' }),
      point(at('11:00:00'), { endpoint_group: 'SITE-A' }),
      point(at('12:00:00'), { endpoint_group: 'SITE-X' }),
      point(at('12:00:00'), { metric: 'disk' }),
      point(at('12:00:00'), { host: 'h2.example.org' }),
      point(at('10:30:00'), { report, metric: 'disk', endpoint_group: 'SITE-C' }),
      point(at('10:30:00'), { report: 'other' }),
    );
    const [noon, half, ten] = [
      newest(at('11:00:00')),
      newest(at('10:30:00'), { metric: 'disk', endpoint_group: 'SITE-C' }),
      newest(at('10:00:00'), { status: 'CRITICAL', summary: 's' }),
    ];
    const query = `?date=${at('00:00:00')}`;
    expectJson(await get(`/latest/Small/SITES${query}`), 200, latest(noon, half, ten));
    expectJson(await get(`/latest/Small/SITES${query}&limit=2`), 200, latest(noon, half));
    expectJson(await get(`/latest/Small/SITES${query}&filter=critical`), 200, latest(ten));
    expectJson(await get(`/latest/Small/SITES${query}&strict=true`), 200, latest(noon, half));
    expectJson(await get(`/latest/Small/SITES/SITE-A${query}`), 200, latest(noon, ten));
    expectJson(await get(`/latest/Wants%20nothing/SITES${query}`), 200, latest());

    await given(tenant, point(at('10:00:00', '2015-02-10')));
    const both = latest(newest(at('10:00:00', '2015-02-10')), newest(at('10:00:00', '2015-02-10'), { endpoint_group: 'SITE-B' }));
    expectJson(await get(`/latest/Small/SITES?date=${at('00:00:00', '2015-02-10')}`), 200, both);
  });

  it('are issues of reports that expect them', async () => {
    const day = '2015-01-11';
    await given(
      tenant,
      point(at('10:00:00', day), { status: 'WARNING', info: { URL: 'u' } }),
      point(at('09:00:00', day), { status: 'CRITICAL' }),
      point(at('11:00:00', day), { status: 'CRITICAL', metric: 'disk' }),
      point(at('09:00:00', day), { status: 'CRITICAL', report, endpoint_group: 'SITE-A' }),
      point(at('09:00:00', day), { status: 'CRITICAL', report, endpoint_group: 'SITE-A', host: 'a' }),
    );
    const last = (endpoint: string, time: string, status: string, more: Point = {}) => ({
      timestamp: at(time, day),
      endpoint_group: 'SITE-A',
      service: 'web',
      endpoint,
      status,
      ...more,
    });
    const others = last('a', '09:00:00', 'CRITICAL');
    const issues = (name = 'Small') => get(`/issues/${name}/endpoints?date=${day}`);
    expectJson(await issues(), 200, listOf(others, last(HOST, '10:00:00', 'WARNING', { info: { URL: 'u' } })));
    expectJson(await issues('Wants%20nothing'), 200, listOf());
    const had = (hostname: string, status: string, more: Point = {}) => ({ service: 'web', hostname, metric: 'http', status, ...more });
    const ofGroup = listOf(had('a', 'CRITICAL'), had(HOST, 'CRITICAL'), had(HOST, 'WARNING', { info: { URL: 'u' } }));
    expectJson(await get(`/issues/Small/groups/SITE-A/metrics?date=${day}`), 200, ofGroup);
    expectJson(await get(`/issues/Small/groups/SITE-B/metrics?date=${day}`), 200, listOf());

    await given(tenant, point(at('10:00:01', day), { report, endpoint_group: 'SITE-A' }));
    expectJson(await issues(), 200, listOf(others));
  });

  it('are issues with the info of their endpoint in the topology, or their own where it has none', async () => {
    const day = '2015-02-12';
    const wrong = { status: 'CRITICAL', report, endpoint_group: 'SITE-A' };
    await given(
      tenant,
      point(at('09:00:00', day), { status: 'CRITICAL' }),
      point(at('10:00:00', day), { ...wrong, metric: 'disk' }),
      point(at('10:00:00', day), { ...wrong, metric: 'load', info: { URL: 'u' } }),
      point(at('10:00:00', day), { ...wrong, host: 'a', info: { URL: 'u' } }),
    );
    const info = { ID: 'one' };
    const own = { info: { URL: 'u' } };
    const last = (endpoint_group: string, time: string, more: object) => ({
      timestamp: at(time, day),
      endpoint_group,
      service: 'web',
      endpoint: HOST,
      status: 'CRITICAL',
      ...more,
    });
    expectJson(
      await get(`/issues/Small/endpoints?date=${day}`),
      200,
      listOf(
        last('SITE-A', '10:00:00', { endpoint: 'a', ...own }),
        last('SITE-A', '10:00:00', { info }),
        last('SITE-B', '09:00:00', { info }),
      ),
    );
    const had = (metric: string, more: object, hostname = HOST) => ({ service: 'web', hostname, metric, status: 'CRITICAL', ...more });
    expectJson(
      await get(`/issues/Small/groups/SITE-A/metrics?date=${day}`),
      200,
      listOf(had('http', own, 'a'), had('disk', { info }), had('http', { info }), had('load', { info })),
    );
  });

  describe('with a report and no group', () => {
    const day = '2015-02-15';
    const own = (time: string, more: Point = {}) => point(at(time, day), { report, status: 'CRITICAL', ...more });
    const shown = (time: string, endpoint_group: string, more: Point = {}) =>
      newest(at(time, day), { status: 'CRITICAL', endpoint_group, ...more });
    beforeAll(() =>
      given(
        tenant,
        own('10:00:00'),
        own('11:00:00', { metric: 'disk' }),
        own('12:00:00', { endpoint_group: 'SITE-X' }),
        own('13:00:00', { report: 'other' }),
      ),
    );

    it('are among the latest of the groups that expect them, else of the report alone', async () => {
      const list = (group = '') => get(`/latest/Small/SITES${group}?date=${at('00:00:00', day)}`);
      const [a, b] = [shown('10:00:00', 'SITE-A'), shown('10:00:00', 'SITE-B')];
      expectJson(await list(), 200, latest(shown('12:00:00', 'SITE-X'), shown('11:00:00', '', { metric: 'disk' }), a, b));
      expectJson(await list('/SITE-A'), 200, latest(a));
      expectJson(await list('/SITE-B'), 200, latest(b));
      expectJson(await list('/SITE-X'), 200, latest(shown('12:00:00', 'SITE-X')));
    });

    it('are issues there', async () => {
      const had = { service: 'web', hostname: HOST, metric: 'http', status: 'CRITICAL' };
      for (const [group, more] of [
        ['SITE-A', { info: { ID: 'one' } }],
        ['SITE-B', { info: { ID: 'one' } }],
        ['SITE-X', {}],
      ] as const)
        expectJson(await get(`/issues/Small/groups/${group}/metrics?date=${day}`), 200, listOf({ ...had, ...more }));
      const { data } = (await get(`/issues/Small/endpoints?date=${day}`)).json as { data: Record<string, string>[] };
      expect(data.map(({ endpoint_group, timestamp }) => [endpoint_group, timestamp])).toEqual([
        ['', at('11:00:00', day)],
        ['SITE-A', at('10:00:00', day)],
        ['SITE-B', at('10:00:00', day)],
        ['SITE-X', at('12:00:00', day)],
      ]);
    });

    it('are listed there by a report without statuses', async () => {
      const path = `/reports/${report}`;
      const { data } = (await get(path)).json as { data: [Record<string, object>] };
      const changed = (status: boolean) => tenant.put(path, { ...data[0], computations: { ...data[0].computations, status } });
      expect((await changed(false)).status).toBe(200);
      const times = `start_time=${at('00:00:00', day)}&end_time=${at('23:00:00', day)}`;
      const listed = (group: string) => get(`/status/Small/SITES/${group}/services/web/endpoints/${HOST}/metrics?${times}`);
      for (const group of ['SITE-A', 'SITE-B'])
        expect([...(await listed(group)).text.matchAll(/"timestamp": "(\S+)"/g)].map(([, time]) => time)).toEqual([
          at('00:00:00', day),
          at('10:00:00', day),
        ]);
      expect((await changed(true)).status).toBe(200);
    });
  });

  describe('at the level of metrics', () => {
    const path = (query: string, metric = '') =>
      `/status/Small/SITES/SITE-A/services/web/endpoints/${HOST}/metrics${metric && `/${metric}`}?${query}`;
    const span = (from: string, to = from) => `start_time=${at('23:00:00', from)}&end_time=${at('01:00:00', to)}`;
    const listing = (metrics: Readonly<Record<string, readonly object[]>>, info?: object) => {
      const endpoint = {
        name: HOST,
        ...(info && { info }),
        metrics: Object.entries(metrics).map(([name, statuses]) => ({ name, statuses })),
      };
      return { groups: [{ name: 'SITE-A', type: 'SITES', services: [{ name: 'web', type: 'service', endpoints: [endpoint] }] }] };
    };
    const status = (timestamp: string, value: string) => ({ timestamp, value });

    it('are listed with the state before on days that can be computed, of expected metrics only', async () => {
      await given(
        tenant,
        point(at('23:00:00', '2015-03-09'), { status: 'WARNING' }),
        point(at('10:00:00', '2015-03-10'), { status: 'CRITICAL', actual_data: 'a=1', info: { URL: 'u' } }),
        point(at('10:00:00', '2015-03-10'), { metric: 'disk', report }),
        point(at('10:00:00', '2015-03-10'), { report, status: 'nonsense' }),
      );
      const points = listing(
        {
          http: [
            status(at('23:00:00', '2015-03-09'), 'WARNING'),
            status(at('10:00:00', '2015-03-10'), 'UNKNOWN'),
            status(at('00:00:00', '2015-03-11'), 'UNKNOWN'),
          ],
        },
        { ID: 'one' },
      );
      expectJson(await get(path(span('2015-03-10', '2015-03-11'))), 200, points);
      expectJson(await get(path(span('2015-03-10', '2015-03-11'), 'http')), 200, points);
      expectJson(await get(path(span('2015-03-10'), 'disk')), 200, { groups: [] });
      const xml = await tenant.get(path(span('2015-03-11')), { accept: 'application/xml' });
      expectText(
        xml,
        200,
        [
          '<root>',
          ' <group name="SITE-A" type="SITES">',
          '  <group name="web" type="service">',
          `   <endpoint name="${HOST}">`,
          '    <metric name="http">',
          '     <status timestamp="2015-03-10T10:00:00Z" value="UNKNOWN"></status>',
          '     <status timestamp="2015-03-11T00:00:00Z" value="UNKNOWN"></status>',
          '    </metric>',
          '   </endpoint>',
          '  </group>',
          ' </group>',
          '</root>',
        ].join('\n'),
        UTF8_XML,
      );
    });

    it('have the info of the first point that was received, not of one that is carried over', async () => {
      const [before, day] = ['2015-01-19', '2015-01-20'];
      await given(
        tenant,
        point(at('10:00:00', day), { status: 'CRITICAL', info: { URL: 'u' } }),
        point(at('10:00:00', day), { status: 'OK', endpoint_group: 'SITE-B', info: { URL: 'of another group' } }),
        point(at('11:00:00', day), { info: { URL: 'later' } }),
      );
      const missing = status(at('00:00:00', before), 'MISSING');
      const http = [missing, missing, status(at('10:00:00', day), 'CRITICAL'), status(at('11:00:00', day), 'OK')];
      expectJson(await get(path(span(before, day))), 200, listing({ http }, { URL: 'u' }));
    });

    it('stand beside points as they came, on days that cannot be computed', async () => {
      await given(
        tenant,
        point(at('09:00:00', '2014-12-31'), { report, endpoint_group: 'SITE-A', status: 'odd', metric: 'alpha' }),
        point(at('10:00:00', '2014-12-31'), { report, endpoint_group: 'SITE-A', previous_state: 'P', status: 'odd' }),
        point(at('10:00:00', '2014-12-31'), { status: 'odd' }),
        point(at('00:00:00', '2015-01-01'), { status: 'CRITICAL', actual_data: 'a=1', info: { URL: 'u' } }),
      );
      expectJson(
        await get(path(span('2014-12-31', '2015-01-01'))),
        200,
        listing({
          alpha: [status(at('00:00:00', '2014-12-31'), 'MISSING'), status(at('09:00:00', '2014-12-31'), 'odd')],
          http: [
            status(at('00:00:00', '2014-12-31'), 'P'),
            status(at('10:00:00', '2014-12-31'), 'odd'),
            status(at('00:00:00', '2015-01-01'), 'CRITICAL'),
          ],
        }),
      );
      const [before, first] = [status(at('10:00:00', '2014-12-31'), 'UNKNOWN'), status(at('00:00:00', '2015-01-01'), 'CRITICAL')];
      const alone = listing({ http: [before, first] }, { URL: 'u' });
      expectJson(await get(path(span('2015-01-01'))), 200, alone);
      const detailed = listing({ http: [before, { ...first, actual_data: 'a=1' }] }, { URL: 'u' });
      expectJson(await get(`${path(span('2015-01-01'))}&view=details`), 200, detailed);
    });
  });
});
