import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { holds } from '#test/support/eventually.js';
import type { browsing } from './browser.js';
import { signIn } from './chromium.js';

/** Drops a file as a user drags one onto the page. */
export const dropFile = async (target: Locator, path: string): Promise<void> => {
  const [text, name] = [await readFile(path, 'utf8'), basename(path)].map((one) => JSON.stringify(one));
  const dataTransfer = await target
    .page()
    .evaluateHandle(`(() => { const all = new DataTransfer(); all.items.add(new File([${text}], ${name})); return all; })()`);
  await target.dispatchEvent('drop', { dataTransfer });
};

/**
 * Awaits that a read of a page gives a value: a page shows what it was told once it is drawn, and moves the focus, its title and its address after that.
 * @param wanted may have matchers in it
 */
export const becomes = (read: () => Promise<unknown>, wanted: unknown): Promise<void> =>
  holds(async () => expect(await read()).toEqual(wanted));

/** Awaits the texts of all that a locator finds. @param wanted list, or matcher of one */
export const shows = (found: Locator, wanted: unknown): Promise<void> => becomes(() => found.allTextContents(), wanted);

/** Awaits that a locator finds so many. None is found before a page is drawn, too: await before what is drawn with it or after it. */
export const finds = (found: Locator, count: number): Promise<void> => becomes(() => found.count(), count);

export const focused = (element: Locator): Promise<void> => becomes(() => element.evaluate((it) => it.matches(':focus')), true);

export const titled = (page: Page, title: string): Promise<void> => becomes(() => page.title(), title);

/** Awaits that a query of the address has a value. @param wanted null: it has none */
export const queried = (page: Page, name: string, wanted: string | null | undefined): Promise<void> =>
  becomes(async () => new URL(page.url()).searchParams.get(name), wanted);

/** Awaits the texts of a locator, as soon as there are any. */
export const textsOf = async (found: Locator): Promise<readonly string[]> => {
  await found.first().waitFor();
  return found.allTextContents();
};

export const untilDrawn = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');

/** Awaits that a view is there, below its heading, and that nothing of it is being loaded. */
export const loaded = async (page: Page): Promise<void> => {
  await page.locator('main h1 + *').waitFor({ state: 'attached' });
  await finds(page.locator('main').getByText('Loading …'), 0);
};

/** Files of the page, and its live stream, which say nothing of how much a view asks for. */
const isNoCall = (url: string): boolean => /^\/console(?!\/session)/.test(new URL(url).pathname);

/** Calls that the page makes from now on, each as `GET /ops/log`; a list that grows. */
export const callsOf = (page: Page): readonly string[] => {
  const calls: string[] = [];
  page.on('request', (request) => {
    if (!isNoCall(request.url())) calls.push(`${request.method()} ${request.url().replace(/^\w+:\/\/[^/]+/, '')}`);
  });
  return calls;
};

/** A failure with the text that the page had then: what a page shows on a busy machine cannot be seen again. */
const withText = async (error: unknown, page: Page): Promise<Error> => {
  const text = (await page.locator('body').textContent({ timeout: 5_000 }).catch(String)) ?? '';
  return new Error(`at ${page.url()}, which shows:\n${text.slice(0, 2_000)}`, { cause: error });
};

/** Pages of their own for the suite it is called in. @param url of the server @param now milliseconds, at which the clock of the pages stands still. Default: it goes */
export const visiting = (browser: ReturnType<typeof browsing>, url: () => string, now?: number) => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'logbook-console-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const open = async (path: string, key: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.context({ viewport: { width: 1_280, height: 900 }, baseURL: url(), ...options });
    const page = await context.newPage();
    if (now !== undefined) await page.clock.setFixedTime(now);
    await page.goto(`/console${path}`);
    await signIn(page, key);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  };
  return {
    /** For files. */
    get folder(): string {
      return folder;
    },
    /** A page of somebody who has just signed in; its context is to be closed. */
    open,
    /** Does something on a page of its own, in which no program may fail. */
    at: async (path: string, key: string, act: (page: Page) => Promise<unknown>): Promise<void> => {
      const page = await open(path, key);
      const problems: string[] = [];
      page.on('pageerror', ({ message }) => problems.push(message));
      try {
        await act(page);
      } catch (error) {
        throw await withText(error, page);
      }
      expect(problems).toEqual([]);
      await page.context().close();
    },
    /** Path of what is downloaded. */
    downloaded: async (page: Page, act: () => Promise<unknown>): Promise<string> => {
      const [file] = await Promise.all([page.waitForEvent('download'), act()]);
      const path = join(folder, file.suggestedFilename());
      await file.saveAs(path);
      return path;
    },
  };
};
