import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { signIn } from '#test/console/chromium.js';
import { dayBefore } from '#test/console/month/caller.js';
import type { Month } from '#test/console/month/month.js';
import { REPORT, TROUBLED } from '#test/console/month/status.js';
import { OPERATOR } from '#test/support/deployments.js';
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
  isPrinted?: boolean;
}>;

/** Where the views of the month show most. */
export const placesOf = ({ tenants }: Month) => {
  const [tenant] = tenants;
  const daysAgo = (days: number): string => dayBefore(Date.now(), days);
  const status = `/status?${new URLSearchParams({ tenant: tenant?.id ?? '', report: REPORT })}`;
  return {
    status,
    outageCell: new RegExp(`^${TROUBLED}, ${daysAgo(14)}`),
    /** The installation is a day old. */
    earlier: daysAgo(0),
    duty: '/messaging/monitoring/subscriptions/duty-desk',
    profileChanges: '/changes?service=status&text=profile',
  };
};

const table = (page: Page) => page.getByRole('table').first().waitFor();
const chart = (page: Page) => page.getByRole('img').first().waitFor();

const pictures = (places: ReturnType<typeof placesOf>): readonly Picture[] => {
  const { status, duty } = places;
  const overview = { path: '', act: (page: Page) => page.getByRole('img', { name: /^Events over the last hour/ }).waitFor() };
  const difference = async (page: Page) => {
    const item = page.getByRole('listitem').filter({ hasText: 'changed the metric profile checks' }).first();
    await item.getByRole('button', { name: 'Difference' }).click();
    await page.getByRole('region', { name: 'Difference' }).getByRole('listitem').first().waitFor();
  };
  const hover = async (page: Page) => {
    await page.getByRole('button', { name: places.outageCell }).hover();
    await page.getByRole('tooltip').waitFor();
  };
  const scrolled = async (page: Page) => {
    await table(page);
    await page
      .getByRole('figure')
      .first()
      .evaluate((figure) => figure.scrollIntoView());
  };
  const proof = (page: Page) => page.getByRole('status').getByText('The proof holds').waitFor();
  return [
    { name: 'overview', ...overview, height: 900 },
    { name: 'overview-dark', ...overview, scheme: 'dark', height: 900 },
    {
      name: 'go-to',
      path: '/messaging/monitoring',
      act: async (page) => {
        await table(page);
        await page.keyboard.press('Control+K');
        await page.getByRole('combobox', { name: 'Go to' }).fill('mon');
        await page.getByRole('option', { name: /user/ }).first().waitFor();
      },
    },
    { name: 'changes', path: places.profileChanges, act: difference },
    { name: 'changes-dark', path: places.profileChanges, act: difference, scheme: 'dark' },
    { name: 'projections', path: '/projections' },
    { name: 'projection', path: '/projections/messaging.counters', act: chart },
    {
      name: 'events',
      path: '/events?type=ThresholdsProfileSnapshotDated,MetricProfileSnapshotDated,TenantUserAdded',
      act: (page) => page.getByRole('row').nth(1).click(),
    },
    {
      name: 'resource-difference',
      path: '/resources?service=messaging&kind=subscription&scope=monitoring',
      act: async (page) => {
        await page.getByRole('link', { name: 'alerts-reader' }).click();
        await page.getByRole('heading', { name: 'Difference' }).evaluate((heading) => heading.scrollIntoView());
      },
    },
    { name: 'actors', path: '/actors', act: table },
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
    { name: 'proof', path: '/integrity/proofs/3', act: proof, height: 1_000 },
    { name: 'proof-on-paper', path: '/integrity/proofs/3', act: proof, isPrinted: true, width: 794, height: 1_123 },
    { name: 'messaging', path: '/messaging/monitoring', act: table, height: 900 },
    { name: 'subscription', path: duty, act: chart, height: 720 },
    { name: 'subscription-narrow', path: duty, act: chart, width: 390, height: 844 },
    { name: 'dead-letters', path: `${duty}?tab=dead-letters`, act: (page) => page.getByRole('checkbox').first().check() },
    { name: 'accounting', path: '/accounting?project=alpine-grid', act: table, height: 1_200 },
    { name: 'status', path: status, act: hover },
    { name: 'status-dark', path: status, act: hover, scheme: 'dark' },
    { name: 'status-narrow', path: status, act: scrolled, width: 390, height: 844 },
    { name: 'explanation', path: status, act: explain, height: 1_000 },
    { name: 'past', path: `${status}&as-of=${places.earlier}T00:00:00Z`, act: table },
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
  ];
};

/** Opens a day with several outages, and why its figure is what it is. */
export const explain = async (page: Page): Promise<void> => {
  const cells = page.getByRole('button', { name: /: availability [7-9]\d[. ]/ });
  const sum = page.locator('dt', { hasText: 'Availability' }).locator('xpath=following-sibling::dd');
  await cells.first().waitFor();
  for (let at = 0; at < (await cells.count()); at += 1) {
    await cells.nth(at).click();
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('region', { name: 'Explanation' }).waitFor();
    if ((await sum.textContent())?.match(/down/g)?.length === 2) break;
  }
  await page
    .getByRole('heading', { level: 2 })
    .last()
    .evaluate((heading) => heading.scrollIntoView());
};

/** @param wanted a part of the names of those that are taken */
export const takePictures = async (browser: Browser, url: string, month: Month, folder: string, wanted: string): Promise<void> => {
  for (const picture of pictures(placesOf(month))) {
    const { name, path, isOpen, act, scheme = 'light', width = 1_280, height = 800, isPrinted } = picture;
    if (!name.includes(wanted)) continue;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, baseURL: url });
    const page = await context.newPage();
    page.on('pageerror', ({ message }) => console.error(`${name}: ${message}`));
    await page.goto(isOpen ? path : `/console${path}`);
    if (!isOpen) await signIn(page, OPERATOR);
    await page.mouse.move(0, 0); // the button of the form was where a chart may be
    await act?.(page);
    await page.getByText('Loading …').first().waitFor({ state: 'detached' });
    if (isPrinted) {
      await page.emulateMedia({ media: 'print' });
      await page.evaluate("document.body.style.padding = '16mm'");
    }
    await page.waitForTimeout(500); // charts draw themselves
    writeFileSync(join(folder, `${name}.png`), smallPng(await page.screenshot()));
    await context.close();
  }
};
