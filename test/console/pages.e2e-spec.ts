import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { BrowserContext, Locator, Page, Route } from 'playwright-core';
import { issueKey, serving } from '#test/e2e/serving.js';
import { ADMIN, OPERATOR, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { registerTenant } from '#test/support/status-client.js';
import { browsing, describeInBrowser } from './browser.js';
import { signIn } from './chromium.js';
import { unreadable } from './unreadable.js';
import { becomes, callsOf, finds, shows, untilDrawn } from './visiting.js';
import { withBackups } from './with-backups.js';

/** Right edge of an element, in pixels of the page. */
const rightOf = async (element: Locator): Promise<number> => {
  const { x, width } = (await element.boundingBox()) ?? { x: 0, width: Number.POSITIVE_INFINITY };
  return x + width;
};

describeInBrowser('the views of operators', () => {
  const scene = serving(withBackups);
  const browser = browsing();
  let context: BrowserContext;
  let page: Page;
  const at = (path: string): string => `${scene.server.url}/console${path}`;
  const open = async (name: string): Promise<void> => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  };
  const said = (text: string | RegExp): Promise<void> => page.getByRole('status').filter({ hasText: text }).waitFor();

  beforeAll(async () => {
    await registerTenant(scene.status, ADMIN, 'EGI', ['admin']);
    context = await browser.context({ viewport: { width: 1280, height: 800 } });
    page = await context.newPage();
    await page.goto(at(''));
    await signIn(page, OPERATOR);
  });
  afterAll(() => context?.close());

  it('shows the state of the installation as it changes', async () => {
    await open('Overview');
    await said('All is well');
    const events = page.locator('dd').nth(1);
    const before = await events.textContent();
    await registerTenant(scene.status, ADMIN, 'another', ['admin']);
    await eventually(() => events.textContent()).until((text) => text !== before);
    await finds(page.getByRole('table', { name: 'Nodes with their roles' }).getByRole('row'), 2);
  });

  it('says that the connection is lost, and goes on by itself', async () => {
    await context.setOffline(true);
    await said(/^Connection lost$/);
    await untilDrawn(page);
    await finds(page.getByRole('alert'), 0);
    await context.setOffline(false);
    await said('All is well');
  });

  it('says in the words of the server that too many watch, and goes on by itself or when asked to', async () => {
    const { key } = await issueKey(scene.root, 'ops', 'auditor', 'watched by many');
    const ended = new AbortController();
    const watch = () => fetch(`${scene.server.url}/console/live`, { headers: { 'x-api-key': key }, signal: ended.signal });
    const streams = await Promise.all(Array.from({ length: 50 }, watch));
    const other = await browser.context();
    const theirs = await other.newPage();
    await theirs.goto(at(''));
    await signIn(theirs, key);
    const alert = theirs.getByRole('alert');
    await alert.getByText('50 of them with one key').waitFor();
    await shows(alert, [expect.stringContaining('Service Unavailable')]);
    // Named here because fetch ends the streams of answers that nobody can reach any more.
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    ended.abort();
    await eventually(async () => {
      if (await alert.isVisible())
        await alert
          .getByRole('button', { name: 'Try again' })
          .click({ timeout: 1_000 })
          .catch(() => undefined); // it may be gone by itself
      return theirs.getByText('All is well').isVisible();
    }).until((isShown) => isShown);
    await alert.waitFor({ state: 'detached' });
    await other.close();
  });

  it('shows what takes longer to load than it is loaded anew', async () => {
    const slow = await context.newPage();
    const asked: Route[] = [];
    await slow.clock.install();
    await slow.route('**/ops/projections', (route) => asked.push(route));
    await slow.goto(at('/projections'));
    await eventually(async () => asked).until(([first]) => first !== undefined);
    await slow.clock.runFor(30_000);
    await asked[0]?.continue();
    await slow.getByRole('row', { name: /status\.reports/ }).waitFor();
    await slow.close();
  });

  it('verifies and rebuilds a projection, and says what came of it', async () => {
    await open('Projections');
    await page.getByRole('row', { name: /status\.reports/ }).click();
    await page.getByRole('button', { name: 'Verify' }).click();
    await said(/^Equal/);
    await page.getByRole('button', { name: 'Rebuild' }).click();
    await said(/^Rebuilt/);
    await becomes(() => page.getByRole('button', { name: 'Cancel' }).isDisabled(), true);
  });

  it('serves while a projection is rebuilt, and says so', async () => {
    // The job goes on for the page: a rebuild of a small log is over at once.
    await page.route(/\/ops\/rebuilds\/./, async (route) => {
      const job = await (await route.fetch()).json();
      await route.fulfill({ json: { ...job, state: 'running', endedAt: null } });
    });
    await page.getByRole('button', { name: 'Rebuild' }).click();
    await page.getByRole('progressbar', { name: 'Rebuild of status.reports' }).waitFor();
    await page.getByText('A rebuild is made beside the read model, which is served meanwhile').waitFor();
    await shows(page.locator('dt', { hasText: /^State$/ }).locator('xpath=following-sibling::dd'), ['live']);
    await page.unrouteAll({ behavior: 'wait' });
    await said(/^Rebuilt status\.reports from /);
    await open('Overview');
    await said('All is well');
  });

  it('shows what is set aside, with the failing event, which can be tried again, or skipped for a reason', async () => {
    const hurt = await registerTenant(scene.status, ADMIN, 'hurt', ['admin']);
    await scene.plant(unreadable(hurt));
    await open('Overview');
    await said('status.reports has paused 1 partition');
    await page.getByRole('status').getByRole('link', { name: 'Open status.reports' }).click();
    const row = page.getByRole('row', { name: /^tenant hurt\b/ });
    await row.getByTitle(`tenant:${hurt}`).waitFor();
    await row.getByText('ReportCreated').waitFor();
    await row.getByText('set aside', { exact: true }).waitFor();
    await row.getByRole('cell', { name: '1', exact: true }).waitFor(); // as many as the overview says
    await page.route(/\/partitions\/[^/]+\/(resume|skip)$/, async (route) => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({ json: { ...answer, state: 'resuming' } }); // as of a rebuild that takes longer than the call
    });
    await row.getByRole('button', { name: 'Resume' }).click();
    await said(/^Resume of tenant hurt: an event failed, still paused: ReportCreated at position \d+: .+\.$/);
    await row.getByRole('button', { name: 'Skip event' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('written by a test');
    await dialog.getByRole('button', { name: 'Skip event' }).click();
    await said(/^Skipped .*: served again\.$/);
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('row', { name: /^ReportCreated \d+ tenant hurt written by a test / }).waitFor();
    await page.getByText('No partition is set aside.').waitFor();
    await open('Overview');
    await said('All is well');
  });

  it('makes a key that is shown once, and revokes it after asking', async () => {
    const project = { id: 'grid', acronym: 'GRID', title: 'Grid', start_date: '2020-01-01', end_date: '2032-12-31', call_identifier: 'X' };
    const headers = { authorization: `Bearer ${SYSTEM_ADMIN}` };
    expect((await scene.root.post('/accounting-system/admin/projects', { headers, body: project })).status).toBe(201);
    await open('Operations');
    await page.getByLabel('Name').fill('a new auditor');
    await page.getByLabel('Role').selectOption('ops auditor');
    await page.getByText('auditor: reads everything').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'The key a new auditor' });
    const key = (await shown.locator('code').textContent()) ?? '';
    expect((await scene.root.get('/ops/log', { key })).status).toBe(200);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Have you kept the key?' }).getByRole('button', { name: 'I have kept it' }).click();
    await shown.waitFor({ state: 'detached' });
    await becomes(() => page.content(), expect.not.stringContaining(key));
    const lastEventOf = (name: string) =>
      page
        .getByRole('row', { name: new RegExp(`^${name} `) })
        .getByRole('cell')
        .nth(3);
    for (const name of ['LOGBOOK_OPS_KEY', 'LOGBOOK_ACCOUNTING_ADMIN_TOKEN']) await lastEventOf(name).getByRole('time').waitFor();
    await shows(lastEventOf('a new auditor'), ['–']); // its read of the log is not on record
    await page.getByRole('cell', { name: 'operator, auditor (ops)', exact: true }).waitFor();
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Revoke LOGBOOK_OPS_KEY' }).click();
    await dialog.getByText('You are signed in with this key.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Revoke a new auditor' }).click();
    await dialog.getByText('A revoked key cannot be restored.').waitFor();
    await finds(dialog.getByText('You are signed in'), 0);
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await said('Revoked the key “a new auditor”.');
    expect((await scene.root.get('/ops/log', { key })).status).toBe(401);
  });

  it('makes no second key if the answer to the first call was lost', async () => {
    await page.route('**/ops/keys', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await route.fetch();
      await route.abort();
    });
    await page.getByLabel('Name').fill('unheard');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('alert').getByText('Nothing was lost here').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'The key unheard' });
    await shown.getByText('cannot be shown any more: revoke it').waitFor();
    await shown.getByRole('button', { name: 'Close' }).click();
    await shown.waitFor({ state: 'detached' });
    const { items } = (await scene.root.get('/ops/keys', { key: OPERATOR })).json as { items: readonly { name: string }[] };
    expect(items.filter(({ name }) => name === 'unheard').length).toBe(1);
  });

  it('backs up, and shows refusals in the words of the server without losing what was typed', async () => {
    await page.getByLabel('Directory').fill('/outside');
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByRole('alert').getByText('Bad Request').waitFor();
    await becomes(() => page.getByLabel('Directory').inputValue(), '/outside');
    await page.getByLabel('Directory').fill('monday');
    await page.getByRole('button', { name: 'Back up now' }).click();
    await said('Backing up into monday');
    await page
      .getByRole('table', { name: 'Backups' })
      .getByRole('row', { name: /monday done/ })
      .waitFor();
  });

  it('signs with a new key after asking', async () => {
    await page.getByRole('button', { name: 'New signing key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Use a new key' }).click();
    await said(/^Anchors are signed with the key .* from now on/);
    const { keys } = (await scene.root.get('/audit/keys', { key: OPERATOR })).json as { keys: { kid: string; until: string | null }[] };
    const newest = keys.find(({ until }) => until === null)?.kid ?? '';
    await page
      .getByRole('table', { name: 'Signing keys' })
      .getByRole('row', { name: new RegExp(`${newest}.*in use$`) })
      .waitFor();
  });

  it('cancels a job of the list', async () => {
    const running = { kind: 'change', tenant: 't', report: 'r', recomputation: null, from: '2026-03-01', to: '2026-03-02' };
    const job = { id: 'b1', state: 'running', startedAt: new Date().toISOString(), endedAt: null, failure: null };
    let cancelled = false;
    await page.route('**/ops/backups', async (route) => {
      const backup = {
        ...job,
        state: cancelled ? 'cancelled' : 'running',
        directory: 'large',
        position: null,
        size: null,
        root: null,
        bytes: null,
      };
      if (route.request().method() === 'GET') await route.fulfill({ json: { items: [backup], refusal: null } });
      else await route.fallback();
    });
    await page.route('**/ops/backups/b1', async (route) => {
      cancelled = route.request().method() === 'DELETE';
      await route.fulfill({ status: 202, json: { id: 'b1', href: '/ops/backups/b1' } });
    });
    await page.route('**/ops/results', (route) =>
      route.fulfill({
        json: {
          state: 'live',
          daysWaiting: 1,
          bytes: 1,
          recomputationsWaiting: 0,
          items: [{ ...running, days: { done: 1, total: 4 }, state: 'running', since: job.startedAt, askedBy: null }],
        },
      }),
    );
    const jobs = page.getByRole('table', { name: 'Jobs' });
    await jobs.getByRole('progressbar', { name: 'Results of r, 2026-03-01 to 2026-03-02' }).waitFor();
    const result = jobs.getByRole('columnheader', { name: 'Result' });
    const cancel = jobs.getByRole('button', { name: 'Cancel: Backup into large' });
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await rightOf(result)).toBeLessThanOrEqual(390);
    expect(await rightOf(cancel)).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1280, height: 800 });
    await cancel.click();
    await said('Cancelled: Backup into large');
    await jobs.getByRole('row', { name: /Backup into large cancelled/ }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('shows how far a rebuild is, and cancels it', async () => {
    await page.goto(at('/projections/status.reports'));
    const running = {
      projection: 'status.reports',
      state: 'running',
      processed: 250,
      total: 1_000,
      eventsPerSecond: 50,
      remainingSeconds: 15,
    };
    await page.route(/\/ops\/rebuilds\/./, async (route) => {
      const { id, startedAt } = await (await route.fetch({ method: 'GET' })).json();
      if (route.request().method() === 'GET') await route.fulfill({ json: { id, startedAt, endedAt: null, failure: null, ...running } });
      else await route.fulfill({ status: 202, json: { id, href: `/ops/rebuilds/${id}` } });
    });
    await page.getByRole('button', { name: 'Rebuild' }).click();
    const bar = page.getByRole('progressbar', { name: 'Rebuild of status.reports' });
    await bar.waitFor();
    await becomes(() => bar.getAttribute('aria-valuenow'), '25');
    await page.getByText('250 of 1,000 · 50 a second · 15 s left').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await said('Cancelling');
    await page.unrouteAll({ behavior: 'wait' });
    await said(/^Rebuilt/); // it was over before it was cancelled
  });

  it('follows a rebuild that a new version or a resume has begun, also if lists of jobs fail, and does not cancel it', async () => {
    const href = '/ops/rebuilds/own';
    const running = {
      id: 'own',
      projection: 'status.reports',
      state: 'running',
      startedAt: new Date().toISOString(),
      processed: 1,
      total: 4,
    };
    await page.route('**/ops/projections/status.reports', async (route) =>
      route.fulfill({ json: { ...(await (await route.fetch()).json()), rebuild: href } }),
    );
    await page.route('**/ops/verifications', (route) => route.fulfill({ status: 500, json: {} }));
    await page.route(`**${href}`, (route) => route.fulfill({ json: { ...running, eventsPerSecond: null, remainingSeconds: null } }));
    await page.goto(at('/projections/status.reports'));
    await page.getByRole('progressbar', { name: 'Rebuild of status.reports' }).waitFor();
    await becomes(() => page.getByRole('button', { name: 'Cancel' }).isDisabled(), true);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('follows neither a job nor an old anchor in a hidden tab', async () => {
    const tab = await context.newPage();
    await tab.clock.install();
    const job = { id: 'v1', state: 'running', startedAt: new Date().toISOString(), endedAt: null, failure: null, processed: 1, total: 4 };
    const outcome = { intact: null, verifiedTo: 0, expired: 0, problem: null, root: null };
    await tab.route('**/audit/verifications', (route) => route.fulfill({ json: { items: [{ ...job, ...outcome }] } }));
    await tab.route('**/audit/verifications/v1', (route) => route.fulfill({ json: { ...job, ...outcome } }));
    const findings = [{ kind: 'anchor-old', severity: 'warning', text: 'The last anchor is too old', figures: null, todo: '' }];
    await tab.route('**/health', (route) => route.fulfill({ json: { findings } }));
    await tab.goto(at('/integrity'));
    await tab.getByRole('progressbar').waitFor();
    await tab.getByText('The last anchor is too old').waitFor();
    const calls = callsOf(tab);
    await tab.evaluate("Object.defineProperty(document, 'hidden', { configurable: true, value: true })");
    await tab.clock.runFor(1_000); // for calls that were due
    const { length } = calls;
    await tab.clock.runFor(10_000);
    expect(calls.slice(length)).toEqual([]);
    await tab.evaluate('delete document.hidden');
    await becomes(
      async () => {
        await tab.clock.runFor(1_000);
        return calls.slice(length);
      },
      expect.arrayContaining(['GET /audit/verifications/v1', 'GET /health']),
    );
    await tab.close();
  });
});
