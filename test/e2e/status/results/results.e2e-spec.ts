import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { expectJson, newTenant, type TestTenant, UNDER_XML } from '#test/e2e/status/extended-contract.js';
import { badParameters, expectText, given, parsingError, UTF8_XML } from '#test/e2e/status/metric-data/metric-points.js';
import { embedded } from '#test/support/deployments.js';
import { givenConfiguration, givenReport, POINTS } from './results-scene.js';

const emsgn = (message: string) => ({ message, code: 404 });
const bad = (details: string) => badParameters(['Bad Request', details]);
const NOTHING = emsgn('No results found for given query');
const UNKNOWN = emsgn('The report with the name none does not exist');

/** Members of a row in the order of the wire. */
const figures = (availability: string, reliability: string, unknown: string, uptime: string, downtime: string) => ({
  availability,
  reliability,
  unknown,
  uptime,
  downtime,
});
const LAST = figures('100', '100', '0.95833', '0.04167', '0');
const A1 = figures('93.75', '93.75', '0', '0.9375', '0');
const A2 = figures('-1', '-1', '1', '0', '0');
const B1 = figures('54.03509', '81.48148', '0.01042', '0.53472', '0.33333');
const B2 = figures('0', '0', '0', '0', '0');
/** Of SITE-A from the first of May on: means of A1 and A2. */
const A_MAY = figures('93.74999812500005', '93.74999812500005', '0.5', '0.46875', '0');

const DAYS = ['2015-04-30', '2015-05-01', '2015-05-02'] as const;
const daily = (...rows: readonly object[]) => rows.map((row, index) => ({ timestamp: DAYS[index], ...row }));
const INFO = { ID: 'id-1', URL: 'https://h1/<a>' };

const span = (from: string, to = from, more = '') => `?start_time=${from}T23:00:00Z&end_time=${to}T01:00:00Z${more}`;
const ALL = span('2015-04-01', '2015-05-02');
const FIRST = span('2015-05-01');

describe('availability and reliability', () => {
  const scene = serving(embedded);
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    const configuration = await givenConfiguration(tenant);
    await givenReport(tenant, configuration, 'R');
    await givenReport(tenant, configuration, 'silent', { computations: { ar: false, status: true, trends: ['flapping'] } });
    await given(tenant, ...POINTS);
  });
  const results = (path: string, options = {}) => tenant.get(`/results/R${path}`, options);

  it('are numbers in every format and period, whatever the weights', async () => {
    const heavy = await newTenant(scene.status);
    const configuration = await givenConfiguration(heavy);
    await givenReport(heavy, configuration, 'R');
    await given(heavy, ...POINTS);
    const weights = configuration.profiles.find(({ type }) => type === 'weights')?.id;
    const [v2, v3, v5] = [
      `/api/v2/results/R/NGI${ALL}`,
      `/api/v3/results/R${ALL}`,
      `/api/v5/results/R/supergroups${ALL.replaceAll('_time', '-time')}`,
    ];
    const read = async () => {
      const texts: string[] = [];
      for (const granularity of ['daily', 'monthly', 'custom'])
        for (const [path, accept] of [[v2], [v2, 'application/xml'], [v3], [v5]] as const) {
          const call = { key: `${heavy.name}-admin`, ...(accept && { accept }) };
          const { status, text } = await scene.root.get(`${path}&granularity=${granularity}`, call);
          expect([status, text]).toEqual([200, text]);
          texts.push(text);
        }
      return texts;
    };
    for (const values of [
      [1e308, 1e308],
      [1e308, -1e308],
      [-1, -1],
    ] as const) {
      const groups = ['SITE-A', 'SITE-B'].map((name, index) => ({ name, value: values[index] }));
      const body = { name: 'w', weight_type: 'n', group_type: 'SITES', groups };
      expect((await heavy.put(`/weights/${weights}?date=2015-01-01`, body)).status).toBe(200);
      for (const text of await read()) {
        expect(text).toMatch(/availability/);
        expect(text).not.toMatch(/NaN|Infinity|null/);
      }
    }
  });

  it('are of tenants of their own', async () => {
    expect((await results('')).status).toBe(404);
    const other = await newTenant(scene.status);
    expectJson(await other.get(`/results/R/NGI${FIRST}`), 404, emsgn('The report with the name R does not exist'));
  });

  it('of groups of groups are weighed', async () => {
    const first = { timestamp: '2015-05-01', availability: '85.807018', reliability: '91.29629600000001' };
    const second = { timestamp: '2015-05-01', availability: '54.03509', reliability: '81.48148' };
    const [one, two] = [
      { name: 'NGI-1', type: 'NGI', results: [first] },
      { name: 'NGI-2', type: 'NGI', results: [second] },
    ];
    expectJson(await results(`/NGI${FIRST}`), 200, { results: [one, two] });
    expectJson(await results(`/NGI/NGI-2${FIRST}`), 200, { results: [two] });
    const mean = { availability: '92.903509', reliability: '95.648148' };
    const first3 = span('2015-04-30', '2015-05-01', '&granularity=custom');
    expectJson(await results(`/NGI/NGI-1${first3}`), 200, { results: [{ name: 'NGI-1', type: 'NGI', results: [mean] }] });
    expectText(
      await results(`/NGI/NGI-2${FIRST}`, UNDER_XML),
      200,
      ' <root>\n   <group name="NGI-2" type="NGI">\n     <results timestamp="2015-05-01" availability="54.03509" reliability="81.48148"></results>\n   </group>\n </root>',
      UTF8_XML,
    );
  });

  it('of endpoint groups stand under each group that lists them', async () => {
    const a = { name: 'SITE-A', type: 'SITES', results: daily(LAST, A1, A2) };
    const b = { name: 'SITE-B', type: 'SITES', results: daily(LAST, B1, B2) };
    const under = (name: string, ...endpoints: readonly object[]) => ({ name, type: 'NGI', endpoints });
    expectJson(await results(`/SITES${ALL}`), 200, { results: [under('NGI-1', a, b), under('NGI-2', b)] });
    expectJson(await results(`/SITES/SITE-B${ALL}`), 200, { results: [under('NGI-1', b), under('NGI-2', b)] });
    expectJson(await results(`/NGI/NGI-1/SITES${ALL}`), 200, { results: [under('NGI-1', a, b)] });
    expectJson(await results(`/NGI/NGI-2/SITES/SITE-B${ALL}&granularity=daily`), 200, { results: [under('NGI-2', b)] });
    expectJson(await results(`/NGI/NGI-2/SITES/SITE-A${ALL}`), 404, NOTHING);
  });

  it('of months are means, in JSON and XML', async () => {
    const may = { timestamp: '2015-05', ...A_MAY };
    const april = { timestamp: '2015-04', ...figures('99.99997600192579', '99.99997600192579', '0.95833', '0.04167', '0') };
    const endpoints = [{ name: 'SITE-A', type: 'SITES', results: [april, may] }];
    expectJson(await results(`/NGI/NGI-1/SITES/SITE-A${ALL}&granularity=monthly`), 200, {
      results: [{ name: 'NGI-1', type: 'NGI', endpoints }],
    });
    const custom = span('2015-05-01', '2015-05-02', '&granularity=custom');
    expectText(
      await results(`/SITES/SITE-A${custom}`, UNDER_XML),
      200,
      [
        ' <root>',
        '   <group name="NGI-1" type="NGI">',
        '     <group name="SITE-A" type="SITES">',
        '       <results availability="93.74999812500005" reliability="93.74999812500005" unknown="0.5" uptime="0.46875" downtime="0"></results>',
        '     </group>',
        '   </group>',
        ' </root>',
      ].join('\n'),
      UTF8_XML,
    );
  });

  it('of services and endpoints stand under their endpoint group', async () => {
    const web = { name: 'web', type: 'service' };
    const group = (flavor: object) => ({ results: [{ name: 'SITE-A', type: 'SITES', serviceflavors: [flavor] }] });
    const rows = [{ timestamp: '2015-05-01', ...A1 }];
    const endpoints = [{ name: 'h1', type: 'endpoint', info: INFO, results: rows }];
    for (const prefix of ['', '/NGI/NGI-1']) {
      for (const path of ['/services', '/services/web'])
        expectJson(await results(`${prefix}/SITES/SITE-A${path}${FIRST}`), 200, group({ ...web, results: rows }));
      for (const path of ['/endpoints', '/endpoints/h1', '/services/web/endpoints', '/services/web/endpoints/h1'])
        expectJson(await results(`${prefix}/SITES/SITE-A${path}${FIRST}`), 200, group({ ...web, endpoints }));
      for (const path of ['/services/db', '/endpoints/h2', '/services/db/endpoints', '/services/web/endpoints/h2'])
        expectJson(await results(`${prefix}/SITES/SITE-A${path}${FIRST}`), 404, NOTHING);
    }
    expectJson(await results(`/NGI/NGI-2/SITES/SITE-A/services${FIRST}`), 404, NOTHING);
    expectText(
      await results(`/SITES/SITE-A/endpoints${FIRST}`, UNDER_XML),
      200,
      [
        ' <root>',
        '   <group name="SITE-A" type="SITES">',
        '     <group name="web" type="service">',
        '       <group name="h1" type="endpoint">',
        '         <results timestamp="2015-05-01" availability="93.75" reliability="93.75" unknown="0" uptime="0.9375" downtime="0"></results>',
        '       </group>',
        '     </group>',
        '   </group>',
        ' </root>',
      ].join('\n'),
      UTF8_XML,
    );
  });

  it('of all endpoints come in pages', async () => {
    const h1 = { name: 'h1', service: 'web', supergroup: 'SITE-A', type: 'endpoint', info: INFO };
    const h2 = { name: 'h2', service: 'db', supergroup: 'SITE-B', type: 'endpoint', info: { ID: 'id/2' } };
    const [rows1, rows2] = [daily(LAST, A1, A2), daily(LAST, B1, B2)];
    const all = [
      { ...h1, results: rows1 },
      { ...h2, results: rows2 },
    ];
    for (const query of ['', '&pageSize=', '&pageSize=0', '&pageSize=-5', '&nextPageToken='])
      expectJson(await results(`/endpoints${ALL}${query}`), 200, { results: all });
    expectJson(await results(`/endpoints${ALL}&service=db`), 200, { results: [all[1]] });
    expectJson(await results(`/endpoints${ALL}&supergroup=SITE-A&service=`), 200, { results: [all[0]] });
    expectJson(await results(`/endpoints${ALL}&supergroup=SITE-A&service=db`), 404, NOTHING);
    expectJson(await results(`/endpoints${ALL}&pageSize=1000000000`), 200, { results: all, pageSize: 1_000_000_000 });
    const [first, rest] = [rows1.slice(0, 2), rows1.slice(2)];
    expectJson(await results(`/endpoints${ALL}&pageSize=2`), 200, {
      results: [{ ...h1, results: first }],
      nextPageToken: 'Mg==',
      pageSize: 2,
    });
    const second = [
      { ...h1, results: rest },
      { ...h2, results: rows2.slice(0, 1) },
    ];
    expectJson(await results(`/endpoints${ALL}&pageSize=2&nextPageToken=Mg%3D%3D`), 200, {
      results: second,
      nextPageToken: 'NA==',
      pageSize: 2,
    });
    expectJson(await results(`/endpoints${ALL}&pageSize=2&nextPageToken=NA==`), 200, {
      results: [{ ...h2, results: rows2.slice(1) }],
      pageSize: 2,
    });
    expectText(
      await results(`/endpoints${ALL}&pageSize=1&nextPageToken=NQ==`, UNDER_XML),
      200,
      [
        ' <root>',
        '   <group name="h2" service="db" supergroup="SITE-B" type="endpoint">',
        '     <results timestamp="2015-05-02" availability="0" reliability="0" unknown="0" uptime="0" downtime="0"></results>',
        '   </group>',
        ' </root>',
      ].join('\n'),
      UTF8_XML,
    );
    expectJson(await results(`/endpoints${ALL}&nextPageToken=Ng==`), 404, NOTHING);
    for (const size of ['1.5', '1e9', 'x'])
      expectJson(await results(`/endpoints${ALL}&pageSize=${size}`), 400, bad(`pageSize parameter value: ${size} is not an integer`));
    for (const token of ['2', 'LTE=', 'Mg==Mg=='])
      expectJson(
        await results(`/endpoints${ALL}&nextPageToken=${token}`),
        400,
        bad(`nextPageToken parameter value: ${token} is not the token of a page`),
      );
  });

  it('need a period before a report, and a report before types', async () => {
    const spanProblems = badParameters(
      ['No time span set', 'Please use start_time and end_time url parameters to set the prefered time span'],
      [
        'start_time not set',
        'Please use start_time url parameter in zulu format (like 2006-01-02T15:04:05Z) to indicate the query start time',
      ],
      ['Wrong Granularity', ' is not accepted as granularity parameter, please provide either daily, monthly or custom'],
    );
    expectJson(await tenant.get('/results/none/x?granularity='), 400, spanProblems);
    expectJson(
      await results('/x/y/z?start_time=2015-02-30T00:00:00Z&end_time=2015-05-01&end_time=2015-05-01T00:00:00Z&granularity=Daily'),
      400,
      badParameters(parsingError('end_time', '2015-05-01'), parsingError('start_time', '2015-02-30T00:00:00Z'), [
        'Wrong Granularity',
        'Daily is not accepted as granularity parameter, please provide either daily, monthly or custom',
      ]),
    );
    for (const path of ['/endpoints', '/SITES', '/a/b/c', '/a/b/c/d', '/a/b/services', '/a/b/c/d/endpoints/e'])
      expectJson(await tenant.get(`/results/none${path}${FIRST}`), 404, UNKNOWN);
    expectText(
      await tenant.get(`/results/none/NGI${FIRST}`, UNDER_XML),
      404,
      ' <root>\n   <message>The report with the name none does not exist</message>\n   <code>404</code>\n </root>',
      UTF8_XML,
    );
    for (const path of ['/sites', '/sites/SITE-A', '/endpoints/SITE-A'])
      expectJson(await results(`${path}${FIRST}`), 404, emsgn(`The report R does not define any group type: ${path.split('/')[1]}`));
    const noGroup = ['Group type not in report', 'Group type x not present in report R.'] as const;
    const noType = (type: string) =>
      ['Endpoint Group type not in report', `Endpoint Group type ${type} not present in report R. Try using SITES instead`] as const;
    expectJson(await results(`/x/g/SITES${FIRST}`), 400, badParameters(noGroup));
    expectJson(await results(`/NGI/g/y/n${FIRST}`), 400, badParameters(noType('y')));
    expectJson(await results(`/x/g/y/n/services/s/endpoints/e${FIRST}`), 400, badParameters(noGroup, noType('y')));
    for (const path of ['/NGI/g/services', '/NGI/g/services/s', '/NGI/g/endpoints', '/NGI/g/endpoints/e', '/NGI/g/services/s/endpoints'])
      expectJson(await results(`${path}${FIRST}`), 400, badParameters(noType('NGI')));
  });

  it('know the first and the deepest type of a report, whatever is between', async () => {
    const schema = { group: { type: 'A', group: { type: 'B', group: { type: 'C' } } } };
    expect((await tenant.post('/reports', { info: { name: 'deep' }, topology_schema: schema })).status).toBe(201);
    const deep = (path: string) => tenant.get(`/results/deep${path}${FIRST}`);
    for (const path of ['/A', '/C', '/C/c', '/A/a/C', '/C/c/services']) expectJson(await deep(path), 404, NOTHING);
    expectJson(await deep('/B'), 404, emsgn('The report deep does not define any group type: B'));
    const noType = 'Endpoint Group type B not present in report deep. Try using C instead';
    expectJson(await deep('/A/a/B'), 400, badParameters(['Endpoint Group type not in report', noType]));
  });

  it('are nothing before the first point, after today, in no days, for unknown names and where they are not wanted', async () => {
    for (const query of [span('2015-04-29'), span('9999-12-31'), span('2015-05-02', '2015-05-01')])
      for (const path of ['/NGI', '/SITES', '/SITES/SITE-A/services', '/SITES/SITE-A/endpoints', '/endpoints'])
        expectJson(await results(`${path}${query}`), 404, NOTHING);
    for (const path of ['/NGI/x', '/SITES/x', '/SITES/x%20%C3%A9%25/services', '/NGI/x/SITES'])
      expectJson(await results(`${path}${FIRST}`), 404, NOTHING);
    for (const path of ['/NGI', '/SITES', '/SITES/SITE-A/services', '/endpoints'])
      expectJson(await tenant.get(`/results/silent${path}${FIRST}`), 404, NOTHING);
    const everything = span('0001-01-01', '9999-12-31', '&granularity=custom');
    expect((await results(`/endpoints${everything}`)).text.match(/"availability"/g)).toHaveLength(2);
  });
});
