import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { issueKey, serving } from '#test/e2e/serving.js';
import { embedded, OPERATOR } from '#test/support/deployments.js';
import { browsing, describeInBrowser } from './browser.js';
import { signIn } from './chromium.js';

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
const OF_OPERATORS = ['Projections', 'Operations'];

const scene = serving(embedded);
const browser = browsing();

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
    expect(await field.getAttribute('type')).toBe('password');
    await field.fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await field.inputValue()).toBe('');
    expect(await field.evaluate((element) => element.matches(':focus'))).toBe(true);
    await signIn(page, OPERATOR);
    await page.getByRole('heading', { level: 2, name: 'status.reports' }).waitFor();
    expect(page.url()).toBe(at('/projections/status.reports'));
    expect(await page.title()).toBe('Projections · Logbook');
    expect(await context.storageState()).toMatchObject({ origins: [], cookies: [{ httpOnly: true, sameSite: 'Strict' }] });
  });

  it('has links to all views, each with its heading and title', async () => {
    const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents();
    expect(links).toEqual(ALL.filter((name) => links.includes(name)));
    for (const name of links) {
      await open(name);
      expect(await page.title()).toBe(`${name} · Logbook`);
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    }
  });

  it('asks for the key again when the session has ended, and keeps what was typed', async () => {
    await page.goto(at('/operations'));
    await page.getByLabel('Directory').fill('tuesday');
    const [cookie] = await context.cookies();
    const headers = { cookie: `${cookie?.name}=${cookie?.value}`, 'x-logbook-console': '1' };
    expect((await scene.root.call('DELETE', '/console/session', { headers })).status).toBe(204);
    await page.getByLabel('Access key', { exact: true }).waitFor();
    expect(await page.getByLabel('Directory').isVisible()).toBe(false);
    await signIn(page, OPERATOR);
    expect(await page.getByLabel('Directory').inputValue()).toBe('tuesday');
  });

  it('asks for the key above a dialog that is open, which keeps what was typed, too', async () => {
    await page.getByLabel('Name').fill('a late key');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByText('It is shown this once').waitFor();
    const [cookie] = await context.cookies();
    const headers = { cookie: `${cookie?.name}=${cookie?.value}`, 'x-logbook-console': '1' };
    await scene.root.call('DELETE', '/console/session', { headers });
    await page.getByLabel('Access key', { exact: true }).waitFor();
    expect(await page.title()).toBe('Sign in · Logbook');
    await signIn(page, OPERATOR);
    await page.getByText('It is shown this once').waitFor();
    expect(await page.title()).toBe('Operations · Logbook');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('can be used by keyboard alone: past the navigation, and inside of dialogs only there', async () => {
    await page.goto(at('/operations'));
    await page.getByRole('button', { name: 'New signing key' }).waitFor();
    const focused = (): Locator => page.locator(':focus');
    await page.keyboard.press('Tab');
    expect(await focused().textContent()).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await focused().getAttribute('id')).toBe('content');
    const button = page.getByRole('button', { name: 'New signing key' });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Sign with a new key?' });
    await dialog.waitFor();
    for (let tab = 0; tab < 5; tab++) {
      expect(await dialog.locator(':focus').count()).toBe(1);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await button.evaluate((element) => element.matches(':focus'))).toBe(true);
  });

  it('shows auditors neither what they may not see nor what they may not do', async () => {
    const { id, key } = await issueKey(scene.root, 'ops', 'auditor', 'the auditor');
    const other = await browser.context();
    const theirs = await other.newPage();
    await theirs.goto(at(''));
    await signIn(theirs, key);
    const links = await theirs.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents();
    expect(links).toEqual(ALL.filter((name) => links.includes(name) && !OF_OPERATORS.includes(name)));
    await theirs.getByText('All is well').waitFor();
    // Links of the first steps lead to the documentation; none leads to a view.
    expect(await theirs.locator('main a:not([href*="/docs#"])').count()).toBe(0);
    await theirs.goto(at('/operations'));
    await theirs.getByRole('heading', { name: 'Not found' }).waitFor();
    await theirs.goto(at(''));
    await theirs.getByText('All is well').waitFor();
    await scene.root.call('DELETE', `/ops/keys/${id}`, { key: OPERATOR });
    await theirs.getByLabel('Access key', { exact: true }).waitFor();
    await other.close();
  });

  it('signs out', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Access key', { exact: true }).waitFor();
    expect((await context.cookies()).length).toBe(0);
    await page.goto(at('/operations'));
    await page.getByLabel('Access key', { exact: true }).waitFor();
  });

  it('has asked nobody but its server', () => expect([...requested]).toEqual([scene.server.url]));
});
