import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { BrowserContext, Page, Request, Route } from 'playwright-core';
import { issueKey, serving } from '#test/e2e/serving.js';
import { embedded, OPERATOR } from '#test/support/deployments.js';
import { browsing, describeInBrowser } from './browser.js';
import { signIn } from './chromium.js';
import { becomes, callsOf, finds, focused, shows, titled, untilDrawn, visiting } from './visiting.js';

const ALL = [
  'Overview',
  'Changes',
  'Projections',
  'Events',
  'Resources',
  'Actors',
  'Integrity',
  'Messaging',
  'Accounting',
  'Status',
  'Operations',
];
const OF_AUDITORS = ALL.filter((name) => !['Projections', 'Operations'].includes(name));

/** The browser says so to the page. */
const LOOKED_AT = "document.dispatchEvent(new Event('visibilitychange'))";
const isLook = (request: Request): boolean => request.method() === 'GET' && request.url().endsWith('/console/session');

const scene = serving(embedded);
const browser = browsing();
const visits = visiting(browser, () => scene.server.url);
const links = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link');

describeInBrowser('the frame of the console', () => {
  let context: BrowserContext;
  let page: Page;
  const requested = new Set<string>();
  const at = (path: string): string => `${scene.server.url}/console${path}`;
  const open = async (name: string): Promise<void> => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  };

  beforeAll(async () => {
    context = await browser.context({ viewport: { width: 1280, height: 800 } });
    page = await context.newPage();
    page.on('request', (request) => requested.add(new URL(request.url()).origin));
  });
  afterAll(() => context?.close());

  it('asks for a key, says that a wrong one is wrong, and leads to where it was asked for', async () => {
    await page.goto(at('/projections/status.reports'));
    const field = page.getByLabel('Access key', { exact: true });
    await becomes(() => field.getAttribute('type'), 'password');
    await field.fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await becomes(() => field.inputValue(), '');
    await focused(field);
    await signIn(page, OPERATOR);
    await page.getByRole('heading', { level: 2, name: 'status.reports' }).waitFor();
    await page.waitForURL(at('/projections/status.reports'));
    await titled(page, 'Projections · Logbook');
    expect(await context.storageState()).toMatchObject({ origins: [], cookies: [{ httpOnly: true, sameSite: 'Strict' }] });
  });

  it('has links to all views, each with its heading and title', async () => {
    await shows(links(page), ALL);
    for (const name of ALL) {
      await open(name);
      await titled(page, `${name} · Logbook`);
      await finds(page.getByRole('heading', { level: 1 }), 1);
    }
  });

  it('asks for the key again when the session has ended, and keeps what was typed', async () => {
    await page.goto(at('/operations'));
    await page.getByLabel('Name').fill('tuesday');
    const [cookie] = await context.cookies();
    const headers = { cookie: `${cookie?.name}=${cookie?.value}`, 'x-logbook-console': '1' };
    expect((await scene.root.call('DELETE', '/console/session', { headers })).status).toBe(204);
    await page.getByLabel('Access key', { exact: true }).waitFor();
    await becomes(() => page.getByLabel('Name').isVisible(), false);
    await signIn(page, OPERATOR);
    await becomes(() => page.getByLabel('Name').inputValue(), 'tuesday');
  });

  it('asks for the key above a dialog that is open, which keeps what was typed, too', async () => {
    await page.getByLabel('Name').fill('a late key');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByText('It is shown this once').waitFor();
    const [cookie] = await context.cookies();
    const headers = { cookie: `${cookie?.name}=${cookie?.value}`, 'x-logbook-console': '1' };
    await scene.root.call('DELETE', '/console/session', { headers });
    await page.getByLabel('Access key', { exact: true }).waitFor();
    await titled(page, 'Sign in · Logbook');
    await signIn(page, OPERATOR);
    await page.getByText('It is shown this once').waitFor();
    await titled(page, 'Operations · Logbook');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('can be used by keyboard alone: past the navigation, and inside of dialogs only there', async () => {
    await page.goto(at('/operations'));
    await page.getByRole('button', { name: 'New signing key' }).waitFor();
    await page.keyboard.press('Tab');
    await shows(page.locator(':focus'), ['Skip to content']);
    await page.keyboard.press('Enter');
    await focused(page.locator('#content'));
    const button = page.getByRole('button', { name: 'New signing key' });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Sign with a new key?' });
    await dialog.waitFor();
    for (let tab = 0; tab < 5; tab++) {
      await finds(dialog.locator(':focus'), 1);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await focused(button);
  });

  it('shows auditors neither what they may not see nor what they may not do', async () => {
    const { id, key } = await issueKey(scene.root, 'ops', 'auditor', 'the auditor');
    const other = await browser.context();
    const theirs = await other.newPage();
    await theirs.goto(at(''));
    await signIn(theirs, key);
    await shows(links(theirs), OF_AUDITORS);
    await theirs.getByText('All is well').waitFor();
    // Links of the first steps lead to the documentation and the guides; none leads to a view.
    await finds(theirs.locator('main a:not([href*="/docs#"], [href*="guides"])'), 0);
    await theirs.goto(at('/operations'));
    await theirs.getByRole('heading', { name: 'Not found' }).waitFor();
    await theirs.goto(at(''));
    await theirs.getByText('All is well').waitFor();
    await scene.root.call('DELETE', `/ops/keys/${id}`, { key: OPERATOR });
    await theirs.getByLabel('Access key', { exact: true }).waitFor();
    await other.close();
  });

  it('has room for the name of the caller and for the guides on a narrow page', async () => {
    const { key } = await issueKey(scene.root, 'ops', 'operator', 'Ottokar, night shift');
    const narrow = await browser.context({ viewport: { width: 390, height: 844 } });
    const theirs = await narrow.newPage();
    await theirs.goto(at(''));
    await signIn(theirs, key);
    const name = theirs.getByTitle('Ottokar, night shift');
    await becomes(() => name.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), 0);
    const [guides, out] = await Promise.all([
      theirs.getByRole('banner').getByRole('link', { name: 'Guides' }).boundingBox(),
      theirs.getByRole('button', { name: 'Sign out' }).boundingBox(),
    ]);
    expect(guides?.height).toBeLessThanOrEqual(out?.height ?? 0);
    await narrow.close();
  });

  it('shows how to write a point of the past on a narrow page while its field is used, and what is wrong with it until it is mended', async () => {
    const { key } = await issueKey(scene.root, 'ops', 'auditor');
    const narrow = await browser.context({ viewport: { width: 390, height: 844 } });
    const theirs = await narrow.newPage();
    await theirs.goto(at('/messaging'));
    await signIn(theirs, key);
    const [field, hint] = [theirs.getByLabel('As of', { exact: true }), theirs.getByText('YYYY-MM-DD HH:MM (UTC), or a position')];
    await field.waitFor();
    await hint.waitFor({ state: 'hidden' });
    await field.focus();
    await hint.waitFor();
    await field.fill('2026-02-30');
    await field.press('Enter');
    const error = theirs.getByText('Write a day, a time or a position');
    await error.waitFor();
    await field.blur();
    await error.waitFor();
    await becomes(() => field.getAttribute('aria-invalid'), 'true');
    await narrow.close();
  });

  it('asks once whose session it is when it is looked at again, however soon the server says that it can answer', async () => {
    await page.goto(at('/resources'));
    await shows(links(page), ALL);
    await page.route('**/console/session', (route) => route.fulfill({ status: 503, headers: { 'retry-after': '0' }, json: {} }));
    const calls = callsOf(page);
    await Promise.all([page.waitForResponse('**/console/session'), page.evaluate(LOOKED_AT)]);
    await open('Actors');
    await page.unrouteAll({ behavior: 'wait' });
    expect(calls.filter((call) => call === 'GET /console/session').length).toBe(1);
  });

  it('is of the key with which another tab has signed in, as soon as it is looked at again and no dialog is open', async () => {
    const { key } = await issueKey(scene.root, 'ops', 'auditor', 'the next shift');
    await page.goto(at('/operations'));
    await page.getByLabel('Name').fill('seen once');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByText('It is shown this once').waitFor();
    await page.evaluate("Object.defineProperty(document, 'hidden', { configurable: true, value: true })");
    const other = await context.newPage();
    await other.goto(at(''));
    await other.getByRole('button', { name: 'Sign out' }).click();
    await signIn(other, key);
    await shows(links(other), OF_AUDITORS);
    await page.evaluate('delete document.hidden');
    await Promise.all([page.waitForEvent('requestfinished', isLook), page.evaluate(LOOKED_AT)]);
    await untilDrawn(page);
    await page.getByRole('dialog').getByText('It is shown this once').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.evaluate(LOOKED_AT);
    await page.getByTitle('the next shift').waitFor();
    await shows(links(page), OF_AUDITORS);
    await other.close();
  });

  it('signs out, whatever a look at the session that is under way will find', async () => {
    const other = { key: 'other', name: 'other', roles: ['operator'], endsAt: new Date(Date.now() + 60_000).toISOString() };
    const looks: Route[] = [];
    await page.route('**/console/session', (route) => (isLook(route.request()) ? looks.push(route) : route.fallback()));
    await page.evaluate(LOOKED_AT);
    await becomes(async () => looks.length, 1);
    const over = Promise.race([page.waitForEvent('requestfailed', isLook), page.waitForEvent('requestfinished', isLook)]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Access key', { exact: true }).waitFor();
    await untilDrawn(page);
    await looks[0]?.fulfill({ json: { session: other } }).catch(() => undefined); // it may have been given up
    await over;
    await untilDrawn(page);
    await finds(page.locator('.frame'), 0);
    await page.unrouteAll({ behavior: 'wait' });
    await becomes(() => context.cookies(), []);
    await page.goto(at('/operations'));
    await page.getByLabel('Access key', { exact: true }).waitFor();
  });

  it('has asked nobody but its server', () => expect([...requested]).toEqual([scene.server.url]));
});

describeInBrowser('a read behind a part of a view', () => {
  it.each([
    ['/integrity', '**/audit/keys'],
    ['/integrity', '**/ops/log'],
    ['/integrity', '**/health'],
    ['/operations', '**/audit/actors?*'],
    ['/projections/status.reports', '**/ops/projections/status.reports/skips'],
    ['/projections/status.reports', '**/ops/verifications'],
    ['/events?type=TenantRegistered', '**/audit/event-types'],
    ['/accounting?as-of=1', '**/audit/events?*'],
    ['/status?as-of=1', '**/audit/events?*'],
  ])('that fails is said in %s, of %s, and can be tried again', (path, read) =>
    visits.at('', OPERATOR, async (page) => {
      await page.route(read, (route) => route.fulfill({ status: 500, json: { title: 'Failed', detail: 'for a test' } }));
      await page.goto(`${scene.server.url}/console${path}`);
      const alert = page.getByRole('alert').filter({ hasText: 'for a test' });
      await alert.waitFor();
      await finds(page.getByText('No event of the log has the type'), 0); // it is not known which ones it has
      await page.unrouteAll({ behavior: 'wait' });
      await alert.getByRole('button', { name: 'Try again' }).click();
      await alert.waitFor({ state: 'detached' });
    }),
  );
});
