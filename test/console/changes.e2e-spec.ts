import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createProject } from '#test/e2e/messaging/calls.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { ADMIN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { registerTenant } from '#test/support/status-client.js';
import { browsing, describeInBrowser } from './browser.js';
import { becomes, finds, queried, shows, visiting } from './visiting.js';
import { withBackups } from './with-backups.js';

const scene = serving(withBackups);
const { at } = visiting(browsing(), () => scene.server.url);
const key = 'alpine-admin';
let auditor: string;
let operator: string;

const items = (page: Page) => page.getByRole('list', { name: 'Changes', exact: true }).getByRole('listitem');

beforeAll(async () => {
  auditor = (await issueKey(scene.root, 'ops', 'auditor')).key;
  operator = (await issueKey(scene.root, 'ops', 'operator')).key;
  await registerTenant(scene.status, ADMIN, 'alpine', ['admin']);
  const { json } = await scene.status.post('/weights?date=2026-01-15', { key, body: weights('cores') });
  const { id } = (json as { data: { id: string } }).data;
  await scene.status.put(`/weights/${id}?date=2026-03-01`, { key, body: { ...weights('cores'), weight_type: 'cores of old' } });
  await scene.status.put(`/weights/${id}?date=2026-03-01`, { key, body: { ...weights('cores'), weight_type: 'cores of today' } });
  const project = await createProject(scene, 'monitoring');
  await project.topic('metrics');
  // In one call: those of another minute are another item.
  await project.post('/topics/metrics:publish', { messages: [{ data: 'aGk=' }, { data: 'aG8=' }] });
  await eventually(() => scene.root.get('/audit/changes', { key: auditor })).until(({ status }) => status === 200);
});

describeInBrowser('the view of changes', () => {
  it('says who changed what where, and what differs from the snapshot before', () =>
    at('/changes?kind=weights', auditor, async (page) => {
      await items(page).getByText('admin changed the weights cores in alpine').first().waitFor();
      await finds(items(page), 3);
      await shows(items(page).getByText(/^from .* on$/), ['from 2026-03-01 on', 'from 2026-03-01 on', 'from 2026-01-15 on']);
      const differences = page.getByRole('button', { name: 'Difference' });
      const region = page.getByRole('region', { name: 'Difference' });
      await differences.nth(0).click();
      await region.getByText('against the snapshot of 2026-03-01').waitFor();
      await shows(region.getByRole('deletion'), ['old']);
      await shows(region.getByRole('insertion'), ['today']);
      await differences.nth(1).click();
      await region.getByText('against the snapshot of 2026-01-15').waitFor();
      await finds(region, 1);
      await differences.nth(2).click();
      await region.getByText('the first snapshot').waitFor();
      await page.getByRole('button', { name: 'Effects' }).first().click();
      const effects = page.getByRole('region', { name: 'Effects' });
      await effects.getByText('No event followed directly from it.').waitFor();
      await finds(effects.getByRole('list'), 0);
      await finds(region, 0);
      await page.getByRole('link', { name: 'cores' }).first().click();
      await page.getByRole('heading', { level: 2, name: 'cores: weights of alpine' }).waitFor();
      await page.getByRole('heading', { level: 1, name: 'Resources' }).waitFor();
      await page
        .getByRole('status')
        .getByText(/^Version 3: changed by admin, /)
        .waitFor();
      await region.getByText('against the snapshot of 2026-03-01').waitFor();
      const versions = page.getByRole('table', { name: 'Versions, newest first' });
      await finds(versions.getByText('later', { exact: true }), 0);
      await versions.getByRole('link', { name: '2', exact: true }).click();
      await region.getByText('against the snapshot of 2026-01-15').waitFor();
      await finds(versions.getByText('later', { exact: true }), 1);
    }));

  it('filters by service, kind, actor and text, which stand in the address, and shows new ones by itself', () =>
    at('/changes', auditor, async (page) => {
      await items(page).getByText('created the topic metrics in monitoring').waitFor();
      await finds(items(page).getByText('published'), 0);
      await page.getByLabel('Show traffic').check();
      await items(page).getByText('published 2 messages to the topic metrics in monitoring').waitFor();
      await queried(page, 'traffic', 'true');
      await page.getByLabel('Show traffic').uncheck();
      await page.getByLabel('Service').selectOption('status');
      await page.getByLabel('Actor').fill('admin');
      await page.getByRole('option', { name: /^admin · alpine/ }).click();
      await page.getByLabel('Text').fill('created');
      await page.waitForURL(/\?service=status&actor=[0-9a-f-]{36}&text=created$/);
      await shows(items(page), [expect.stringMatching(/^admin created the weights cores in alpine/)]);
      await page.getByRole('button', { name: 'Clear' }).click();
      await items(page).getByText('created the topic metrics').waitFor();
      await finds(items(page).getByText(' read '), 0);
      await page.getByLabel('Show reads').check();
      await items(page).getByText('read personal data').first().waitFor();
      await registerTenant(scene.status, ADMIN, 'boreal', ['admin']);
      await items(page).getByText('created the tenant boreal').waitFor();
    }));

  it('keeps a day that is half typed when the text before it is searched', () =>
    at('/changes', auditor, async (page) => {
      await page.getByLabel('Text').fill('created the topic');
      await page.getByLabel('From').fill('2020-01');
      await page.waitForURL(/\?text=created\+the\+topic$/);
      await shows(items(page), [expect.stringMatching(/created the topic metrics in monitoring/)]);
      await page.getByLabel('From').pressSequentially('-02');
      await page.getByLabel('From').press('Enter');
      await page.waitForURL(/\?text=created\+the\+topic&from=2020-01-02$/);
    }));

  it('shows no changes of all while the name of an actor is not known, and clears the name with the filters', () =>
    at('/changes?text=created', auditor, async (page) => {
      await items(page).getByText('created the topic metrics').waitFor();
      await page.getByLabel('Actor').fill('nobody of this name');
      await page.getByText('No actor has this name.').waitFor();
      await finds(items(page), 0);
      await page.getByRole('button', { name: 'Clear' }).click();
      await items(page).getByText('created the topic metrics').waitFor();
      await finds(page.getByText('No actor has this name.'), 0);
      await becomes(() => page.getByLabel('Actor').inputValue(), '');
    }));

  it('makes the page of an actor of the same sentences, older ones with More', () =>
    at('/changes?kind=weights', auditor, async (page) => {
      await page.getByRole('link', { name: 'admin' }).first().click();
      await page.getByRole('heading', { level: 2, name: /^admin/ }).waitFor();
      await items(page).getByText('admin changed the weights cores in alpine').first().waitFor();
      await page.getByRole('button', { name: 'Difference' }).first().click();
      await page.getByRole('region', { name: 'Difference' }).getByText('against the snapshot of 2026-03-01').waitFor();
      await page.getByRole('link', { name: 'Choose by day, kind or text' }).click();
      await page.waitForURL(/\/changes\?actor=[0-9a-f-]{36}$/);
    }));

  it('shows the past, without what came later', () =>
    at('/changes?kind=topic', auditor, async (page) => {
      await items(page).getByText('created the topic metrics').waitFor();
      await page.getByLabel('As of').fill('1');
      await page.getByLabel('As of').press('Enter');
      await page.getByText(/^No change passes these filters\./).waitFor();
      await page.getByRole('button', { name: 'Back to now' }).click();
      await items(page).getByText('created the topic metrics').waitFor();
    }));

  it('shows operators no names of people, and marks in place of personal data', () =>
    at('/changes?service=status', operator, async (page) => {
      await items(page).getByText('a user of alpine created the weights cores in alpine').waitFor();
      const added = items(page).filter({ hasText: 'created the user [personal] in alpine' });
      await added.getByRole('button', { name: 'Difference' }).click();
      await page.getByRole('region', { name: 'Difference' }).getByText('[personal]').first().waitFor();
    }));
});
