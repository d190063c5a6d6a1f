import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { issueKey, servingAlone } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { newTenant } from '#test/e2e/status/extended-contract.js';
import { smallReport } from '#test/e2e/status/results/small-report.js';
import { withClock } from '#test/faults/parts/programs.js';
import { embedded, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { browsing, describeInBrowser } from './browser.js';
import { shows, visiting } from './visiting.js';

const DAY_SECONDS = 86_400;
const [EARLIER, LAST_WEEK] = [20, 6];
let clock: string;

const scene = servingAlone(async () => {
  const deployment = await embedded();
  clock = join(deployment.dataDirectory, 'clock');
  await writeFile(clock, `${-EARLIER * DAY_SECONDS}`);
  return { ...deployment, environment: { ...deployment.environment, ...withClock(clock) } };
});
const visits = visiting(browsing(), () => scene.server.url);
const dayAgo = (days: number): string => new Date(Date.now() - days * DAY_SECONDS * 1_000).toISOString().slice(0, 10);
const liveUntil = (daysAgo: number) => scene.restart(() => writeFile(clock, `${-daysAgo * DAY_SECONDS}`));

/** @param key of a user of the tenant */
const describeProfile = async (key: string, id: string, description: string) => {
  const body = { name: 'metrics-Small', description, services: [{ service: 'web', metrics: ['http'] }] };
  expect((await scene.status.put(`/metric_profiles/${id}?date=2015-01-01`, { key, body })).status).toBe(200);
};

const account = async <T>(path: string, body: object = {}): Promise<T> => {
  const headers = { authorization: `Bearer ${SYSTEM_ADMIN}` };
  const { status, json, text } = await scene.root.post(`/accounting-system${path}`, { headers, body });
  expect([status < 300, text]).toEqual([true, text]);
  return json as T;
};

/** @returns records usage of a provider on the day before everything else */
const accounting = async () => {
  const dates = { start_date: '2020-01-01', end_date: '2032-12-31', call_identifier: 'EXAMPLE-2026' };
  await account('/admin/projects', { id: 'grid', acronym: 'GRID', title: 'Grid', ...dates });
  await account('/providers', { id: 'hpc', name: 'Alpine HPC', website: 'https://hpc.example.org', external_id: 'x-hpc' });
  await account('/projects/grid/associate/provider/hpc');
  const { metric_definition_id } = await account<{ metric_definition_id: string }>('/metric-definitions', {
    ...{ metric_name: 'cpu time', metric_description: 'Processor time of jobs', unit_type: 'CPU Time', metric_type: 'aggregated' },
  });
  const place = { project: 'grid', organisation: 'hpc', infrastructure: 'cloud', installation: 'north' };
  const { id } = await account<{ id: string }>('/installations', place);
  const day = dayAgo(EARLIER + 1);
  return (hour: number, value: number) =>
    account(`/installations/${id}/metrics`, {
      ...{ metric_definition_id, value, group_id: 'physics' },
      time_period_start: `${day}T0${hour}:00:00Z`,
      time_period_end: `${day}T0${hour}:30:00Z`,
    });
};

const open = (page: Page, view: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: view, exact: true }).click();

const changes = (page: Page) => page.getByRole('list', { name: 'Changes', exact: true }).getByRole('listitem');

/** Leaves the changes of last week. */
const ofLastWeek = async (page: Page): Promise<void> => {
  await page.getByLabel('From', { exact: true }).fill(dayAgo(LAST_WEEK + 2));
  await page.getByLabel('To', { exact: true }).fill(dayAgo(LAST_WEEK - 2));
  await page.getByRole('button', { name: 'Search', exact: true }).click();
};

let auditor: string;
beforeAll(async () => {
  auditor = (await issueKey(scene.root, 'ops', 'auditor')).key;
  const tenant = await newTenant(scene.status);
  const key = `${tenant.name}-admin`;
  const { metric } = await smallReport(tenant, 'Small');
  await describeProfile(key, metric, 'Checked every six hours');
  const record = await accounting();
  await record(1, 1_000);
  await liveUntil(LAST_WEEK);
  await describeProfile(key, metric, 'Checked every twelve hours');
  expect((await scene.status.post('/weights', { key, body: weights('cores') })).status).toBe(201);
  await record(2, 500);
  await liveUntil(0);
  await describeProfile(key, metric, 'Checked twice a day');
});

describeInBrowser('an auditor finds', () => {
  it('who changed a profile last week, what exactly, and what followed from it', () =>
    visits.at('', auditor, async (page) => {
      await open(page, 'Changes');
      await page.getByLabel('Kind').selectOption('metric profile');
      await ofLastWeek(page);
      await shows(changes(page), [expect.stringMatching(/^admin changed the metric profile metrics-Small in tenant-\d+/)]);
      await page.getByRole('button', { name: 'Difference' }).click();
      const difference = page.getByRole('region', { name: 'Difference' });
      await shows(difference.getByRole('deletion'), ['six']);
      await shows(difference.getByRole('insertion'), ['twelve']);
      await page.getByRole('button', { name: 'Effects' }).click();
      await page
        .getByRole('region', { name: 'Effects' })
        .getByText('No event followed directly from it. Results use it from 2015-01-01 until the day of the next snapshot.')
        .waitFor();
    }));

  it('what one person did last week, as sentences', () =>
    visits.at('', auditor, async (page) => {
      await open(page, 'Actors');
      await page.getByRole('link', { name: 'admin', exact: true }).click();
      await page.getByRole('link', { name: 'Choose by day, kind or text' }).click();
      await ofLastWeek(page);
      await shows(changes(page), [
        expect.stringMatching(/^admin created the weights cores in tenant-\d+/),
        expect.stringMatching(/^admin changed the metric profile metrics-Small in tenant-\d+/),
      ]);
    }));

  it('the usage of a project as it was reported on a day of the past', () =>
    visits.at('', auditor, async (page) => {
      await open(page, 'Accounting');
      const totals = page.getByRole('table', { name: 'Totals by provider' }).locator('tbody').getByRole('row');
      await shows(totals, ['Alpine HPCcpu time1,500 CPU Time']);
      const then = dayAgo(LAST_WEEK + 4);
      await page.getByLabel('As of', { exact: true }).fill(then);
      await page.getByLabel('As of', { exact: true }).press('Enter');
      await page.getByRole('region', { name: 'The past' }).getByText(`You see ${then} 00:00:00 UTC`).waitFor();
      await shows(totals, ['Alpine HPCcpu time1,000 CPU Time']);
      const file = await visits.downloaded(page, () => page.getByRole('button', { name: 'Download CSV' }).click());
      expect([basename(file), await readFile(file, 'utf8')]).toEqual([
        expect.stringContaining(`-as-of-${then.replaceAll('-', '')}`),
        expect.stringMatching(/,,,,1000\r?\n$/),
      ]);
    }));
});
