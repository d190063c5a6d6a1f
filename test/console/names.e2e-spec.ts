import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { issueKey, serving } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { administration, user } from '#test/e2e/status/tenant-calls.js';
import { OPERATOR, SERVICE_TOKEN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { browsing, describeInBrowser } from './browser.js';
import { becomes, finds, queried, shows, untilDrawn, visiting } from './visiting.js';
import { withBackups } from './with-backups.js';

const scene = serving(withBackups);
const visits = visiting(browsing(), () => scene.server.url);
const admin = administration(scene);
let tenant: string;
let auditor: string;
let operator: string;

beforeAll(async () => {
  tenant = await admin.created('Alpine Grid', user('Ada Lovelace', 'ada-key'), user('Bob', 'bob-key'));
  expect((await scene.status.post('/weights', { key: 'ada-key', body: weights('main weights') })).status).toBe(201);
  const [, bob] = await admin.usersOf(tenant);
  expect((await scene.status.post('/weights', { key: 'bob-key', body: weights('other weights') })).status).toBe(201);
  await admin.remove(tenant, `/users/${bob?.id}`);
  await scene.root.post('/v1/projects/monitoring', { key: SERVICE_TOKEN, body: {} });
  await scene.root.put('/v1/projects/monitoring/topics/news', { key: SERVICE_TOKEN, body: {} });
  await scene.root.post('/v1/users/alarm-reader', { key: SERVICE_TOKEN, body: { email: 'reader@x' } });
  auditor = (await issueKey(scene.root, 'ops', 'auditor', 'yearly audit')).key;
  operator = (await issueKey(scene.root, 'ops', 'operator', 'on duty')).key;
  await eventually(() => scene.root.get('/audit/events', { key: auditor })).until(({ status }) => status === 200);
});

const at = (path: string, act: (page: Page) => Promise<unknown>, key = auditor): Promise<void> => visits.at(path, key, act);
const actorsOf = (page: Page) => page.getByRole('table').first().locator('tbody tr td:nth-child(4)');

describeInBrowser('names in place of ids', () => {
  it('stand in lists, asked for in one call, with the id as title', () =>
    at('/events?type=WeightsSnapshotDated', async (page) => {
      await page.getByRole('cell', { name: 'Ada Lovelace' }).waitFor();
      await shows(actorsOf(page), ['erased user', 'Ada Lovelace']);
      const [ada] = await admin.usersOf(tenant);
      await becomes(() => actorsOf(page).last().locator('[title]').getAttribute('title'), ada?.id);
      const calls: string[] = [];
      page.on('request', (request) => request.url().includes('/ops/names') && calls.push(request.url()));
      await page.reload();
      await page.getByRole('cell', { name: 'Ada Lovelace' }).waitFor();
      expect(calls.length).toBe(1);
      await page.getByRole('link', { name: 'WeightsSnapshotDated' }).last().click();
      const event = page.getByRole('region', { name: /^Event \d+$/ });
      await event.getByRole('link', { name: 'status weights main weights', exact: true }).waitFor();
      await event.getByRole('link', { name: 'Ada Lovelace' }).first().click();
      await page.getByRole('heading', { level: 2, name: 'Ada Lovelace' }).waitFor();
      await page.getByRole('button', { name: 'Copy id' }).waitFor();
      const { json } = await scene.root.get('/audit/events?type=PersonalDataRead', { key: OPERATOR });
      expect((json as { items: readonly object[] }).items.length).toBe(1);
    }));

  it('of people are not shown to operators', () =>
    at(
      '/events?type=WeightsSnapshotDated',
      async (page) => {
        await page.getByRole('cell', { name: 'a user of Alpine Grid' }).waitFor();
        await finds(page.getByText('Ada Lovelace'), 0);
      },
      operator,
    ));

  it('are links in the data of an event, in a record and in its differences, for auditors to the versions', () =>
    at('/events?type=TenantUserRemoved', async (page) => {
      await page.getByRole('link', { name: 'TenantUserRemoved' }).click();
      const event = page.getByRole('region', { name: /^Event \d+$/ });
      const link = event.getByRole('link', { name: 'Alpine Grid', exact: true });
      await becomes(() => link.getByTitle(tenant).count(), 1);
      await link.focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/console/resources/status/tenant/${tenant}`);
      const user = page.getByRole('link', { name: 'Ada Lovelace', exact: true });
      await user.first().waitFor();
      await page.getByLabel('Before').selectOption('before it was there');
      const difference = page.getByRole('region', { name: 'Difference' });
      await difference.getByRole('insertion').getByRole('link', { name: 'Ada Lovelace', exact: true }).click();
      const [ada] = await admin.usersOf(tenant);
      await page.waitForURL(`**/console/resources/status/user/${ada?.id}`);
    }));

  it('are links for operators to the events', () =>
    at(
      '/events?type=TenantUserRemoved',
      async (page) => {
        await page.getByRole('link', { name: 'TenantUserRemoved' }).click();
        const event = page.getByRole('region', { name: /^Event \d+$/ });
        await event.getByRole('link', { name: 'Alpine Grid', exact: true }).click();
        await queried(page, 'record', `status/tenant/${tenant}`);
        await page.getByRole('link', { name: 'TenantRegistered' }).waitFor();
      },
      operator,
    ));

  it('are what a search for an actor takes', () =>
    at('/events', async (page) => {
      const actor = page.getByRole('combobox', { name: 'Actor' });
      await actor.fill('love');
      await page.getByRole('option', { name: 'Ada Lovelace' }).waitFor();
      await actor.press('ArrowDown');
      await actor.press('Enter');
      await becomes(() => actor.inputValue(), 'Ada Lovelace');
      await actor.press('Enter');
      await page.waitForURL(/actor=[0-9a-f-]{36}$/);
      await page.getByText('1 event shown').waitFor();
      await actor.fill('nobody at all');
      await page.getByText('No actor has this name.').waitFor();
    }));

  it('count in a search before they are shown', () =>
    at('/changes', async (page) => {
      const [ada] = await admin.usersOf(tenant);
      await page.route('**/ops/names/actor?*', () => {}); // never answered
      await page.goto(`${page.url()}?actor=${ada?.id}`);
      await page.getByLabel('Text', { exact: true }).fill('weights');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await queried(page, 'text', 'weights');
      await queried(page, 'actor', ada?.id);
    }));

  it('lead to the records of a tenant, and an unknown one is said without a failing call', () =>
    at('/resources', async (page) => {
      const refused: string[] = [];
      page.on('response', (response) => response.status() >= 400 && refused.push(response.url()));
      await page.getByLabel('Kind').selectOption('weights');
      const field = page.getByRole('combobox', { name: 'Tenant' });
      await field.click();
      await page.getByRole('option', { name: 'Alpine Grid' }).waitFor();
      await field.fill('Nowhere');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByText('No tenant has this name.').waitFor();
      await field.fill('Alpine Grid');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByRole('link', { name: 'main weights' }).click();
      await page.getByRole('heading', { level: 2, name: /main weights/ }).waitFor();
      expect(refused).toEqual([]);
    }));
});

describeInBrowser('a record that is reached from an event', () => {
  it('says its project, and leads to the records beside it', () =>
    at('/events?type=TopicCreated', async (page) => {
      const refused: string[] = [];
      page.on('response', (response) => response.status() >= 400 && refused.push(response.url()));
      await page.getByRole('link', { name: 'TopicCreated' }).click();
      await page.getByRole('link', { name: 'messaging topic news' }).click();
      const heading = page.getByRole('heading', { level: 2, name: 'news: topic of monitoring' });
      await heading.waitFor();
      await page.getByRole('link', { name: 'Other records' }).click();
      await page.getByText('1 record. What was deleted').waitFor();
      await becomes(() => page.getByRole('combobox', { name: 'Project' }).inputValue(), 'monitoring');
      await page.getByRole('link', { name: 'news' }).click();
      await page.getByRole('link', { name: 'The whole list at this time' }).click();
      await page.getByText('1 record. What was deleted').waitFor();
      await page.goto(`${scene.server.url}/console/resources/messaging/topic/news?scope=monitoring`);
      await heading.waitFor();
      expect(refused).toEqual([]);
    }));

  it('leads to the choice of a tenant where lists are those of one', () =>
    at('/resources?service=status&kind=weights', async (page) => {
      await page.getByRole('combobox', { name: 'Tenant' }).waitFor();
      await page.waitForLoadState('networkidle');
      await untilDrawn(page);
      await finds(page.getByText('0 records'), 0);
    }));
});

describeInBrowser('the search for events', () => {
  it('finds types by a part of their name, and says what is close to an unknown one', () =>
    at('/events', async (page) => {
      const field = page.getByRole('combobox', { name: 'Type' });
      await field.fill('tenantuser');
      await shows(page.getByRole('option'), ['TenantUserAdded', 'TenantUserRemoved']);
      await field.press('Enter');
      await page.getByText('3 events shown').waitFor();
      await field.fill('TenantRegistred');
      await field.press('Enter');
      await page.getByText(/TenantRegistred\. Close to it: TenantRegistered/).waitFor();
      await page.getByRole('combobox', { name: 'Category' }).fill('tenants');
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Escape');
      for (const [label, hint] of [
        ['From', 'included'],
        ['To', 'not included'],
      ] as const) {
        const described = await page.getByLabel(label, { exact: true }).getAttribute('aria-describedby');
        await shows(page.locator(`[id="${described}"]`), [hint]);
      }
    }));
});

describeInBrowser('the view of operations', () => {
  it('erases by name, and asks only what can be done', () =>
    at(
      '/operations',
      async (page) => {
        await page.getByLabel('Kind').selectOption('user of messaging');
        const record = page.getByRole('combobox', { name: 'Person or record' });
        await record.fill('nobody');
        await page.getByRole('button', { name: 'Erase' }).click();
        await page.getByText('No user has this name.').waitFor();
        await record.fill('alarm-reader');
        await page.getByRole('option', { name: /alarm-reader/ }).click();
        await page.route('**/ops/names?record=messaging.user*', (route) => route.abort());
        await page.getByRole('button', { name: 'Erase' }).click();
        await page.getByText('Nothing was lost here: try again once the connection is back.').waitFor();
        await page.unrouteAll({ behavior: 'wait' });
        await page.getByLabel('Kind').selectOption('user of status');
        await record.fill('Ada');
        await page.getByRole('option', { name: /Ada Lovelace/ }).click();
        await page.getByRole('button', { name: 'Erase' }).click();
        const dialog = page.getByRole('dialog', { name: 'Erase Ada Lovelace, user of Alpine Grid?' });
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        await page.getByLabel('Kind').selectOption('user of messaging');
        await record.fill('alarm-reader');
        await page.getByRole('button', { name: 'Erase' }).click();
        const other = page.getByRole('dialog', { name: 'Erase alarm-reader, user of messaging?' });
        await other.getByLabel('Reason').fill('asked for it');
        await other.getByRole('button', { name: 'Erase for good' }).click();
        await page.getByRole('status').getByText('Erased alarm-reader, user of messaging.').waitFor();
        const erasures = page.getByRole('table', { name: 'Erasures' });
        await erasures.getByText('alarm-reader').waitFor();
        await finds(erasures.getByText('…', { exact: true }), 0); // names of the rows before are asked for again
        await page.getByRole('cell', { name: 'the record was deleted' }).first().waitFor(); // of what was deleted without being asked for here
      },
      OPERATOR,
    ));

  it('does not let go of a new key before one has kept it', () =>
    at(
      '/operations',
      async (page) => {
        await page.getByLabel('Name').fill('for the audit');
        await page.getByLabel('Role').selectOption('auditor (ops)');
        await page.getByRole('button', { name: 'Create key' }).click();
        const shown = page.getByRole('dialog', { name: 'The key for the audit' });
        const asked = page.getByRole('dialog', { name: 'Have you kept the key?' });
        const goBack = async () => {
          await asked.getByRole('button', { name: 'Back to the key' }).click();
          await asked.waitFor({ state: 'detached' });
          await shown.locator('code').waitFor();
        };
        await shown.waitFor();
        await page.keyboard.press('Escape');
        await asked.waitFor();
        await page.keyboard.press('Escape');
        await asked.waitFor({ state: 'detached' });
        await page.keyboard.press('Escape');
        await goBack();
        await shown.getByRole('button', { name: 'Close' }).click();
        await goBack();
        await page.goBack();
        await goBack();
        await page.goBack();
        await asked.getByRole('button', { name: 'I have kept it' }).click();
        await shown.waitFor({ state: 'detached' });
        await page.waitForURL('**/console/operations');
        await page.getByRole('cell', { name: 'auditor (ops)' }).first().waitFor();
      },
      operator,
    ));
});
