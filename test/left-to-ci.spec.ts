import { existsSync } from 'node:fs';
import { expect, it } from '@jest/globals';

it('the suites that a plain run leaves out are there', async () => {
  const { leftToCi } = (await import(`${import.meta.dirname}/left-to-ci.js`)) as { leftToCi: readonly string[] };
  expect(leftToCi.length).toBeGreaterThan(0);
  expect(leftToCi.filter((path) => !existsSync(path))).toEqual([]);
});
