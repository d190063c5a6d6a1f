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

describe('metric results that name no report', () => {
  const scene = serving(embedded);
  let tenant: TestTenant;
  let report: string;
  let metricProfile: string;
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
    ({ report, metric: metricProfile } = await smallReport(tenant, 'Small'));
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

    await given(tenant, point(at('10:00:00', '2015-02-10'), { report }), point(at('10:00:00', '2015-02-10')));
    const both = latest(
      newest(at('10:00:00', '2015-02-10')),
      newest(at('10:00:00', '2015-02-10'), { endpoint_group: 'SITE-B' }),
      newest(at('10:00:00', '2015-02-10'), { endpoint_group: '' }),
    );
    expectJson(await get(`/latest/Small/SITES?date=${at('00:00:00', '2015-02-10')}`), 200, both);
  });

  describe('as issues', () => {
    const endpointIssues = (day: string, query = '', name = 'Small') => get(`/issues/${name}/endpoints?date=${day}${query}`);
    const metricIssues = (day: string, group = 'SITE-A') => get(`/issues/Small/groups/${group}/metrics?date=${day}`);
    const last = (timestamp: string, status: string, more: Point = {}) => ({
      timestamp,
      endpoint_group: 'SITE-A',
      service: 'web',
      endpoint: HOST,
      status,
      ...more,
    });
    const had = (metric: string, status: string, more: Point = {}) => ({ service: 'web', hostname: HOST, metric, status, ...more });
    const info = { ID: 'one' };

    it('are those of expected metrics, with the info of their endpoint in the topology', async () => {
      const day = '2015-01-11';
      await given(
        tenant,
        point(at('10:00:00', day), { status: 'WARNING', info: { URL: 'u' } }),
        point(at('09:00:00', day), { status: 'CRITICAL' }),
        point(at('11:00:00', day), { status: 'CRITICAL', metric: 'disk' }),
        point(at('11:00:00', day), { status: 'CRITICAL', report, endpoint_group: 'SITE-A', host: 'a' }),
      );
      expectJson(await endpointIssues(day), 200, listOf(last(at('10:00:00', day), 'WARNING')));
      expectJson(await endpointIssues(day, '', 'Wants%20nothing'), 200, listOf());
      expectJson(await metricIssues(day), 200, listOf(had('http', 'CRITICAL'), had('http', 'WARNING')));
      expectJson(await metricIssues(day, 'SITE-B'), 200, listOf());

      const later = '2015-02-12';
      await given(tenant, point(at('09:00:00', later), { status: 'CRITICAL' }));
      const ofBoth = ['SITE-A', 'SITE-B'].map((endpoint_group) => last(at('09:00:00', later), 'CRITICAL', { endpoint_group, info }));
      expectJson(await endpointIssues(later), 200, listOf(...ofBoth));
      expectJson(await metricIssues(later, 'SITE-B'), 200, listOf(had('http', 'CRITICAL', { info })));

      await given(tenant, point(at('10:00:01', day)));
      expectJson(await endpointIssues(day), 200, listOf());
      expectJson(await endpointIssues(day, '&filter=ok'), 200, listOf(last(at('10:00:01', day), 'OK')));
    });

    it('follow from timelines: one failing metric is enough, what held before goes on, and missing is an issue', async () => {
      const [day, next, third] = ['2016-03-10', '2016-03-11', '2016-03-12'] as const;
      const services = [{ service: 'web', metrics: ['http', 'tcp'] }];
      expect((await tenant.put(`/metric_profiles/${metricProfile}?date=2016-03-01`, { name: 'both', services })).status).toBe(200);
      await given(
        tenant,
        point(at('09:00:00', day), { status: 'CRITICAL' }),
        point(at('00:00:00', day), { metric: 'tcp' }),
        point(at('10:00:00', day), { metric: 'tcp' }),
      );
      const ofBoth = (time: string, status: string) =>
        listOf(...['SITE-A', 'SITE-B'].map((endpoint_group) => last(time, status, { endpoint_group, info })));
      expectJson(await endpointIssues(day), 200, ofBoth(at('09:00:00', day), 'CRITICAL'));
      expectJson(await endpointIssues(day, '&filter=OK'), 200, listOf());
      expectJson(await metricIssues(day), 200, listOf(had('http', 'CRITICAL', { info })));
      expectJson(await endpointIssues(next), 200, ofBoth(at('00:00:00', next), 'CRITICAL'));
      expectJson(await metricIssues(next), 200, listOf(had('http', 'CRITICAL', { info })));
      expectJson(await endpointIssues(third), 200, ofBoth(at('00:00:00', third), 'MISSING'));
      expectJson(await metricIssues(third), 200, listOf(had('http', 'MISSING', { info }), had('tcp', 'MISSING', { info })));
    });

    it('are points as they came, if they name the report and the day cannot be computed', async () => {
      const day = '2014-12-01';
      await given(tenant, point(at('09:00:00', day), { status: 'CRITICAL' }));
      expectJson(await endpointIssues(day), 200, listOf());
      await given(tenant, point(at('09:00:00', day), { status: 'CRITICAL', report, endpoint_group: 'SITE-A', metric: 'disk' }));
      expectJson(await endpointIssues(day), 200, listOf(last(at('09:00:00', day), 'CRITICAL')));
      expectJson(await metricIssues(day), 200, listOf(had('disk', 'CRITICAL')));
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
