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

/**
 * Texts of one line that have no space between them, each with what is on both sides: `yet|too`. Words that differ, and figures of a picture, may touch.
 * Boxes of their own lines are apart without one.
 */
const ADJOINING = `(() => {
  const inLine = (element) => /^inline|^contents/.test(getComputedStyle(element).display);
  const pathOf = (node) => {
    const path = [];
    for (let at = node.parentElement; at; at = at.parentElement) path.unshift(at);
    return path;
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  let before;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof Element) {
      if (node.matches('br, input, select, textarea')) before = undefined;
      continue;
    }
    const path = pathOf(node);
    if (node.data === '' || path.some((one) => one.matches('svg, script, style, select, textarea, del, ins, pre, code') || !one.checkVisibility())) continue;
    if (before) {
      const own = path.filter((one) => !before.path.includes(one));
      const left = before.path.filter((one) => !path.includes(one));
      const touches = own.length + left.length > 0 && [...own, ...left].every(inLine);
      if (touches && /[\\p{L}\\p{N}.)]$/u.test(before.node.data) && /^[\\p{L}\\p{N}(]/u.test(node.data))
        found.push(before.node.data.slice(-30) + '|' + node.data.slice(0, 30));
    }
    before = { node, path };
  }
  return found;
})()`;

/** Texts that touch each other for want of a space. */
export const adjoining = (page: Page): Promise<readonly string[]> => page.evaluate(ADJOINING);

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
  const flaws = (await adjoining(page)).map((texts) => `no space between ${texts}`);
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
