import type { Page } from 'playwright-core';
import { dayBefore } from './month/caller.js';
import { type MonthTenant, REPORT, TROUBLED } from './month/status.js';

/** A view of the console, as a key of both roles sees it. */
export type Shown = Readonly<{
  /** Below `/console`. */
  path: string;
  /** Name of the part that `act` opens in it. */
  what?: string;
  act?: (page: Page) => Promise<unknown>;
}>;

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();

const difference = async (page: Page): Promise<void> => {
  await press('Difference')(page);
  await page
    .getByRole('region', { name: 'Difference' })
    .getByText(/differs?/)
    .waitFor();
};

const goTo = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill('alerts');
  await page
    .getByRole('option', { name: /subscription/ })
    .first()
    .waitFor();
};

const suggestions = async (page: Page): Promise<void> => {
  await page.getByRole('combobox', { name: 'Type' }).fill('tenantuser');
  await page.getByRole('option').first().waitFor();
};

const refusal = async (page: Page): Promise<void> => {
  await page.getByLabel('Directory').fill('/outside');
  await page.getByRole('button', { name: 'Back up now' }).click();
  await page.getByRole('alert').waitFor();
};

const newKey = async (page: Page): Promise<void> => {
  await page.getByLabel('Name').fill('for a look');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog').locator('code').waitFor();
};

const erasure = async (page: Page): Promise<void> => {
  await page.getByLabel('Person or record').fill('monitoring-reader');
  await page.getByRole('button', { name: 'Erase' }).click();
  await page.getByRole('dialog').waitFor();
};

const explanation = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByRole('region', { name: 'Explanation' }).waitFor();
};

const proof = (page: Page) => page.getByRole('status').getByText('The proof holds').waitFor();

/** Every view, everything that opens in one, and each dialog. @param tenant of a month @param now its end */
export const everyView = ({ id: tenant }: MonthTenant, now: number): readonly Shown[] => {
  const day = `/status?${new URLSearchParams({ tenant, report: REPORT, group: TROUBLED, day: dayBefore(now, 14) })}`;
  const repairs = '/messaging/monitoring/subscriptions/repairs';
  return [
    { path: '' },
    { path: '/changes' },
    { path: '/changes?kind=metric_profile', what: 'a difference', act: difference },
    { path: '/projections' },
    { path: '/projections/status.tenants' },
    { path: '/projections/status.reports', what: 'the dialog of an event to skip', act: press('Skip event') },
    { path: '/events', what: 'suggestions', act: suggestions },
    { path: '/events/3' },
    { path: '/events?type=Nothing' },
    { path: '/events', what: 'Go to', act: goTo },
    { path: '/resources' },
    { path: `/resources?service=status&kind=metric_profile&scope=${tenant}` },
    { path: '/resources/messaging/subscription/alerts-reader?scope=monitoring' },
    { path: `/resources/status/tenant/${tenant}?as-of=${dayBefore(now, 400)}T00:00:00Z` },
    { path: '/actors' },
    { path: '/actors/LOGBOOK_STATUS_ADMIN_KEY?kind=key' },
    { path: '/integrity' },
    { path: '/integrity/proofs/3', act: proof },
    { path: '/integrity/proofs/999999' },
    { path: '/messaging' },
    { path: '/messaging?tab=subscriptions' },
    { path: '/messaging/monitoring' },
    { path: '/messaging/monitoring/topics/alerts', what: 'a chart as table', act: press(/^Show as table/) },
    {
      path: '/messaging/monitoring/topics/not-taken',
      what: 'dead letters',
      act: (page) => page.getByRole('tab', { name: 'Dead letters' }).click(),
    },
    { path: repairs },
    { path: `${repairs}?tab=dead-letters`, what: 'data', act: press('Show data') },
    { path: `${repairs}?tab=dead-letters`, what: 'the dialog of a redrive', act: press('Redrive all') },
    { path: `${repairs}?tab=versions` },
    { path: `${repairs}?as-of=${dayBefore(now, 400)}T00:00:00Z` },
    { path: '/accounting?project=alpine-grid' },
    { path: day, what: 'an explanation', act: explanation },
    { path: '/operations', what: 'a refusal', act: refusal },
    { path: '/operations', what: 'the dialog of a new key', act: newKey },
    { path: '/operations', what: 'the dialog of an erasure', act: erasure },
    { path: '/operations', what: 'the dialog of a signing key', act: press('New signing key') },
    { path: '/nowhere' },
  ];
};
