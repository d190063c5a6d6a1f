import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { emsg, expectJson, newTenant, type TestTenant, UNDER_XML } from '#test/e2e/status/extended-contract.js';
import { embedded } from '#test/support/deployments.js';
import { idOf } from '#test/support/status-client.js';
import { at, badParameters, expectText, given, newReport, type Point, parsingError, point, UTF8_XML } from './metric-points.js';

const GRANULARITY = [
  'Granularity parameter should not be used in status results',
  'Granularity parameter is valid only for a/r result requests, not for status results',
] as const;
const NO_SPAN = ['No time span set', 'Please use start_time and end_time url parameters to set the prefered time span'] as const;
const NO_END = [
  'end_time not set',
  'Please use end_time url parameter in zulu format (like 2006-01-02T15:04:05Z) to indicate the query end time',
] as const;
const NO_START = [
  'start_time not set',
  'Please use start_time url parameter in zulu format (like 2006-01-02T15:04:05Z) to indicate the query start time',
] as const;
const START = `start_time=${at('10:00:00')}`;
const END = `end_time=${at('10:00:00')}`;

const path = (host: string, { report = 'Critical', type = 'SITES', group = 'SITE-A', service = 'CE', metric = '' } = {}): string =>
  `/status/${report}/${type}/${group}/services/${service}/endpoints/${host}/metrics${metric && `/${metric}`}`;
const span = (from: string, to = from): string => `?start_time=${at('23:59:59', from)}&end_time=${at('00:00:00', to)}`;

const status = (timestamp: string, value = 'OK', more: Point = {}) => ({ timestamp, value, ...more });
/** What stands before the first point of a day where the engine did not say. */
const MISSING = status(at('00:00:00'), 'MISSING');
const listing = (host: string, metrics: Readonly<Record<string, readonly object[]>>, info?: object) => ({
  groups: [
    {
      name: 'SITE-A',
      type: 'SITES',
      services: [
        {
          name: 'CE',
          type: 'service',
          endpoints: [
            { name: host, ...(info ? { info } : {}), metrics: Object.entries(metrics).map(([name, statuses]) => ({ name, statuses })) },
          ],
        },
      ],
    },
  ],
});
const EMPTY = { groups: [] };

describe('statuses of the metrics of an endpoint', () => {
  const scene = serving(embedded);
  let tenant: TestTenant;
  let report: string;
  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    report = await newReport(tenant, 'Critical');
  });

  it.each([
    ['', [NO_SPAN, NO_START]],
    [START, [NO_END]],
    [END, [NO_START]],
    [`${START}&end_time=`, [parsingError('end_time', '')]],
    [`${END}&start_time=2015`, [parsingError('start_time', '2015')]],
    ['start_time=a&end_time=b', [parsingError('end_time', 'b'), parsingError('start_time', 'a')]],
    ['end_time=b', [parsingError('end_time', 'b'), NO_START]],
    ['start_time=a', [NO_END, parsingError('start_time', 'a')]],
    [`${START}&${END}&granularity=daily`, [GRANULARITY]],
    [`${START}&${END}&granularity=`, [GRANULARITY]],
    ['granularity=daily', [GRANULARITY, NO_SPAN, NO_START]],
    [`${START}&end_time=2015-05-01T10:00:00%2B01:00&granularity=x`, [GRANULARITY, parsingError('end_time', '2015-05-01T10:00:00+01:00')]],
  ] as const)('need a time span, for which %s is not enough', async (query, problems) => {
    // Before the report is looked up.
    for (const one of [path('h'), path('h', { metric: 'm' }), path('h', { report: 'nonesuch' })])
      expectJson(await tenant.get(`${one}?${query}`), 400, badParameters(...problems));
  });

  it('need a known report and its innermost type of groups', async () => {
    const deep = { group: { type: 'A', group: { type: 'B', group: { type: 'C' } } } };
    idOf(await tenant.post('/reports', { info: { name: 'deep' }, topology_schema: deep }));
    idOf(await tenant.post('/reports', { info: { name: 'flat' }, topology_schema: { group: { type: 'G' } } }));
    idOf(await tenant.post('/reports', { info: { name: 'none' } }));
    const get = (name: string, type: string, options = {}) => tenant.get(`${path('h', { report: name, type })}?${START}&${END}`, options);
    expectJson(await get('nonesuch', 'SITES'), 404, emsg(404, 'The report with the name nonesuch does not exist'));
    for (const [name, type] of [
      ['deep', 'C'],
      ['flat', 'G'],
      ['Critical', 'SITES'],
    ] as const)
      expectJson(await get(name, type), 200, EMPTY);
    for (const [name, type] of [
      ['deep', 'A'],
      ['deep', 'B'],
      ['flat', 'C'],
      ['none', 'G'],
      ['Critical', 'NGI'],
      ['Critical', 'sites'],
    ] as const)
      expectJson(await get(name, type), 404, emsg(404, `The report ${name} does not define endpoint group type: ${type}`));
    expectText(
      await get('nonesuch', 'SITES', UNDER_XML),
      404,
      '<root>\n <message>The report with the name nonesuch does not exist</message>\n <code>404</code>\n</root>',
      UTF8_XML,
    );
    const other = await newTenant(scene.status);
    expect((await other.get(`${path('h')}?${START}&${END}`)).status).toBe(404);
  });

  it('begin with the status before the first point, and are ordered by metric and time', async () => {
    const thresholds = { actual_data: 'x=1', threshold_rule_applied: 'x=0:2', original_status: 'CRITICAL' };
    const before = { previous_timestamp: at('23:00:00', '2015-04-30'), previous_state: 'WARNING' };
    await given(
      tenant,
      point(report, { host: 'order', metric: 'b', timestamp: at('09:00:00') }),
      point(report, {
        host: 'order',
        metric: 'a',
        timestamp: at('11:00:00'),
        status: 'CRITICAL',
        previous_timestamp: at('10:00:00'),
        previous_state: 'OK',
        ...thresholds,
      }),
      point(report, { host: 'order', metric: 'a', timestamp: at('10:00:00'), info: { URL: 'u' }, original_status: 'UNKNOWN', ...before }),
      point(report, { host: 'order', metric: 'a', timestamp: at('11:00:00'), status: 'UNKNOWN' }),
      point('other', { host: 'order', metric: 'a', timestamp: at('10:30:00') }),
      point(report, { host: 'order', metric: 'a', timestamp: at('10:30:00'), service: 'web' }),
      point(report, { host: 'order', metric: 'a', timestamp: at('10:30:00'), endpoint_group: 'SITE-B' }),
      point(report, { host: 'order2', metric: 'a', timestamp: at('10:30:00') }),
    );
    const lead = status(before.previous_timestamp, before.previous_state);
    const a = [lead, status(at('10:00:00')), status(at('11:00:00'), 'CRITICAL'), status(at('11:00:00'), 'UNKNOWN')];
    const b = [MISSING, status(at('09:00:00'))];
    const info = { URL: 'u' };
    const get = (query: string, changes = {}, options = {}) =>
      tenant.get(`${path('order', changes)}${span('2015-05-01')}${query}`, options);
    expectJson(await get(''), 200, listing('order', { a, b }, info));
    expectJson(await get('&view=Details'), 200, listing('order', { a, b }, info));
    expectJson(await get('', { metric: 'b' }), 200, listing('order', { b }));
    const detailed = [
      lead,
      status(at('10:00:00'), 'OK', { original_status: 'UNKNOWN' }),
      status(at('11:00:00'), 'CRITICAL', thresholds),
      status(at('11:00:00'), 'UNKNOWN'),
    ];
    expectJson(await get('&view=details', { metric: 'a' }), 200, listing('order', { a: detailed }, info));
    for (const changes of [{ group: 'none' }, { service: 'none' }, { metric: 'none' }, { metric: 'A' }])
      expectJson(await get('', changes), 200, EMPTY);
    expectText(
      await get('&view=details', { metric: 'a' }, UNDER_XML),
      200,
      [
        '<root>',
        ' <group name="SITE-A" type="SITES">',
        '  <group name="CE" type="service">',
        '   <endpoint name="order">',
        '    <metric name="a">',
        '     <status timestamp="2015-04-30T23:00:00Z" value="WARNING"></status>',
        '     <status timestamp="2015-05-01T10:00:00Z" value="OK"></status>',
        '     <status timestamp="2015-05-01T11:00:00Z" value="CRITICAL"></status>',
        '     <status timestamp="2015-05-01T11:00:00Z" value="UNKNOWN"></status>',
        '    </metric>',
        '   </endpoint>',
        '  </group>',
        ' </group>',
        '</root>',
      ].join('\n'),
      UTF8_XML,
    );
  });

  it('cover whole days, and those of the day before if the span has none', async () => {
    const days = ['2015-05-01', '2015-05-02', '2015-05-05'];
    await given(tenant, ...days.map((one, n) => point(report, { host: 'days', timestamp: at(`0${n}:00:00`, one) })));
    await given(tenant, point(report, { host: 'days', metric: 'rare', timestamp: at('12:00:00', '2015-05-01') }));
    const timesOf = async (from: string, to: string, metric = 'ping') =>
      [...(await tenant.get(`${path('days', { metric })}${span(from, to)}`)).text.matchAll(/"timestamp": "(.{13})/g)]
        .map(([, time]) => time)
        .slice(1);
    const [first, second, third] = ['2015-05-01T00', '2015-05-02T01', '2015-05-05T02'];
    for (const [from, to, times] of [
      ['2015-05-01', '2015-05-01', [first]],
      ['2015-05-02', '2015-05-02', [second]],
      ['2015-05-01', '2015-05-02', [first, second]],
      ['2015-01-01', '2015-12-31', [first, second, third]],
      ['2015-05-03', '2015-05-03', [second]],
      ['2015-05-03', '2015-05-04', [second]],
      ['2015-05-04', '2015-05-04', []],
      ['2015-05-05', '2015-05-09', [third]],
      ['2015-05-06', '2015-05-06', [third]],
      ['2015-05-02', '2015-05-01', [first]],
      ['2015-05-03', '2015-05-01', []],
      ['0001-01-01', '9999-12-31', [first, second, third]],
    ] as const)
      expect([from, to, await timesOf(from, to)]).toEqual([from, to, times]);
    expect(await timesOf('2015-05-02', '2015-05-02', 'rare')).toEqual(['2015-05-01T12']);
    const empty = `${path('days')}${span('2015-05-04')}`;
    expectJson(await tenant.get(empty), 200, EMPTY);
    expectText(await tenant.get(empty, UNDER_XML), 200, ' <root></root>', UTF8_XML);
    expectJson(await tenant.get(`${path('days')}${span('0000-01-01')}`), 200, EMPTY);
  });

  it('are found by names with any characters', async () => {
    const odd = 'a b%&"ü';
    await given(tenant, point(report, { host: odd, service: odd, metric: odd, endpoint_group: odd, previous_state: 'OK' }));
    const name = encodeURIComponent(odd);
    const { json } = await tenant.get(`${path(name, { group: name, service: name, metric: name })}${span('2015-05-01')}`);
    const statuses = [status(at('00:00:00')), status(at('12:00:00'))];
    const endpoints = [{ name: odd, metrics: [{ name: odd, statuses }] }];
    expect(json).toEqual({ groups: [{ name: odd, type: 'SITES', services: [{ name: odd, type: 'service', endpoints }] }] });
  });
});
