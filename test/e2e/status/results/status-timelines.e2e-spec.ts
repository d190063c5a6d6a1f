import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/expect-error.js';
import { serving } from '#test/e2e/serving.js';
import { badDate } from '#test/e2e/status/contract.js';
import { emsg, expectJson, newTenant, type TestTenant, UNDER_XML } from '#test/e2e/status/extended-contract.js';
import { badParameters, expectText, parsingError, UTF8_XML } from '#test/e2e/status/metric-data/metric-points.js';
import { onOneDay } from '#test/support/clocks/one-day.js';
import { embedded } from '#test/support/deployments.js';
import { httpClient } from '#test/support/status-client.js';
import { computedReport, INFO, newComputedReport, ODD, RULE } from './computed-report.js';

const span = (from: string, to = from): string => `?start_time=2015-${from}T23:59:59Z&end_time=2015-${to}T00:00:00Z`;
const MAY_1 = span('05-01');
const BOTH = span('05-01', '05-02');

/** Statuses of `1` and `2` May by time, as `1 06:00 CRITICAL`; `!`: affected by a threshold rule. */
const statuses = (...texts: readonly string[]) =>
  texts.map((text) => {
    const [day = '', time = '', value = ''] = text.replace('!', '').split(' ');
    const timestamp = `2015-05-0${day}T${time}${time.length === 5 ? ':00' : ''}Z`;
    return { timestamp, value, ...(text.startsWith('!') && { affected_by_threshold_rule: true }) };
  });
const END_1 = '1 23:59:59';
const END_2 = '2 23:59:59';

const CE = statuses('1 00:00 OK', '1 06:00 WARNING', '1 07:00 CRITICAL', '1 07:30 OK', `${END_1} OK`);
const SE = statuses('1 00:00 OK', '1 08:00 CRITICAL', `${END_1} CRITICAL`);
const H1 = statuses('1 00:00 OK', '1 06:00 CRITICAL', '1 07:30 OK', `${END_1} OK`);
const H2 = statuses('1 00:00 OK', '1 05:00 WARNING', '1 07:00 CRITICAL', '1 08:00 OK', `${END_1} OK`);
const MISSING_1 = statuses('1 00:00 MISSING', `${END_1} MISSING`);
const OK_1 = statuses('1 00:00 OK', `${END_1} OK`);
const SITE_A_MAY_1 = ['1 00:00 OK', '1 06:00 WARNING', '1 07:00 CRITICAL', '1 07:30 OK', '1 08:00 CRITICAL'];
const SITE_A = statuses(...SITE_A_MAY_1, '2 00:00 CRITICAL', `${END_2} CRITICAL`);

const site = (name: string, more: object) => ({ name, type: 'SITES', ...more });
const service = (name: string, more: object) => ({ name, type: 'service', ...more });

const PATHS = [
  '/status/Critical/SITES',
  '/status/Critical/SITES/SITE-A',
  '/status/Critical/SITES/SITE-A/services',
  '/status/Critical/SITES/SITE-A/services/CE',
  '/status/Critical/SITES/SITE-A/services/CE/endpoints',
  '/status/Critical/SITES/SITE-A/services/CE/endpoints/h1',
  '/status/Critical/SITES/SITE-A/endpoints',
  '/status/Critical/endpoints',
  '/status/Critical/metrics/ping',
];
const [SITES = '', SITE = '', SERVICES = '', SERVICE = '', OF_SERVICE = '', ENDPOINT = '', OF_SITE = '', FLAT = ''] = PATHS;
const LOAD = '/status/Critical/metrics/load';

describe('status timelines', () => {
  const scene = serving(embedded);
  let tenant: TestTenant;
  let profiles: readonly object[];
  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    profiles = await computedReport(tenant);
  });
  const v3 = (path: string, options = {}) =>
    httpClient(scene.server.url, '/api/v3').get(`/status/Critical${path}`, { key: `${tenant.name}-viewer`, ...options });

  describe('of version 2', () => {
    it('are of groups', async () => {
      const affected = statuses(...SITE_A_MAY_1.map((text) => `!${text}`), '2 00:00 CRITICAL', `${END_2} CRITICAL`);
      expectJson(await tenant.get(SITE + BOTH), 200, { groups: [site('SITE-A', { statuses: SITE_A })] });
      expectJson(await tenant.get(`${SITE}${BOTH}&view=details`), 200, { groups: [site('SITE-A', { statuses: affected })] });
      const siteB = statuses('1 00:00 OK', '2 00:00 MISSING', `${END_2} MISSING`);
      const odd = statuses('1 00:00 MISSING', '2 00:00 MISSING', `${END_2} MISSING`);
      const groups = [site('SITE-A', { statuses: SITE_A }), site('SITE-B', { statuses: siteB }), site(ODD, { statuses: odd })];
      expectJson(await tenant.get(SITES + BOTH), 200, { groups });
      expectJson(await tenant.get(`${SITES}/none${BOTH}`), 200, { groups: [] });
      expectText(await tenant.get(`${SITES}/none${BOTH}`, UNDER_XML), 200, '<root></root>', UTF8_XML);
    });

    it('are of services', async () => {
      const services = [service('CE', { statuses: CE }), service('SE', { statuses: SE })];
      expectJson(await tenant.get(SERVICES + MAY_1), 200, { groups: [site('SITE-A', { services })] });
      expectJson(await tenant.get(SERVICE + MAY_1), 200, { groups: [site('SITE-A', { services: services.slice(0, 1) })] });
      expectJson(await tenant.get(`${SERVICES}/none${MAY_1}`), 200, { groups: [] });
    });

    it('are of endpoints', async () => {
      const h1 = { name: 'h1', info: INFO, statuses: H1 };
      const ce = (...endpoints: readonly object[]) => service('CE', { endpoints });
      const se = service('SE', { endpoints: [{ name: 'h1', statuses: SE }] });
      expectJson(await tenant.get(ENDPOINT + MAY_1), 200, { groups: [site('SITE-A', { services: [ce(h1)] })] });
      const all = ce(h1, { name: 'h2', statuses: H2 });
      expectJson(await tenant.get(OF_SERVICE + MAY_1), 200, { groups: [site('SITE-A', { services: [all] })] });
      expectJson(await tenant.get(OF_SITE + MAY_1), 200, { groups: [site('SITE-A', { services: [all, se] })] });
      expectJson(await tenant.get(`${OF_SERVICE}/none${MAY_1}`), 200, { groups: [] });
      expectText(
        await tenant.get(`${ENDPOINT}${MAY_1}&view=details`, UNDER_XML),
        200,
        [
          '<root>',
          ' <group name="SITE-A" type="SITES">',
          '  <group name="CE" type="service">',
          '   <endpoint name="h1">',
          ...H1.map(({ timestamp, value }) => `    <status timestamp="${timestamp}" value="${value}"></status>`),
          '   </endpoint>',
          '  </group>',
          ' </group>',
          '</root>',
        ].join('\n'),
        UTF8_XML,
      );
    });

    it('are of all endpoints in pages', async () => {
      const flat = (name: string, ofService: string, supergroup: string, timeline: readonly object[], info?: object) => ({
        name,
        service: ofService,
        supergroup,
        ...(info && { info }),
        statuses: timeline,
      });
      const endpoints = [
        flat('h1', 'CE', 'SITE-A', H1, INFO),
        flat('h2', 'CE', 'SITE-A', H2),
        flat('h1', 'SE', 'SITE-A', SE),
        flat('h3', 'CE', 'SITE-B', OK_1, { ID: '7' }),
        flat(ODD, 'CE', ODD, MISSING_1),
      ];
      expectJson(await tenant.get(FLAT + MAY_1), 200, { endpoints });
      expectJson(await tenant.get(`${FLAT}${MAY_1}&pageSize=0`), 200, { endpoints });
      const cut = [endpoints[0], flat('h2', 'CE', 'SITE-A', H2.slice(0, 1))];
      expectJson(await tenant.get(`${FLAT}${MAY_1}&pageSize=4`), 200, { endpoints: cut, nextPageToken: 'NA==', pageSize: 4 });
      const rest = [flat('h2', 'CE', 'SITE-A', H2.slice(1)), ...endpoints.slice(2)];
      expectJson(await tenant.get(`${FLAT}${MAY_1}&pageSize=1000000000&nextPageToken=NA==`), 200, { endpoints: rest, pageSize: 1e9 });
      expectText(
        await tenant.get(`${FLAT}${MAY_1}&nextPageToken=MTA%3D`, UNDER_XML),
        200,
        [
          '<root>',
          ' <endpoint name="a b%2F&amp;&#34;&lt;ü&gt;&#39;" service="CE" supergroup="a b%2F&amp;&#34;&lt;ü&gt;&#39;">',
          '  <status timestamp="2015-05-01T00:00:00Z" value="MISSING"></status>',
          '  <status timestamp="2015-05-01T23:59:59Z" value="MISSING"></status>',
          ' </endpoint>',
          '</root>',
        ].join('\n'),
        UTF8_XML,
      );
      for (const page of ['pageSize=x', 'pageSize=1.5', 'pageSize=1e9', 'nextPageToken=!', 'nextPageToken=LTE='])
        expect([page, (await tenant.get(`${FLAT}${MAY_1}&${page}`)).status]).toEqual([page, 400]);
    });

    it('are the listed points of one metric in pages', async () => {
      const item = (...points: readonly object[]) => [
        { name: 'h1', service: 'SE', supergroup: 'SITE-A', metric: 'load', statuses: [...points] },
      ];
      const before = { timestamp: '2015-04-30T23:00:00Z', value: 'OK' };
      const [critical = {}] = statuses('1 08:00 CRITICAL');
      expectJson(await tenant.get(LOAD + MAY_1), 200, { endpoint_metrics: item(before, critical) });
      const rule = { actual_data: 'load=95%;', threshold_rule_applied: RULE, original_status: 'OK' };
      expectJson(await tenant.get(`${LOAD}${MAY_1}&view=details`), 200, { endpoint_metrics: item(before, { ...critical, ...rule }) });
      const carried = statuses('1 08:00 CRITICAL', '2 00:00 CRITICAL');
      const second = { endpoint_metrics: item(...carried), pageSize: 1 };
      expectJson(await tenant.get(`${LOAD}${BOTH}&pageSize=1&nextPageToken=MQ==`), 200, second);
      const first = { endpoint_metrics: item(before, critical), nextPageToken: 'MQ==', pageSize: 1 };
      expectJson(await tenant.get(`${LOAD}${BOTH}&pageSize=1`), 200, first);
      expectJson(await tenant.get(`/status/Critical/metrics/none${BOTH}`), 200, { endpoint_metrics: [] });
      expectText(
        await tenant.get(`${LOAD}${MAY_1}&view=details`, UNDER_XML),
        200,
        [
          '<root>',
          ' <endpoint_metric name="h1" service="SE" supergroup="SITE-A" metric="load">',
          '  <status timestamp="2015-04-30T23:00:00Z" value="OK"></status>',
          '  <status timestamp="2015-05-01T08:00:00Z" value="CRITICAL"></status>',
          ' </endpoint_metric>',
          '</root>',
        ].join('\n'),
        UTF8_XML,
      );
    });

    it('end now where the last day is today, and begin one day earlier where the days have nothing', () =>
      onOneDay(async (today) => {
        const { json } = await tenant.get(`${SITE}?start_time=${today}T00:00:00Z&end_time=9999-12-31T00:00:00Z`);
        const timestamp = expect.stringMatching(`^${today}T\\d\\d:\\d\\d:\\d\\dZ$`);
        const closing = { timestamp, value: 'MISSING' };
        expect(json).toEqual({ groups: [site('SITE-A', { statuses: [{ timestamp: `${today}T00:00:00Z`, value: 'MISSING' }, closing] })] });
        expectJson(await tenant.get(`${SITES}${span('04-29')}`), 200, { groups: [] });
        expect((await tenant.get(`${SITE}${span('05-02', '05-01')}`)).json).toEqual((await tenant.get(SITE + MAY_1)).json);
      }));

    it('are not there for reports that compute none, or cannot be computed', async () => {
      await newComputedReport(tenant, 'silent', profiles, { computations: { ar: true, status: false, trends: [] } });
      await newComputedReport(tenant, 'off', profiles, { disabled: true });
      await newComputedReport(tenant, 'bare', []);
      for (const name of ['silent', 'off', 'bare'])
        for (const path of [SITES, SERVICES, OF_SITE]) {
          const answer = await tenant.get(`${path.replace('Critical', name)}${MAY_1}`);
          expect([name, path, answer.status, answer.json]).toEqual([name, path, 200, { groups: [] }]);
        }
      expectJson(await tenant.get(`/status/silent/endpoints${MAY_1}`), 200, { endpoints: [] });
      expectJson(await tenant.get(`/status/silent/metrics/ping${MAY_1}`), 200, { endpoint_metrics: [] });
    });

    it('are found by names with any characters', async () => {
      const name = encodeURIComponent(ODD);
      const endpoints = [{ name: ODD, statuses: MISSING_1 }];
      expectJson(await tenant.get(`${SITES}/${name}/services/CE/endpoints/${name}${MAY_1}`), 200, {
        groups: [site(ODD, { services: [service('CE', { endpoints })] })],
      });
      for (const path of [`${SITES}/a%2Fb`, `${SITE}/`, `${SITES}/`, `${SITE}/other`, '/status/Critical', '/status'])
        expect([path, (await tenant.get(path + MAY_1)).status]).toEqual([path, 404]);
    });

    it('need a time span, a known report of the tenant, and its type of groups', () =>
      onOneDay(async (today) => {
        const other = await newTenant(scene.status);
        for (const path of [...PATHS, LOAD]) {
          const unknown = path.replace('Critical', 'none');
          const problems = badParameters(parsingError('end_time', 'b'), parsingError('start_time', 'a'));
          expectJson(await tenant.get(`${unknown}?start_time=a&end_time=b&end_time=${today}T00:00:00Z&pageSize=x`), 400, problems);
          expectJson(await tenant.get(`${unknown}${MAY_1}&pageSize=x`), 404, emsg(404, 'The report with the name none does not exist'));
          expectJson(await other.get(path + MAY_1), 404, emsg(404, 'The report with the name Critical does not exist'));
          if (!path.includes('SITES')) continue;
          const wrong = path.replace('SITES', 'NGI');
          const text = 'The report Critical does not define endpoint group type: NGI';
          expectJson(await tenant.get(wrong + MAY_1), 404, emsg(404, text));
          const xml = `<root>\n <message>${text}</message>\n <code>404</code>\n</root>`;
          expectText(await tenant.get(wrong + MAY_1, UNDER_XML), 404, xml, UTF8_XML);
        }
      }));
  });

  describe('of version 3', () => {
    it('are of groups with their endpoints', async () => {
      const a = [
        { hostname: 'h1', service: 'CE', info: INFO, statuses: H1 },
        { hostname: 'h2', service: 'CE', statuses: H2 },
        { hostname: 'h1', service: 'SE', statuses: SE },
      ];
      const groups = [
        site('SITE-A', { statuses: statuses(...SITE_A_MAY_1, `${END_1} CRITICAL`), endpoints: a }),
        site('SITE-B', { statuses: OK_1, endpoints: [{ hostname: 'h3', service: 'CE', info: { ID: '7' }, statuses: OK_1 }] }),
        site(ODD, { statuses: MISSING_1, endpoints: [{ hostname: ODD, service: 'CE', statuses: MISSING_1 }] }),
      ];
      expectJson(await v3(MAY_1), 200, { groups });
      expectJson(await v3(MAY_1, UNDER_XML), 200, { groups });
      expectJson(await v3(span('04-28')), 200, { groups: [] });
      expect((await v3(`${MAY_1}&view=details`)).text.match(/affected_by/g)).toHaveLength(7);
    });

    it('are of today without times, or only what is now', () =>
      onOneDay(async (today) => {
        type Groups = { groups: { name: string; statuses: object[]; endpoints: { statuses: object[] }[] }[] };
        const whole = (await v3('')).json as Groups;
        const latest = (await v3('?view=latest')).json as Groups;
        for (const [{ groups }, count] of [
          [whole, 2],
          [latest, 1],
        ] as const) {
          expect(groups.map(({ name }) => name)).toEqual(['SITE-A', 'SITE-B', ODD]);
          for (const { statuses: ofGroup, endpoints } of groups) {
            expect([ofGroup, ...endpoints.map((one) => one.statuses)].map(({ length }) => length)).toEqual([
              count,
              ...endpoints.map(() => count),
            ]);
            expect(ofGroup.at(-1)).toEqual({ timestamp: expect.stringContaining(today), value: 'MISSING' });
          }
        }
      }));

    it('are of the endpoints of a resource', async () => {
      const endpoints = [
        { hostname: 'h1', service: 'CE', group: 'SITE-A', info: INFO, statuses: H1 },
        { hostname: 'h3', service: 'CE', group: 'SITE-B', info: { ID: '7' }, statuses: OK_1 },
      ];
      expectJson(await v3(`/id/7${MAY_1}`), 200, { id: '7', endpoints });
      for (const [query, count] of [
        ['', 1],
        ['?view=latest', 1],
        ['?view=details', 2],
      ] as const) {
        const { json } = await v3(`/id/7${query}`);
        const shown = (json as { endpoints: { statuses: object[] }[] }).endpoints.map((one) => one.statuses.length);
        expect([query, shown]).toEqual([query, [count, count]]);
      }
      const none = { message: 'No endpoints found with resource-id: 8', code: 404 };
      for (const options of [{}, UNDER_XML]) expectJson(await v3(`/id/8${MAY_1}`, options), 404, none);
    });

    it('check the times, then the report', async () => {
      const bad = {
        ...badDate(''),
        errors: [{ ...badDate('').errors[0], details: expect.stringContaining('Error parsing start_time=x - ') }],
      };
      for (const path of ['', '/id/7'])
        for (const options of [{}, UNDER_XML]) {
          const { status, json } = await v3(`${path}?start_time=x&end_time=y`, options);
          expect([status, json]).toEqual([400, bad]);
          expect((await v3(`${path}${MAY_1}&view=latest`, options)).json).toMatchObject({
            errors: [{ details: expect.stringContaining('view=latest') }],
          });
        }
      const unknown = { message: 'The report with the name none does not exist', code: 404 };
      const root = httpClient(scene.server.url, '/api/v3');
      const key = `${tenant.name}-admin`;
      for (const path of ['/status/none', '/status/none/id/7']) expectJson(await root.get(path, { key }), 404, unknown);
    });

    it('are for the tenant roles, and read only', async () => {
      const root = httpClient(scene.server.url, '/api/v3');
      for (const path of ['/status/Critical', '/status/Critical/id/7']) {
        for (const role of ['admin', 'editor', 'viewer', 'admin_ui'])
          expect((await root.get(path, { key: `${tenant.name}-${role}` })).status).toBe(200);
        expectError(await root.get(path, { key: `${tenant.name}-unknown_role` }), 'forbidden');
        expectError(await root.get(path), 'unauthorized');
        expectError(await root.get(path, { key: `${tenant.name}-admin`, accept: 'image/png' }), 'not acceptable');
        const options = await root.call('OPTIONS', path, { accept: null });
        expect([options.status, options.headers.get('allow')]).toEqual([200, 'GET, OPTIONS']);
        for (const method of ['HEAD', 'POST', 'DELETE']) expect((await root.call(method, path)).status).toBe(405);
      }
      expect((await root.get('/nothing')).text).toBe('404 page not found\n');
    });
  });
});
