import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { issueKey, serving } from '#test/e2e/serving.js';
import { ADMIN, OPERATOR, SERVICE_TOKEN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { firstOverview } from '#test/support/first-overview.js';
import { registerTenant } from '#test/support/status-client.js';
import { flawsEverywhere } from './axe.js';
import { browsing, describeInBrowser } from './browser.js';
import { becomes, finds, shows, visiting } from './visiting.js';
import { withBackups } from './with-backups.js';

const scene = serving(withBackups);
const visits = visiting(browsing(), () => scene.server.url);
const v1 = (method: string, path: string, body: object) =>
  scene.root.call(method, `/v1/projects/monitoring${path}`, { key: SERVICE_TOKEN, body });

let auditor: string;
beforeAll(async () => {
  auditor = (await issueKey(scene.root, 'ops', 'auditor')).key;
});

const tile = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

describeInBrowser('the overview', () => {
  it('shows the first steps of an empty installation, and no table', async () => {
    await visits.at('', OPERATOR, async (page) => {
      await page.getByRole('heading', { level: 2, name: 'First steps' }).waitFor();
      for (const step of ['Create a tenant', 'Create a project', 'Register a provider'])
        await page.getByRole('listitem').filter({ hasText: step }).waitFor();
      await finds(page.getByRole('table'), 0);
      const guides = page.getByRole('link', { name: 'Guide', exact: true });
      const toDocs = expect.stringMatching(/^[^#]*\/docs#/);
      await becomes(() => guides.evaluateAll((links) => links.map((link) => link.getAttribute('href'))), [toDocs, toDocs, toDocs]);
      expect(await flawsEverywhere(page)).toEqual([]);
      await page.getByRole('link', { name: 'Guides', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Guides by role' }).waitFor();
      expect(await flawsEverywhere(page)).toEqual([]);
      await page.getByRole('link', { name: 'publisher' }).click();
      await page.getByRole('heading', { level: 1, name: 'Publisher' }).waitFor();
      expect(await flawsEverywhere(page)).toEqual([]);
    });
  });

  it('shows each service and the log in a tile, and one line about projections that are all live', async () => {
    await registerTenant(scene.status, ADMIN, 'EGI', ['admin']);
    await v1('POST', '', {});
    await v1('PUT', '/topics/alerts', {});
    await v1('PUT', '/subscriptions/reader', { topic: 'projects/monitoring/topics/alerts' });
    await v1('POST', '/topics/alerts:publish', { messages: Array.from({ length: 3 }, () => ({ data: 'aGVsbG8=' })) }); // in the same hour
    await visits.at('', auditor, async (page) => {
      await tile(page, 'Messaging').getByText('3 waiting', { exact: true }).waitFor();
      await tile(page, 'Messaging')
        .getByText(/^oldest \d+ (s|min)/)
        .waitFor();
      await tile(page, 'Messaging')
        .getByRole('img', { name: /24 hours: least 0, most 3, newest [03]$/ }) // 0 when the hour has ended since
        .waitFor();
      await tile(page, 'Status').getByText('no groups yet').waitFor();
      await tile(page, 'Accounting').getByText('no usage yet').waitFor();
      await tile(page, 'Log').getByText('no anchor yet').waitFor();
      await becomes(() => tile(page, 'Log').getByRole('link').getAttribute('href'), '/console/integrity');
      await page.getByText(/^All \d+ projections are live$/).waitFor();
      await finds(page.getByRole('table', { name: /^Projections/ }), 0);
    });
  });

  it('says of usage, chain and anchor that a node without them does not know them, and of a chain that is switched off that it is off', async () => {
    const { services, ...rest } = await firstOverview(scene.server.url, auditor);
    const chain = { status: 'off', size: 0, lagSeconds: 0, anchorAgeSeconds: null, unanchoredSeconds: 0 };
    const [elsewhere, off] = [null, services.hours].map((hours) =>
      JSON.stringify({ ...rest, chain, services: { ...services, lastUsageAt: null, hours } }),
    );
    await visits.at('/changes', auditor, async (page) => {
      let shown = elsewhere;
      await page.route('**/console/live', (route) => route.fulfill({ contentType: 'text/event-stream', body: `data: ${shown}\n\n` }));
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click();
      await tile(page, 'Accounting').getByText('last usage not known on this node').waitFor();
      await tile(page, 'Log').getByText('chain on other nodes').waitFor();
      await tile(page, 'Log').getByText('last anchor not known on this node').waitFor();
      const fact = (name: string) => page.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd');
      await shows(fact('Chain'), ['on other nodes']);
      await shows(fact('Last anchor'), ['not known on this node']);
      shown = off;
      await tile(page, 'Log').getByText('chain off').waitFor();
      await shows(fact('Chain'), [expect.stringMatching(/^off/)]);
      await shows(fact('Last anchor'), ['none yet']);
      await page.unrouteAll({ behavior: 'wait' });
    });
  });
});

describeInBrowser('the view of projections', () => {
  it('says which read models are behind, and by how much', () =>
    visits.at('', OPERATOR, async (page) => {
      type Shown = Readonly<{ name: string }>;
      const late = <One extends Shown>(one: One, events: number): One =>
        one.name === 'status.results' ? { ...one, state: 'catching-up', lag: { events, seconds: 75 } } : one;
      await page.route(/\/ops\/projections(\/status\.results)?$/, async (route) => {
        const answer = (await (await route.fetch()).json()) as Shown | Readonly<{ items: readonly Shown[] }>;
        await route.fulfill({
          json: 'items' in answer ? { ...answer, items: answer.items.map((one) => late(one, 1_000)) } : late(answer, 120),
        });
      });
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Projections' }).click();
      const row = page.getByRole('row', { name: /^status\.results / });
      await row.getByRole('cell', { name: 'catching-up' }).waitFor();
      await row.getByRole('cell', { name: '1,000 events or more, 1 min 15 s', exact: true }).waitFor();
      await finds(page.getByRole('cell', { name: /\d events?( or more)?, / }), 1);
      await row.getByRole('link').click();
      await page.locator('dd', { hasText: /^120 events, 1 min 15 s$/ }).waitFor();
      await page.unrouteAll({ behavior: 'wait' });
    }));
});

describeInBrowser('the page of a projection', () => {
  it('says how fast events are applied, the slowest of them, and the lag of the last hour', () =>
    visits.at('/projections/status.tenants', OPERATOR, async (page) => {
      const fact = (name: string) => page.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd');
      await registerTenant(scene.status, ADMIN, 'EOSC', ['admin']);
      await eventually(() => fact('Events out').textContent()).until((text) => /^0\.\d+ \/s$/.test(text ?? ''));
      await shows(fact('Caught up in'), ['is caught up']);
      const figure = async (name: string) => Number(await fact(name).textContent());
      await becomes(async () => (await figure('Position')) <= (await figure('Head')), true);
      await page.getByRole('img', { name: /^Lag over the last hour in seconds/ }).waitFor();
      await page.getByRole('button', { name: 'Show as table' }).click();
      await finds(page.getByRole('table', { name: /^Lag over the last hour/ }).getByRole('row'), 61);
      await fact('Slowest event').getByRole('link').click();
      await page.getByRole('region', { name: /^Event \d+$/ }).waitFor();
    }));
});
