import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { pretty } from '#test/e2e/status/contract.js';
import { expectJson, newTenant, type TestTenant, UNDER_XML } from '#test/e2e/status/extended-contract.js';
import { deployments, embedded } from '#test/support/deployments.js';
import { at, badParameters, expectText, given, newReport, type Point, parsingError, point, stored, UTF8_XML } from './metric-points.js';

const NOT_SET = [
  'exec_time not set',
  'Please use exec_time url parameter in zulu format (like 2006-01-02T15:04:05Z) to indicate the exact probe execution time',
] as const;
const numeric = (message: string) => ({ message, code: 404 });
const detail = (time: string, value = 'OK', more: Point = {}) => ({ Timestamp: at(time), Value: value, Summary: '', Message: '', ...more });
const answerOf = (host: string, ...metrics: readonly (readonly [service: string, metric: string, ...details: readonly object[]])[]) => ({
  root: [{ Name: host, Metrics: metrics.map(([Service, Name, ...Details]) => ({ Name, Service, Details })) }],
});

describe.each(deployments)('metric results on %s', (_name, open) => {
  const scene = serving(open);

  it('are stored once, can be read when the call is answered, and survive a restart', async () => {
    const tenant = await newTenant(scene.status);
    const report = await newReport(tenant, 'Critical');
    const hours = [...'0123456789'].map((hour) => at(`0${hour}:00:00`));
    const points = hours.flatMap((timestamp) => ['h1', 'h/2', 'h3'].map((host) => point(report, { timestamp, host })));
    const headers = { 'idempotency-key': 'a call' };
    const key = `${tenant.name}-admin`;
    const sendAll = () => scene.status.post('/metric_data', { key, body: points, headers });
    expectJson(await sendAll(), 201, stored(30));
    const reads = [
      `/metric_result/h1?exec_time=${at('00:00:00')}`,
      `/metric_result/h1/ping?exec_time=${at('09:00:00')}`,
      `/status/Critical/SITES/SITE-A/services/CE/endpoints/h1/metrics?start_time=${at('00:00:00')}&end_time=${at('00:00:00')}`,
      `/latest/Critical/SITES?date=${at('00:00:00')}`,
      `/latest/Critical/SITES/SITE-A?date=${at('00:00:00')}&filter=ok&limit=7`,
      '/issues/Critical/endpoints?date=2015-05-01&filter=ok',
      '/issues/Critical/groups/SITE-A/metrics?date=2015-05-01&filter=OK',
    ];
    const readAll = async () => {
      const answers = [];
      for (const path of reads) answers.push(await scene.status.get(path, { key }));
      return answers.map(({ status, text }) => [status, text]);
    };
    const before = await readAll();
    expect(before.map(([status]) => status)).toEqual(reads.map(() => 200));
    expect(before.map(([, text]) => String(text).split(/"[Tt]imestamp"|"hostname"/).length - 1)).toEqual([10, 1, 11, 30, 7, 3, 3]);
    await scene.restart();
    expect(await readAll()).toEqual(before);
    expectJson(await sendAll(), 201, stored(30));
    expect(await readAll()).toEqual(before);
  });
});

describe('metric results', () => {
  const scene = serving(embedded);
  let tenant: TestTenant;
  let report: string;
  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    report = await newReport(tenant, 'Critical');
  });
  const day = (host: string, query = '', options = {}) => tenant.get(`/metric_result/${host}?exec_time=${at('10:20:30')}${query}`, options);
  const single = (host: string, time: string, query = '', options = {}) =>
    tenant.get(`/metric_result/${host}/ping?exec_time=${at(time)}${query}`, options);

  it.each(['/metric_result/h', '/metric_result/h/m'])('at %s need the time of execution', async (path) => {
    expectJson(await tenant.get(path), 400, badParameters(NOT_SET));
    for (const value of ['', '2015-05-01', '2015-02-30T00:00:00Z', '2015-05-01T10:00:00', '2015-05-01T10:00:00Z00', '2015-05-01t10:00:00z'])
      expectJson(await tenant.get(`${path}?exec_time=${value}`), 400, badParameters(parsingError('exec_time', value)));
    const offset = await tenant.get(`${path}?exec_time=2015-05-01T10:00:00%2B00:00`);
    expectJson(offset, 400, badParameters(parsingError('exec_time', '2015-05-01T10:00:00+00:00')));
    const inXml = await tenant.get(path, UNDER_XML);
    expect([inXml.status, inXml.headers.get('content-type')]).toEqual([400, UTF8_XML]);
    expect(inXml.text).toContain('<errors>\n  <error>\n   <message>exec_time not set</message>');
  });

  it('may lack a service, which answers then leave out', async () => {
    await given(
      tenant,
      point(report, { host: 'bare', service: '' }),
      point(report, { host: 'bare', service: '', timestamp: at('13:00:00') }),
      point(report, { host: 'bare' }),
    );
    const bare = { Name: 'ping', Details: [detail('12:00:00'), detail('13:00:00')] };
    const served = { Name: 'ping', Service: 'CE', Details: [detail('12:00:00')] };
    expectJson(await day('bare'), 200, { root: [{ Name: 'bare', Metrics: [bare, served] }] });
    expectJson(await single('bare', '13:00:00'), 200, { root: [{ Name: 'bare', Metrics: [{ ...bare, Details: [detail('13:00:00')] }] }] });
    expectJson(await day('bare', '&service=CE'), 200, { root: [{ Name: 'bare', Metrics: [served] }] });
    const xml = (await day('bare', '', UNDER_XML)).text;
    expect(xml).toContain('<metric name="ping">');
    expect(xml).toContain('<metric name="ping" service="CE">');
    const { text } = await tenant.get(`/latest/Critical/SITES?date=${at('00:00:00')}&limit=-1`);
    expect(JSON.parse(text).data.metric_data).toContainEqual(expect.objectContaining({ endpoint: 'bare', service: '' }));
    for (const path of ['endpoints', 'groups/SITE-A/metrics'])
      expect((await tenant.get(`/issues/Critical/${path}?date=2015-05-01&filter=OK`)).json).toMatchObject({
        data: expect.arrayContaining([expect.objectContaining({ service: '', status: 'OK' })]),
      });
  });

  it.each([undefined, null, ''])('with report %j are for every report', async (none) => {
    const host = `everywhere-${none}`;
    await given(tenant, { ...point('x', { host }), report: none }, point(report, { host, timestamp: at('13:00:00') }));
    const points = [detail('12:00:00'), detail('13:00:00')];
    expectJson(await day(host), 200, answerOf(host, ['CE', 'ping', ...points]));
    expectJson(await single(host, '12:00:00', '&report=Critical'), 200, answerOf(host, ['CE', 'ping', detail('12:00:00')]));
    expectJson(await single(host, '12:00:00', '&report=none'), 404, numeric('The report with the name none does not exist'));
  });

  it('of a day come by service, metric and time, each point once', async () => {
    const more = {
      summary: 'a <b> & "c"',
      message: "it's\nthis",
      actual_data: 'x=1',
      threshold_rule_applied: 'x=0:2',
      original_status: 'CRITICAL',
    };
    await given(
      tenant,
      point(report, { host: 'order', timestamp: at('09:00:00'), service: 'web', metric: 'b' }),
      point(report, { host: 'order', timestamp: at('23:59:59'), service: 'web', metric: 'a', status: 'CRITICAL', ...more }),
      point(report, { host: 'order', timestamp: at('00:00:00'), service: 'web', metric: 'a' }),
      point(report, { host: 'order', timestamp: at('12:00:00'), service: 'db', metric: 'b' }),
      point('another', { host: 'order', timestamp: at('12:00:00'), service: 'db', metric: 'b' }),
      point(report, { host: 'order', timestamp: at('12:00:00'), service: 'db', metric: 'b', message: 'differs' }),
      point(report, { host: 'order', timestamp: at('00:00:00', '2015-05-02') }),
      point(report, { host: 'order', timestamp: at('23:59:59', '2015-04-30') }),
      point(report, { host: 'order.other' }),
    );
    const { summary: Summary, message: Message, ...rest } = more;
    const expected = answerOf(
      'order',
      ['db', 'b', detail('12:00:00'), detail('12:00:00', 'OK', { Message: 'differs' })],
      ['web', 'a', detail('00:00:00'), detail('23:59:59', 'CRITICAL', { Summary, Message, ...rest })],
      ['web', 'b', detail('09:00:00')],
    );
    const answer = await day('order');
    expectJson(answer, 200, expected);
    expect(answer.text).toContain('"Summary": "a \\u003cb\\u003e \\u0026 \\"c\\""');
    expectJson(await day('order', '&service=db'), 200, { root: [{ Name: 'order', Metrics: expected.root[0]?.Metrics.slice(0, 1) }] });
    for (const query of ['&service=', '&service=db&service=web&filter=other', '&report=nonesuch'])
      expect([query, (await day('order', query)).status]).toEqual([query, 200]);
    for (const query of ['&service=D', '&service=DB', '&filter=missing']) expectJson(await day('order', query), 200, { root: [] });
    expectJson(await day('nonesuch'), 200, { root: [] });
  });

  it.each([
    ['', 'OK CRITICAL WARNING UNKNOWN MISSING ok'],
    ['ok', 'OK'],
    ['OK', 'OK'],
    ['non-ok', 'CRITICAL WARNING UNKNOWN MISSING ok'],
    ['NON-OK', 'CRITICAL WARNING UNKNOWN MISSING ok'],
    ['Critical', 'CRITICAL'],
    ['warning', 'WARNING'],
    ['unknown', 'UNKNOWN'],
    ['missing', 'MISSING'],
    ['nonok', 'OK CRITICAL WARNING UNKNOWN MISSING ok'],
  ])('of a day filtered by %j are %s', async (filter, expected) => {
    const host = `filter-${filter}`;
    const statuses = ['OK', 'CRITICAL', 'WARNING', 'UNKNOWN', 'MISSING', 'ok'];
    await given(tenant, ...statuses.map((status, n) => point(report, { host, status, timestamp: at(`0${n}:00:00`) })));
    const { text } = await day(host, `&filter=${filter}`);
    expect([...text.matchAll(/"Value": "(\w+)"/g)].map(([, value]) => value).join(' ')).toBe(expected);
  });

  it('at a second are those of all services and reports, or of one', async () => {
    const other = await newReport(tenant, 'Other <&>');
    const ping = (changes: Point) => point(report, { host: 'single', timestamp: at('10:00:00'), ...changes });
    await given(
      tenant,
      ping({ service: 'web' }),
      ping({ service: 'db' }),
      ping({ report: other }),
      ping({ report: other, status: 'CRITICAL' }),
      ping({ metric: 'pong' }),
      ping({ timestamp: at('10:00:01') }),
      ping({}),
    );
    const critical = detail('10:00:00', 'CRITICAL');
    const all = answerOf(
      'single',
      ['CE', 'ping', detail('10:00:00'), critical],
      ['db', 'ping', detail('10:00:00')],
      ['web', 'ping', detail('10:00:00')],
    );
    expectJson(await single('single', '10:00:00'), 200, all);
    expectJson(await single('single', '10:00:00.75'), 200, all);
    expectJson(await single('single', '10:00:00', '&filter=critical&service=&report='), 200, all);
    expectJson(await single('single', '10:00:00', '&service=db'), 200, answerOf('single', ['db', 'ping', detail('10:00:00')]));
    const ofOther = answerOf('single', ['CE', 'ping', detail('10:00:00'), critical]);
    expectJson(await single('single', '10:00:00', `&report=${encodeURIComponent('Other <&>')}`), 200, ofOther);
    expectJson(
      await single('single', '10:00:00', '&report=Critical&service=web'),
      200,
      answerOf('single', ['web', 'ping', detail('10:00:00')]),
    );
  });

  it('at a second are 404 with a numeric code where there are none, or no such report', async () => {
    await given(tenant, point(report, { host: 'known', timestamp: at('10:00:00') }));
    const notFound = numeric('Metric not found!');
    expectJson(await single('known', '10:00:01'), 404, notFound);
    expectJson(await single('unknown', '10:00:00'), 404, notFound);
    expectJson(await single('known', '10:00:00', '&service=none'), 404, notFound);
    expectJson(await single('known', '10:00:00', '&report=a%20%22b%22'), 404, numeric('The report with the name a "b" does not exist'));
    expectText(
      await single('none', '10:00:00', '', UNDER_XML),
      404,
      ' <root>\n   <message>Metric not found!</message>\n   <code>404</code>\n </root>',
      UTF8_XML,
    );
    const otherTenant = await newTenant(scene.status);
    expectJson(await otherTenant.get(`/metric_result/known/ping?exec_time=${at('10:00:00')}`), 404, notFound);
  });

  it('come with the info of the first point, in the order of its keys', async () => {
    const info = { ID: 'x', URL: 'https://h/?a&b' };
    await given(
      tenant,
      point(report, { host: 'info', timestamp: at('10:00:00'), info: { URL: info.URL, ID: info.ID } }),
      point(report, { host: 'info', timestamp: at('11:00:00'), info: { URL: 'later' } }),
    );
    const Metrics = [{ Name: 'ping', Service: 'CE', Details: [detail('10:00:00'), detail('11:00:00')] }];
    expectJson(await day('info'), 200, { root: [{ Name: 'info', info, Metrics }] });
  });

  it('are XML for callers that ask for it', async () => {
    await given(
      tenant,
      point(report, {
        host: 'x&"m\'l"',
        service: 's<1>',
        timestamp: at('10:00:00'),
        summary: '<ok>',
        message: 'a\nb',
        info: { a: 'b' },
        actual_data: 'x',
      }),
      point(report, { host: 'x&"m\'l"', service: 's<1>', timestamp: at('11:00:00'), status: 'CRITICAL' }),
    );
    expectText(
      await day(encodeURIComponent('x&"m\'l"'), '', UNDER_XML),
      200,
      [
        ' <root>',
        '   <host name="x&amp;&#34;m&#39;l&#34;">',
        '     <metric name="ping" service="s&lt;1&gt;">',
        '       <status timestamp="2015-05-01T10:00:00Z" value="OK">',
        '         <summary>&lt;ok&gt;</summary>',
        '         <message>a&#xA;b</message>',
        '       </status>',
        '       <status timestamp="2015-05-01T11:00:00Z" value="CRITICAL">',
        '         <summary></summary>',
        '         <message></message>',
        '       </status>',
        '     </metric>',
        '   </host>',
        ' </root>',
      ].join('\n'),
      UTF8_XML,
    );
    expectText(await day('empty', '', UNDER_XML), 200, ' <root></root>', UTF8_XML);
    expectText(await day('empty'), 200, pretty({ root: [] }));
  });
});
