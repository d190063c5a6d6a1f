import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { unauthorized } from '#test/e2e/status/contract.js';
import { newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { onOneDay } from '#test/support/clocks/one-day.js';
import { embedded } from '#test/support/deployments.js';
import { pointsOf, smallReport } from './small-report.js';

const TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
/** As Prometheus asks. */
const PROMETHEUS = 'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.4,*/*;q=0.1';
const STATES = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'CRITICAL', 'DOWNTIME'];
const REPORT = 'Small "one"';
const LABELS = 'report="Small \\"one\\"",group="SITE-A"';

const before = (day: string, offset: number): string => new Date(Date.parse(day) - offset * 86_400_000).toISOString().slice(0, 10);

describe('GET /metrics/status', () => {
  const scene = serving(embedded);
  let tenant: TestTenant;

  const scrape = (query = '', accept = PROMETHEUS) => scene.root.get(`/metrics/status${query}`, { accept, key: `${tenant.name}-viewer` });
  /** Values by series. */
  const series = async (query = ''): Promise<ReadonlyMap<string, string>> => {
    const { text } = await scrape(query);
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]));
  };

  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    await smallReport(tenant, REPORT);
    await smallReport(tenant, 'Other');
  });

  it('has no groups before there are results', async () => {
    const answer = await scrape();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, TYPE]);
    expect(answer.text).toMatch(/^# TYPE logbook_group_status stateset\n/);
    expect(answer.text).toMatch(/\n# EOF\n$/);
    expect(answer.text).not.toContain('SITE-A');
  });

  it('shows the status of a group, its figures of today, and error budgets of the thresholds of the report', () =>
    onOneDay(async (today) => {
      // critical all the time since the day before yesterday
      for (const offset of [2, 1, 0])
        expect((await tenant.post('/metric_data', pointsOf(before(today, offset), ['00:00:00', 'CRITICAL']))).status).toBe(201);
      const found = await series();
      const states = STATES.map((state) => found.get(`logbook_group_status{${LABELS},logbook_group_status="${state}"}`));
      expect(states).toEqual(['0', '0', '0', '0', '1', '0']);
      expect(found.get(`logbook_group_availability_ratio{${LABELS}}`)).toBe('0');
      expect(found.get('logbook_report_objective_ratio{report="Small \\"one\\"",objective="availability"}')).toBe('0.8');
      for (const window of ['1h', '6h', '1d', '30d']) {
        const labels = `${LABELS},objective="availability",window="${window}"`;
        expect(Number(found.get(`logbook_group_burn_rate{${labels}}`))).toBeCloseTo(5, 9); // all fails, a fifth may
        expect(Number(found.get(`logbook_group_error_budget_remaining_ratio{${labels}}`))).toBeCloseTo(-4, 9);
      }
      expect([...found.keys()].filter((name) => name.includes('SITE-A'))).toHaveLength(2 * (6 + 2 + 2 * 4 * 2));
    }));

  it('narrows down to reports, and knows no others', async () => {
    const names = [...(await series('?report=Other')).keys()];
    expect(names.every((name) => name.includes('report="Other"'))).toBe(true);
    expect((await series('?report=Other&report=Small%20%22one%22')).size).toBe((await series()).size);
    const unknown = await scrape('?report=none');
    expect([unknown.status, unknown.json]).toEqual([404, { message: 'The report with the name none does not exist', code: 404 }]);
  });

  it('is for users of tenants who accept OpenMetrics', async () => {
    const answer = await scene.root.get('/metrics/status', { accept: PROMETHEUS });
    expect([answer.status, answer.json]).toEqual([401, unauthorized]);
    expect((await scrape('', 'application/openmetrics-text')).status).toBe(200);
    expect((await scrape('', 'application/json')).status).toBe(406);
    expect((await scene.root.post('/metrics/status', { key: `${tenant.name}-viewer` })).status).toBe(405);
    expect((await scene.root.call('OPTIONS', '/metrics/status')).headers.get('allow')).toBe('GET, OPTIONS');
    expect((await scene.root.get('/metrics/other')).status).toBe(404);
  });
});
