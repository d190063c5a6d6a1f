import { beforeAll, expect, it } from '@jest/globals';
import { issueKey, serving } from '#test/e2e/serving.js';
import { embedded, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { browsing, describeInBrowser } from './browser.js';
import { becomes, callsOf, finds, queried, visiting } from './visiting.js';

const scene = serving(embedded);
const visits = visiting(browsing(), () => scene.server.url);
let auditor: string;

beforeAll(async () => {
  ({ key: auditor } = await issueKey(scene.root, 'ops', 'auditor'));
});

const post = async (path: string, body: object = {}) =>
  expect(
    (await scene.root.post(`/accounting-system${path}`, { headers: { authorization: `Bearer ${SYSTEM_ADMIN}` }, body })).status,
  ).toBeLessThan(300);

const PROJECTS = 101;
const acronymOf = (number: number): string => `PROJECT-${`${number}`.padStart(3, '0')}`;

const createProjects = async () => {
  const dates = { start_date: '2020-01-01', end_date: '2032-12-31', call_identifier: 'EXAMPLE-2026' };
  for (let number = 1; number <= PROJECTS; number += 1)
    await post('/admin/projects', { id: `id-${number}`, acronym: acronymOf(number), title: `Project ${number}`, ...dates });
  await post('/providers', { id: 'hpc', name: 'Alpine HPC', website: 'https://hpc.example.org', external_id: 'x-hpc' });
  await post(`/projects/id-${PROJECTS}/associate/provider/hpc`);
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
      await project.fill('no such project');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByText('No project has this name.').waitFor();
      await finds(page.getByRole('alert'), 0);
    });
  });
});
