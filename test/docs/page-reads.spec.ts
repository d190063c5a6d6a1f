import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readOnce } from './page-reads.js';
import { sourcesIn } from './rooms.js';

const ROOT = resolve(import.meta.dirname, '../..');

describe('suites of pages', () => {
  it('await what a page shows, by the helpers of test/console/visiting.ts', () => expect(readOnce(sourcesIn(ROOT))).toEqual([]));
});

describe('a read of a page that is not awaited', () => {
  const found = (text: string) => readOnce(new Map([['test/console/x.e2e-spec.ts', text]])).length;

  it.each([
    "expect(await page.getByRole('option').allTextContents()).toEqual(['a']);",
    'expect(await page.title()).toBe("a");',
    'expect((await rows.allTextContents()).slice(1)).toEqual([]);',
    'expect([role, await page.getByRole(role).count()]).toEqual([role, 0]);',
    "expect(\n  await page\n    .getByRole('table')\n    .count(),\n).toBe(61);",
    "expect(await field.evaluate((element) => element.matches(':focus'))).toBe(true);",
    "expect(new URL(page.url()).pathname).toBe('/');",
    "const links = await page.getByRole('link').allTextContents();",
    'for (const link of await links.all()) await link.click();',
    'await page.waitForTimeout(300);',
  ])('is found: %s', (text) => expect(found(text)).toBe(1));

  it.each([
    "await shows(page.getByRole('option'), ['a']);",
    'await becomes(() => page.title(), "a");',
    'await becomes(async () => (await rows.allTextContents()).slice(1), []);',
    'expect(await readFile(path)).toBe("a"); await becomes(() => page.title(), "b");',
    'const both = await Promise.all([one, other]);',
    'const indexes = async () => (await textsOf(rows)).map(Number);',
  ])('is not: %s', (text) => expect(found(text)).toBe(0));
});
