import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { records } from '#test/e2e/accounting/records.js';
import { accountingServing, expectMessage, FORBIDDEN, pageIn } from '#test/e2e/accounting/serving.js';
import { onOneDay } from '#test/support/clocks/one-day.js';
import { embedded } from '#test/support/deployments.js';

const SETTING = '/admin/settings/ENTITLEMENTS_MANAGEMENT';

describe('the administration of the accounting service', () => {
  const scene = accountingServing(embedded);

  it('lists the operands and operators of searches', async () => {
    const client = await scene.caller('anyone');
    const [operands, operators] = [await client.get('/operands'), await client.get('/operators')];
    expect([operands.status, operands.json]).toEqual([
      200,
      [
        ['eq', '=='],
        ['lt', '<'],
        ['lte', '<='],
        ['gt', '>'],
        ['gte', '>='],
        ['neq', '!='],
      ].map(([label, display_value]) => ({ label, display_value })),
    ]);
    expect([operators.status, operators.json]).toEqual([
      200,
      [
        { label: 'and', display_value: 'AND' },
        { label: 'or', display_value: 'OR' },
      ],
    ]);
  });

  it('shows the version of the program', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    const answer = await scene.admin.get('/admin/version');
    expect([answer.status, answer.json]).toEqual([200, { version }]);
  });

  describe('settings', () => {
    const listed = async () => pageIn(await scene.admin.get('/admin/settings/metadata'));
    const metadata = (current_value: string) => ({
      key: 'ENTITLEMENTS_MANAGEMENT',
      current_value,
      default_value: 'database',
      allowed_values: ['oidc', 'database'],
    });

    it('change at once, and survive a restart', async () => {
      expect((await listed()).content).toEqual([metadata('database')]);
      for (const value of ['oidc', 'oidc']) expectMessage(await scene.admin.put(SETTING, { value }), 200, 'Setting updated successfully.');
      expect((await listed()).content).toEqual([metadata('oidc')]);
      await scene.restart();
      expect(await listed()).toEqual({
        size_of_page: 1,
        number_of_page: 1,
        total_elements: 1,
        total_pages: 1,
        content: [metadata('oidc')],
        links: [],
      });
      expectMessage(await scene.admin.put(SETTING, { value: 'database' }), 200, 'Setting updated successfully.');
      expect((await scene.admin.get('/admin/settings/metadata?page=2')).json).toMatchObject({ content: [], total_elements: 1 });
    });

    it.each<[path: string, body: unknown, code: number, message: string]>([
      [SETTING, undefined, 400, 'The request body is empty.'],
      [SETTING, {}, 400, 'value may not be empty.'],
      [SETTING, { value: '' }, 400, 'value may not be empty.'],
      [SETTING, { value: null }, 400, 'value may not be empty.'],
      [SETTING, { value: 'OIDC' }, 400, 'Invalid value for setting ENTITLEMENTS_MANAGEMENT'],
      [SETTING, { value: 1 }, 400, 'Invalid value for setting ENTITLEMENTS_MANAGEMENT'],
      ['/admin/settings/NOSUCH', { value: 'oidc' }, 404, 'HTTP 404 Not Found'],
      ['/admin/settings/NOSUCH', undefined, 404, 'HTTP 404 Not Found'],
      ['/admin/settings/entitlements_management', { value: 'oidc' }, 404, 'HTTP 404 Not Found'],
      ['/admin/settings/constructor', { value: 'oidc' }, 404, 'HTTP 404 Not Found'],
    ])('%s with %j answer %i', async (path, body, code, message) => {
      expectMessage(await scene.admin.put(path, body), code, message);
      expectMessage(await (await scene.caller('nobody')).put(path, body), 403, FORBIDDEN);
    });
  });

  describe('counts of records by the day of their creation', () => {
    type Counts = Readonly<Record<'metric_definition_count' | 'metric_count' | 'actor_count', number>>;
    const counts = async (startDate: string, endDate: string) =>
      (await scene.admin.get(`/admin/metrics?startDate=${startDate}&endDate=${endDate}`)).json as Counts;
    const make = records(() => scene.admin);

    it('include the end day for clients only', () =>
      onOneDay(async (today) => {
        const day = (offset: number) => new Date(Date.parse(today) + offset * 86_400_000).toISOString().slice(0, 10);
        const windows = [
          [-1, 1],
          [0, 1],
          [-3, 0],
          [0, 0],
          [-9, -2],
        ] as const;
        const counted = () => Promise.all(windows.map(([from, to]) => counts(day(from), day(to))));
        const before = await counted();
        await (await scene.caller(`counted ${today}`)).post('/clients');
        const [kept, dropped] = [await make.definition(), await make.definition()];
        expect((await scene.admin.delete(`/metric-definitions/${dropped.metric_definition_id}`)).status).toBe(200);
        const { project, provider } = await make.pair();
        const { id } = await make.installation(project, provider);
        await make.metric(id, kept.metric_definition_id);
        const metric = await make.metric(id, kept.metric_definition_id);
        expect((await scene.admin.delete(`/installations/${id}/metrics/${metric.metric_id}`)).status).toBe(200);

        const more = [
          [1, 1, 1],
          [1, 1, 1],
          [0, 0, 1],
          [0, 0, 1],
          [0, 0, 0],
        ] as const;
        const expected = before.map((one, at) => {
          const [definitions = 0, metrics = 0, actors = 0] = more[at] ?? [];
          return {
            metric_definition_count: one.metric_definition_count + definitions,
            metric_count: one.metric_count + metrics,
            actor_count: one.actor_count + actors,
          };
        });
        expect(await counted()).toEqual(expected);
        expect((await scene.admin.delete(`/admin/projects/${project}`)).status).toBe(200);
        expect((await counted())[0]).toEqual({ ...expected[0], metric_count: before[0]?.metric_count });
      }));

    it.each([
      ['2031-2-30', '2031-03-02'],
      ['2031-1-1', '2031-12-31'],
      ['2031-1-1', '9999-12-32'],
    ])('take days spelled like %s and %s', async (start, end) =>
      expect((await scene.admin.get(`/admin/metrics?startDate=${start}&endDate=${end}`)).status).toBe(200),
    );

    it.each([
      ['', 'Invalid date format. Use yyyy-MM-dd'],
      ['?startDate=2031-01-01', 'Invalid date format. Use yyyy-MM-dd'],
      ['?endDate=2031-01-01', 'Invalid date format. Use yyyy-MM-dd'],
      ['?startDate=2031-01-01&endDate=', 'Invalid date format. Use yyyy-MM-dd'],
      ['?startDate=01-01-2031&endDate=2031-01-01', 'Invalid date format. Use yyyy-MM-dd'],
      ['?startDate=2031-01-01T00:00:00Z&endDate=2031-01-02', 'Invalid date format. Use yyyy-MM-dd'],
      ['?startDate=2031-01-02&endDate=2031-01-01', 'Invalid date range. Start date must be before end date.'],
    ])('refuse the query %s', async (query, message) => {
      expectMessage(await scene.admin.get(`/admin/metrics${query}`), 400, message);
      expectMessage(await (await scene.caller('nobody')).get(`/admin/metrics${query}`), 403, FORBIDDEN);
    });
  });
});
