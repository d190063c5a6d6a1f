import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { badDate, listOf, pretty } from '#test/e2e/status/contract.js';
import { emsg, expectJson, newTenant, type TestTenant, UNDER_XML } from '#test/e2e/status/extended-contract.js';
import { onOneDay } from '#test/support/clocks/one-day.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { at, DAY, expectText, given, newReport, type Point, point, UTF8_XML } from './metric-points.js';

const unknownReport = emsg(404, 'The report with the name nonesuch does not exist');
const unknownReportXml = '<root>\n <message>The report with the name nonesuch does not exist</message>\n <code>404</code>\n</root>';

const scene = serving(embedded);

describe('the newest results of a report', () => {
  let tenant: TestTenant;
  let report: string;
  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    report = await newReport(tenant, 'Critical');
  });
  const latest = (query: string, where = 'Critical/SITES', options = {}) => tenant.get(`/latest/${where}${query}`, options);
  const item = (time: string, more: Point = {}) => ({
    endpoint_group: 'SITE-A',
    service: 'CE',
    endpoint: 'h1',
    metric: 'ping',
    timestamp: at(time),
    status: 'OK',
    ...more,
  });
  const answer = (...metric_data: readonly object[]) => ({ status: { message: 'Success', code: '200' }, data: { metric_data } });

  it('need a report and its deepest type of groups', async () => {
    const noType = emsg(404, 'The report Critical does not define endpoint group type: NGI');
    for (const group of ['', '/SITE-A']) {
      expectJson(await latest(group, 'nonesuch/SITES'), 404, unknownReport);
      expectJson(await latest(group, 'Critical/NGI'), 404, noType);
      expectText(await latest(group, 'nonesuch/SITES', UNDER_XML), 404, unknownReportXml, UTF8_XML);
    }
  });

  it('come newest first, with summary and message', async () => {
    const said = { summary: 'a <b>', message: 'm' };
    await given(
      tenant,
      point(report, { timestamp: at('10:00:00') }),
      point(report, { timestamp: at('12:00:00'), endpoint_group: 'SITE-B', host: 'h2', ...said }),
      point(report, { timestamp: at('11:00:00'), status: 'CRITICAL', summary: 's' }),
      point('other', { timestamp: at('13:00:00') }),
      point(report, { timestamp: at('23:59:59', '2015-04-30') }),
    );
    const second = item('11:00:00', { status: 'CRITICAL', summary: 's' });
    const all = answer(item('12:00:00', { endpoint_group: 'SITE-B', endpoint: 'h2', ...said }), second, item('10:00:00'));
    for (const date of [at('00:00:00'), at('23:59:59.9')]) expectJson(await latest(`?date=${date}`), 200, all);
    expectJson(await latest(`?date=${at('00:00:00')}`, 'Critical/SITES', UNDER_XML), 200, all);
    expectJson(await latest(`/SITE-A?date=${at('00:00:00')}`), 200, answer(second, item('10:00:00')));
    for (const query of ['', '?date=', '?date=2015-05-01', '?date=x', `?date=${at('00:00:00', '2015-05-02')}`])
      expectJson(await latest(query), 200, answer());
    expectJson(await latest(`/none?date=${at('00:00:00')}`), 200, answer());
  });

  it('are those of today unless a date is given', () =>
    onOneDay(async (today) => {
      const report = `Today ${today}`;
      const id = await newReport(tenant, report);
      const timestamp = `${new Date().toISOString().slice(0, 19)}Z`;
      await given(tenant, point(id, { timestamp }));
      expect((await latest('', `${encodeURIComponent(report)}/SITES`)).text).toContain(`"timestamp": "${timestamp}"`);
    }));

  it.each([
    ['', 'OK CRITICAL WARNING UNKNOWN MISSING'],
    ['OK', 'OK'],
    ['non-OK', 'CRITICAL WARNING UNKNOWN MISSING'],
    ['critical', 'CRITICAL'],
    ['Warning', 'WARNING'],
    ['unknown', 'UNKNOWN'],
    ['MISSING', 'MISSING'],
    ['other', 'OK CRITICAL WARNING UNKNOWN MISSING'],
  ])('filtered by %j are %s', async (filter, expected) => {
    const name = `filter-${filter}`;
    const id = await newReport(tenant, name);
    const statuses = ['MISSING', 'UNKNOWN', 'WARNING', 'CRITICAL', 'OK'];
    await given(tenant, ...statuses.map((status, n) => point(id, { status, timestamp: at(`0${n}:00:00`) })));
    for (const group of ['', '/SITE-A']) {
      const { text } = await latest(`${group}?date=${at('00:00:00')}&filter=${filter}`, `${name}/SITES`);
      expect([...text.matchAll(/"status": "(\w+)"/g)].map(([, value]) => value).join(' ')).toBe(expected);
    }
  });

  it('are limited, and with `strict` one for each metric', async () => {
    const id = await newReport(tenant, 'Limited');
    const second = (n: number) => at(new Date(n * 1_000).toISOString().slice(11, 19));
    await given(
      tenant,
      ...Array.from({ length: 2_500 }, (_, n) =>
        point(id, { timestamp: second(n), host: `h${n % 4}`, status: n % 1_000 ? 'OK' : 'CRITICAL' }),
      ),
    );
    const numberOf = async (query: string) =>
      (await latest(`?date=${at('00:00:00')}${query}`, 'Limited/SITES')).text.split('"metric"').length - 1;
    for (const [query, count] of [
      ['', 500],
      ['&limit=', 500],
      ['&limit=x', 500],
      ['&limit=1.5', 500],
      ['&limit=-2', 500],
      ['&limit=1', 1],
      ['&limit=501', 501],
      ['&limit=2400', 2_400],
      ['&limit=9999', 2_500],
      ['&limit=-1', 2_500],
      ['&limit=-1&filter=critical', 3],
      ['&limit=2&filter=critical', 2],
      ['&filter=ok', 500],
      ['&strict=true', 4],
      ['&strict=true&limit=3', 3],
      ['&strict=true&limit=-1', 4],
      ['&strict=true&filter=critical', 1],
      ['&strict=false&limit=7', 7],
      ['&strict=TRUE&limit=7', 7],
    ] as const)
      expect([query, await numberOf(query)]).toEqual([query, count]);
    const strict = await latest(`?date=${at('00:00:00')}&strict=true`, 'Limited/SITES');
    expectJson(strict, 200, answer(...[3, 2, 1, 0].map((n) => ({ ...item('00:00:00'), endpoint: `h${n}`, timestamp: second(2_496 + n) }))));
  });

  it('are gone with their tenant', async () => {
    const gone = await newTenant(scene.status);
    await given(gone, point(await newReport(gone, 'Gone')));
    expect((await scene.status.delete(`/admin/tenants/${gone.id}`, { key: ADMIN })).status).toBe(200);
    expect((await gone.get('/latest/Gone/SITES')).status).toBe(401);
  });
});

describe('issues of a report', () => {
  let tenant: TestTenant;
  let report: string;
  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    report = await newReport(tenant, 'Critical');
  });
  const endpoints = (query = `?date=${DAY}`, name = 'Critical', options = {}) => tenant.get(`/issues/${name}/endpoints${query}`, options);
  const metrics = (query = `?date=${DAY}`, name = 'Critical', group = 'SITE-A', options = {}) =>
    tenant.get(`/issues/${name}/groups/${group}/metrics${query}`, options);

  it.each([
    ['endpoints', endpoints],
    ['metrics', metrics],
  ])('(%s) need a real date, then a known report', async (_what, issues) => {
    expectJson(await issues('?date=2015-02-30', 'nonesuch'), 400, badDate('2015-02-30'));
    expectJson(await issues('?date=2015-05-01', 'nonesuch'), 404, unknownReport);
    expectJson(await issues('', 'nonesuch'), 404, unknownReport);
    expectJson(await issues(''), 200, listOf());
    expectJson(await issues('?date='), 200, listOf());
  });

  it('are endpoints whose last status of the day is not OK, or the one asked for', async () => {
    const given1 = (host: string, time: string, status: string, more: Point = {}) =>
      point(report, { host, timestamp: at(time), status, ...more });
    await given(
      tenant,
      given1('e3', '10:00:00', 'CRITICAL'),
      given1('e2', '10:00:00', 'OK'),
      given1('e2', '11:00:00', 'WARNING', { metric: 'pong', info: { URL: 'u' } }),
      given1('e1', '10:00:00', 'CRITICAL'),
      given1('e1', '12:00:00', 'OK'),
      given1('e1', '10:00:00', 'UNKNOWN', { service: 'web', endpoint_group: 'SITE-B' }),
      given1('e4', '10:00:00', 'CRITICAL', { report: 'other' }),
    );
    await given(tenant, given1('e1', '11:00:00', 'CRITICAL'), {
      ...given1('e3', '10:00:00', 'CRITICAL'),
      timestamp: at('00:00:00', '2015-05-02'),
    });
    const item = (endpoint: string, time: string, status: string, more: Point = {}) => ({
      timestamp: at(time),
      endpoint_group: 'SITE-A',
      service: 'CE',
      endpoint,
      status,
      ...more,
    });
    const e1 = item('e1', '10:00:00', 'UNKNOWN', { service: 'web', endpoint_group: 'SITE-B' });
    const e2 = item('e2', '11:00:00', 'WARNING', { info: { URL: 'u' } });
    const e3 = item('e3', '10:00:00', 'CRITICAL');
    expectJson(await endpoints(), 200, listOf(e1, e2, e3));
    expectJson(await endpoints(undefined, undefined, UNDER_XML), 200, listOf(e1, e2, e3));
    expectJson(await endpoints(`?date=${DAY}&filter=`), 200, listOf(e1, e2, e3));
    expectJson(await endpoints(`?date=${DAY}&filter=critical`), 200, listOf(e3));
    expectJson(await endpoints(`?date=${DAY}&filter=Ok`), 200, listOf(item('e1', '12:00:00', 'OK')));
    expectJson(await endpoints(`?date=${DAY}&filter=non-ok`), 200, listOf());
    expectJson(await endpoints('?date=2015-05-02'), 200, listOf({ ...e3, timestamp: at('00:00:00', '2015-05-02') }));
    expect((await endpoints('', 'nonesuch', UNDER_XML)).text).toBe(pretty(unknownReport));
  });

  it('are statuses other than OK that metrics of a group had on the day, each once, or the one asked for', async () => {
    const id = await newReport(tenant, 'Statuses');
    const seen = (host: string, metric: string, status: string, more: Point = {}) => point(id, { host, metric, status, ...more });
    await given(
      tenant,
      seen('h2', 'b', 'CRITICAL'),
      seen('h2', 'b', 'OK'),
      seen('h2', 'a', 'WARNING', { timestamp: at('01:00:00') }),
      seen('h2', 'a', 'WARNING', { timestamp: at('02:00:00'), info: { ID: '<1>' } }),
      seen('h2', 'a', 'CRITICAL'),
      seen('h1', 'c', 'UNKNOWN', { service: 'web' }),
      seen('h1', 'c', 'critical'),
      seen('h1', 'c', 'MISSING', { endpoint_group: 'SITE-B' }),
      seen('h1', 'c', 'MISSING', { timestamp: at('23:59:59', '2015-04-30') }),
    );
    const item = (hostname: string, metric: string, status: string, more: Point = {}) => ({
      service: 'CE',
      hostname,
      metric,
      status,
      ...more,
    });
    const troubles = [
      item('h1', 'c', 'critical'),
      item('h2', 'a', 'CRITICAL'),
      item('h2', 'a', 'WARNING', { info: { ID: '<1>' } }),
      item('h2', 'b', 'CRITICAL'),
      item('h1', 'c', 'UNKNOWN', { service: 'web' }),
    ];
    expectJson(await metrics(undefined, 'Statuses'), 200, listOf(...troubles));
    expectJson(await metrics(undefined, 'Statuses', 'SITE-B'), 200, listOf(item('h1', 'c', 'MISSING')));
    expectJson(await metrics(undefined, 'Statuses', 'site-a'), 200, listOf());
    expectJson(
      await metrics(`?date=${DAY}&filter=CRITICAL`, 'Statuses'),
      200,
      listOf(item('h2', 'a', 'CRITICAL'), item('h2', 'b', 'CRITICAL')),
    );
    expectJson(await metrics(`?date=${DAY}&filter=critical`, 'Statuses'), 200, listOf(item('h1', 'c', 'critical')));
    expectJson(await metrics(`?date=${DAY}&filter=OK`, 'Statuses'), 200, listOf(item('h2', 'b', 'OK')));
  });
});
