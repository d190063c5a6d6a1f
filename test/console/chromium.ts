import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Page } from 'playwright-core';

/** As Debian's package is installed, and what others are called. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Path of the browser; `undefined`: there is none. */
export const executable = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

/** Path of the browser. @throws Error there is none */
export const requireExecutable = (): string => {
  if (executable === undefined) throw new Error('there is no Chromium: apt-get install chromium');
  return executable;
};

/** @throws Error there is no browser */
export const openChromium = async () => {
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: requireExecutable(), args: ['--no-sandbox'] });
};

/** One that runs as a server. @param endpoint where it takes connections */
export const connectChromium = async (endpoint: string) => {
  const { chromium } = await import('playwright-core');
  return chromium.connect(endpoint);
};

/** Signs in by the form, wherever the page is. */
export const signIn = async (page: Page, key: string): Promise<void> => {
  await page.getByLabel('Access key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
};
