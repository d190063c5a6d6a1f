import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { isFullRun } from '#test/support/test-runs.js';

/** As Debian's package is installed, and what others are called. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const executable = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

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
    const { chromium } = await import('playwright-core');
    if (executable === undefined) throw new Error('there is no Chromium: apt-get install chromium');
    browser = await chromium.launch({ executablePath: executable, args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());
  return {
    /** Cookies of its own. */
    context: (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
      if (!browser) throw new Error('no browser runs');
      return browser.newContext(options);
    },
  };
};

/** Signs in by the form, wherever the page is. */
export const signIn = async (page: Page, key: string): Promise<void> => {
  await page.getByLabel('Access key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
};
