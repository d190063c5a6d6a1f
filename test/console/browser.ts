import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { isFullRun } from '#test/support/test-runs.js';
import { executable, openChromium } from './chromium.js';

/** Where no Chromium is there, tests of pages are left out and say so; in a full run that is a failure. */
export const describeInBrowser = (name: string, tests: () => void): void => {
  if (executable !== undefined || isFullRun) {
    describe(name, tests);
    return;
  }
  process.stderr.write(`\nLEFT OUT: ${name}. Install Chromium (Debian: apt-get install chromium) to run it.\n`);
  describe.skip(name, tests);
};

/** A browser for the suite it is called in. */
export const browsing = () => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser?.close());
  return {
    /** Cookies of its own. */
    context: async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
      if (!browser) throw new Error('no browser runs');
      const context = await browser.newContext(options);
      context.setDefaultTimeout(120_000); // as the limit of a test: for machines that are busy with other things
      return context;
    },
  };
};
