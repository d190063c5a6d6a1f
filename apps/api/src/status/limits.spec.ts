import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { STATUS_LIMITS, type StatusLimit } from '#domain/status/limits.js';

/** The section on the status service; tables may be padded. */
const [, documented = ''] = readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8')
  .replaceAll(/ +/g, ' ')
  .split(/^## (?:Status|Accounting)$/m);
const limits: readonly (readonly [string, StatusLimit])[] = Object.entries(STATUS_LIMITS);

it.each(limits)('%s is in docs/limits.md with its value', (name, { value, unit }) =>
  expect(documented).toContain(`| \`${name}\` | ${value.toLocaleString('en-US')} ${unit} |`),
);

it('docs/limits.md has no limits that there are not', () => {
  const names = [...documented.matchAll(/^\| `([a-z]\w+)` \|/gm)].map(([, name]) => name);
  expect(names.sort()).toEqual(Object.keys(STATUS_LIMITS).sort());
});
