import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from '@jest/globals';
import { issueKey, serving } from '#test/e2e/serving.js';
import { embedded, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { browsing, describeInBrowser } from './browser.js';
import { becomes, callsOf, finds, queried, shows, visiting } from './visiting.js';

const scene = serving(embedded);
const visits = visiting(browsing(), () => scene.server.url);
let auditor: string;

beforeAll(async () => {
  ({ key: auditor } = await issueKey(scene.root, 'ops', 'auditor'));
});

const post = async <T>(path: string, body: object = {}): Promise<T> => {
  const { status, text, json } = await scene.root.post(`/accounting-system${path}`, {
    headers: { authorization: `Bearer ${SYSTEM_ADMIN}` },
    body,
  });
  expect([status < 300, text]).toEqual([true, text]);
  return json as T;
};

const PROJECTS = 101;
const acronymOf = (number: number): string => `PROJECT-${`${number}`.padStart(3, '0')}`;

const createProjects = async () => {
  const dates = { start_date: '2020-01-01', end_date: '2032-12-31', call_identifier: 'EXAMPLE-2026' };
  for (let number = 1; number <= PROJECTS; number += 1)
    await post('/admin/projects', { id: `id-${number}`, acronym: acronymOf(number), title: `Project ${number}`, ...dates });
  await post('/providers', { id: 'hpc', name: 'Alpine HPC', website: 'https://hpc.example.org', external_id: 'x-hpc' });
  await post(`/projects/id-${PROJECTS}/associate/provider/hpc`);
};

const define = async (metric_name: string, unit_type: string, metric_type: string) => {
  const definition = { metric_name, metric_description: metric_name, unit_type, metric_type };
  return (await post<{ metric_definition_id: string }>('/metric-definitions', definition)).metric_definition_id;
};

/** Usage of two installations of a provider: a sum of both, an average of one. Returns a function that records more of the first. */
const recordUsage = async () => {
  const [cpu, stored] = [await define('cpu time', 'CPU Time', 'aggregated'), await define('stored', 'TB', 'averaged')];
  const install = async (installation: string) => {
    const place = { project: `id-${PROJECTS}`, organisation: 'hpc', infrastructure: 'cloud', installation };
    return (await post<{ id: string }>('/installations', place)).id;
  };
  const period = { time_period_start: '2026-01-10T00:00:00Z', time_period_end: '2026-01-10T12:00:00Z' };
  const record = (id: string, metric_definition_id: string, value: number) =>
    post(`/installations/${id}/metrics`, { metric_definition_id, ...period, value, group_id: 'physics' });
  const [north, south] = [await install('north'), await install('south')];
  await record(north, cpu, 1_000);
  await record(north, stored, 3);
  await record(south, cpu, 500);
  return () => record(north, cpu, 7);
};

describeInBrowser('the view of accounting', () => {
  it('says that there are no projects', () =>
    visits.at('/accounting', auditor, (page) => page.getByText('There are no projects yet.').waitFor()));

  it('shows the first project at once, and finds any of more than a hundred by its name', async () => {
    await createProjects();
    await visits.at('/accounting', auditor, async (page) => {
      const project = page.getByRole('combobox', { name: 'Project' });
      await page.getByText('Nothing was recorded for this.').waitFor();
      await becomes(() => project.inputValue(), acronymOf(1));
      const asked = callsOf(page);
      await project.fill('project-101');
      await page.getByRole('option', { name: acronymOf(PROJECTS) }).click();
      await queried(page, 'project', `id-${PROJECTS}`);
      await page.getByLabel('Provider').getByText('Alpine HPC').waitFor({ state: 'attached' });
      expect(asked.some((call) => call.includes('/admin/projects'))).toBe(false);
      await page.getByText('Nothing was recorded for this.').waitFor();
      await project.fill('no such project');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByText('No project has this name.').waitFor();
      await finds(page.getByText('Nothing was recorded for this.').or(page.getByRole('button', { name: 'Download CSV' })), 0);
      await finds(page.getByRole('alert'), 0);
    });
  });

  it('sums the usage of a quarter by provider, which stands by its name, and shows the last day of a period as included', async () => {
    const more = await recordUsage();
    await visits.at(`/accounting?project=id-${PROJECTS}&from=2026-01-01&to=2026-03-31`, auditor, async (page) => {
      const totals = page.getByRole('table', { name: 'Totals by provider' });
      await shows(totals.locator('tbody').getByRole('row'), ['Alpine HPCcpu time1,500 CPU Time']);
      const usage = page.getByRole('table', { name: 'Usage from 2026-01-01 to 2026-03-31' });
      await shows(usage.locator('tbody').getByRole('row'), [
        expect.stringMatching(/^northAlpine HPCcpu time2026-01-012026-03-311,000 CPU Time/),
        expect.stringMatching(/^northAlpine HPCstored2026-01-012026-03-313 TB/),
        expect.stringMatching(/^southAlpine HPCcpu time2026-01-012026-03-31500 CPU Time/),
      ]);
      await page.getByText('Averages have no sum: stored.').waitFor();
      await page.getByText('In the file the end of a period is not included.').waitFor();
      await more();
      const file = await visits.downloaded(page, () => page.getByRole('button', { name: 'Download CSV' }).click());
      const [outcome, table] = await Promise.all([page.getByRole('status').boundingBox(), totals.boundingBox()]);
      expect(outcome?.y).toBeLessThan(table?.y ?? 0);
      await totals.getByRole('columnheader', { name: 'Sum of the periods' }).waitFor();
      const lines = (await readFile(file, 'utf8')).trimEnd().split('\r\n');
      expect([lines.length, lines.filter((line) => /,1000(\.0)?,/.test(line)).length, lines.at(-1)]).toEqual([
        5,
        1,
        expect.stringMatching(/^id-101,hpc,,,.*,cpu time,,CPU Time,,2026-01-01T00:00:00Z,2026-04-01T00:00:00Z,,,,1500$/),
      ]);
    });
  });

  it('begins a month before the last event up to a position', async () => {
    await visits.at('/accounting', auditor, async (page) => {
      await page.route(/\/audit\/events\?.*order=desc/, (route) =>
        route.fulfill({ json: { items: [{ time: '2026-02-15T12:00:00.000Z' }] } }),
      );
      const { head } = (await scene.root.get('/ops/log', { key: auditor })).json as { head: number };
      await page.goto(`${scene.server.url}/console/accounting?as-of=${head}`);
      await becomes(() => page.getByLabel('From', { exact: true }).inputValue(), '2026-01-15');
      await becomes(() => page.getByLabel('To', { exact: true }).inputValue(), '2026-02-15');
    });
  });
});
