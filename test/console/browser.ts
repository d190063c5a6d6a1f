import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { LONGEST_MS } from '#test/support/eventually.js';
import { loadOnce } from '#test/support/processes/load-once.js';
import { heldByHost } from '#test/support/server-host/host-connection.js';
import { isFullRun } from '#test/support/test-runs.js';

/** Playwright is the largest package of the tests. */
const { connectChromium, executable, requireExecutable } = loadOnce<typeof import('./chromium.js')>('test/console/chromium');

/** Where no Chromium is there, tests of pages are left out and say so; in a full run that is a failure. */
export const describeInBrowser = (name: string, tests: () => void): void => {
  if (executable !== undefined || isFullRun) {
    describe(name, tests);
    return;
  }
  process.stderr.write(`\nLEFT OUT: ${name}. Install Chromium (Debian: apt-get install chromium) to run it.\n`);
  describe.skip(name, tests);
};

/** Nothing is clicked while a part of the page is loaded: that part moves the rest, and a button that moves between press and release is not clicked. */
const clicksOnceLoaded = (page: Page): void => {
  page.addLocatorHandler(page.getByText('Loading …').first(), async () => {}).catch(() => {}); // rejects once the page is closed
};

/** A browser for the suite it is called in. */
export const browsing = () => {
  let browser: Browser | undefined;
  let release: (() => void) | undefined;
  beforeAll(async () => {
    const held = await heldByHost({ browser: requireExecutable() }); // the suites of a worker share it
    ({ release } = held);
    if (!('endpoint' in held.answer)) throw new Error('the host of servers has no browser');
    browser = await connectChromium(held.answer.endpoint);
  });
  afterAll(async () => {
    await browser?.close();
    release?.();
  });
  return {
    /** Cookies of its own. */
    context: async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
      if (!browser) throw new Error('no browser runs');
      const context = await browser.newContext(options);
      context.setDefaultTimeout(LONGEST_MS);
      context.on('page', clicksOnceLoaded);
      return context;
    },
  };
};
