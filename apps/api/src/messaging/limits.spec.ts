import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { LIMITS, type Limit } from './limits.js';

/** Tables may be padded. */
const [, documented = ''] = readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8')
  .replaceAll(/ +/g, ' ')
  .split(/^## (?:Messaging|Status)$/m);
const limits: readonly (readonly [string, Limit])[] = Object.entries(LIMITS);

it.each(limits)('%s is in docs/limits.md with its value', (name, { value, unit }) =>
  expect(documented).toContain(`| \`${name}\` | ${value.toLocaleString('en-US')} ${unit} |`),
);

it('has nothing in docs/limits.md that there is not', () => {
  const names = [...documented.matchAll(/^\| `([a-z]\w+)` \|/gm)].map(([, name]) => name);
  expect(names).toEqual(Object.keys(LIMITS));
});
