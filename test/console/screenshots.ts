/**
 * `npm run screenshots`: pictures of every view, with a month of data, and of the documentation of the API into `docs/console`. With a name
 * (`npm run screenshots -- events`) only those whose names have it in them.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ADMIN, embedded, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { startLogbook } from '#test/support/logbook-process.js';
import { openChromium, signIn } from './chromium.js';
import { fillMonth } from './month/month.js';
import { REPORT, TROUBLED } from './month/status.js';
import { smallPng } from './small-png.js';

type Picture = Readonly<{
  name: string;
  /** Below `/console`; with `isOpen`, of a page that nobody signs in to. */
  path: string;
  isOpen?: boolean;
  /** What is done before the picture is taken. */
  act?: (page: Page) => Promise<unknown>;
  scheme?: 'light' | 'dark';
  width?: number;
  height?: number;
}>;

const FOLDER = 'docs/console';
const [wanted = ''] = process.argv.slice(2);

const pictures = (tenant: string, day: string): readonly Picture[] => {
  const status = `/status?${new URLSearchParams({ tenant, report: REPORT })}`;
  const map = (page: Page) => page.getByRole('table').first().waitFor();
  return [
    { name: 'overview', path: '' },
    { name: 'overview-dark', path: '', scheme: 'dark' },
    { name: 'projections', path: '/projections' },
    { name: 'projection', path: '/projections/status.dated-records' },
    { name: 'events', path: '/events?service=status', act: (page) => page.getByRole('row').nth(3).click(), scheme: 'light' },
    { name: 'events-dark', path: '/events?service=messaging', act: (page) => page.getByRole('row').nth(3).click(), scheme: 'dark' },
    { name: 'resources', path: `/resources/status/tenant/${tenant}`, act: map },
    {
      name: 'resource-difference',
      path: '/resources?service=messaging&kind=subscription&scope=monitoring',
      act: async (page) => {
        await page.getByRole('link', { name: 'alerts-reader' }).click();
        await page.getByRole('heading', { name: 'Difference' }).evaluate((heading) => heading.scrollIntoView());
      },
    },
    { name: 'actors', path: '/actors', act: map },
    {
      name: 'integrity',
      path: '/integrity',
      act: async (page) => {
        await page.getByRole('button', { name: 'Sign anchor now' }).click();
        await page.getByRole('status').getByText('The newest anchor').waitFor();
        await page.getByRole('button', { name: 'Verify now' }).click();
        await page.getByRole('status').getByText('Intact').waitFor();
      },
      height: 1_000,
    },
    { name: 'messaging', path: '/messaging/monitoring', act: map },
    { name: 'messaging-topic', path: '/messaging/monitoring/metric-data', act: (page) => page.getByRole('img').first().waitFor() },
    { name: 'accounting', path: '/accounting?project=alpine-grid', act: map, height: 1_300 },
    { name: 'status', path: status, act: map },
    { name: 'status-dark', path: status, act: map, scheme: 'dark' },
    {
      name: 'status-day',
      path: `${status}&${new URLSearchParams({ group: TROUBLED, day })}`,
      act: (page) => page.getByRole('button', { name: 'Explain' }).waitFor(),
      height: 1_500,
    },
    { name: 'operations', path: '/operations' },
    {
      name: 'docs',
      path: '/docs',
      isOpen: true,
      act: async (page) => {
        await page.getByPlaceholder('Filter by tag').fill('topics');
        await page.locator('.opblock-tag').first().click();
        await page.locator('.opblock-summary-control').first().click();
        await page.getByRole('heading', { name: 'Responses' }).first().waitFor();
      },
      height: 1_200,
    },
    { name: 'events-narrow', path: '/events', width: 375, height: 800 },
    { name: 'status-narrow', path: status, act: map, width: 375, height: 800 },
  ];
};

const main = async (): Promise<void> => {
  const deployment = await embedded();
  const server = await startLogbook(deployment.environment);
  const browser = await openChromium();
  try {
    const target = { url: server.url, statusKey: ADMIN, messagingKey: SERVICE_TOKEN, accountingToken: SYSTEM_ADMIN };
    const { tenants } = await fillMonth(target);
    const day = new Date(Date.now() - 14 * 86_400_000).toISOString().slice(0, 10);
    mkdirSync(FOLDER, { recursive: true });
    for (const { name, path, isOpen, act, scheme = 'light', width = 1_280, height = 800 } of pictures(tenants[0]?.id ?? '', day)) {
      if (!name.includes(wanted)) continue;
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, baseURL: server.url });
      const page = await context.newPage();
      page.on('pageerror', ({ message }) => console.error(`${name}: ${message}`));
      await page.goto(isOpen ? path : `/console${path}`);
      if (!isOpen) await signIn(page, OPERATOR);
      await act?.(page);
      await page.getByText('Loading …').first().waitFor({ state: 'detached' });
      await page.waitForTimeout(500); // charts draw themselves
      writeFileSync(join(FOLDER, `${name}.png`), smallPng(await page.screenshot()));
      await context.close();
    }
  } finally {
    await browser.close();
    await server.stop();
    await deployment.dispose();
  }
};

await main();
