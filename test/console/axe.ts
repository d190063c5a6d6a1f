import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = Readonly<{ id: string; nodes: readonly Readonly<{ target: readonly string[]; failureSummary: string }>[] }>;

const SIDEWAYS = 'document.documentElement.scrollWidth > innerWidth';

/** Violations of impact serious or critical, and whether the page is wider than its window. @param rules of axe; none: all of them */
const flawsOf = async (page: Page, ...rules: readonly string[]): Promise<readonly string[]> => {
  // Not as a script of the page, which its policy forbids.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules.length > 0 && { runOnly: rules }) });
  const violations = (await page.evaluate(
    `axe.run(${options}).then(({ violations }) => violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)))`,
  )) as readonly Violation[];
  const wide = await page.evaluate(SIDEWAYS);
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')} ${nodes[0]?.failureSummary}`),
    ...(wide ? ['the page scrolls sideways'] : []),
  ];
};

import { untilDrawn } from './visiting.js';

/** Captions of tables that are wider than their boxes. */
const wideTables = (page: Page): Promise<readonly string[]> =>
  page.evaluate(
    `[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.getAttribute('aria-label'))`,
  );

/** Whether the page scrolls sideways with text of twice the size. */
const isWideAtTwiceTheSize = async (page: Page): Promise<boolean> => {
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  await untilDrawn(page);
  const isWide = await page.evaluate<boolean>(SIDEWAYS);
  await page.evaluate("document.documentElement.style.fontSize = ''");
  return isWide;
};

/**
 * Flaws of what a page shows, at 1440 and 390 px, light and dark, and with text of twice the size (console contract 4 and 5). Colours are all that dark
 * changes, so axe looks at nothing else there.
 */
export const flawsEverywhere = async (page: Page): Promise<readonly string[]> => {
  const flaws: string[] = [];
  for (const width of [1_440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await untilDrawn(page);
      const found = await flawsOf(page, ...(colorScheme === 'dark' ? ['color-contrast'] : []));
      flaws.push(...found.map((flaw) => `${width} px, ${colorScheme}: ${flaw}`));
    }
    if (width === 1_440) flaws.push(...(await wideTables(page)).map((caption) => `the table ${caption} is wider than its box`));
    if (await isWideAtTwiceTheSize(page)) flaws.push(`${width} px: the page scrolls sideways with text of twice the size`);
  }
  return flaws;
};
