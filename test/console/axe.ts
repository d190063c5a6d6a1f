import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = Readonly<{ id: string; nodes: readonly Readonly<{ target: readonly string[]; failureSummary: string }>[] }>;

/** Violations of impact serious or critical, and whether the page is wider than its window. */
export const flawsOf = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(AXE); // not as a script of the page, which its policy forbids
  const violations = (await page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)))`,
  )) as readonly Violation[];
  const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')} ${nodes[0]?.failureSummary}`),
    ...(wide ? ['the page scrolls sideways'] : []),
  ];
};
