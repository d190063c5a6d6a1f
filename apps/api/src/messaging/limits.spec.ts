import { expect, it } from '@jest/globals';
import { documentedLimits, limitsNamedIn } from '#test/support/documents/documented-limits.js';
import { LIMITS, type Limit } from './limits.js';

const documented = documentedLimits('Messaging');
const limits: readonly (readonly [string, Limit])[] = Object.entries(LIMITS);

it.each(limits)('%s is in docs/limits.md with its value', (name, { value, unit }) =>
  expect(documented).toContain(`| \`${name}\` | ${value.toLocaleString('en-US')} ${unit} |`),
);

it('has nothing in docs/limits.md that there is not', () => expect(limitsNamedIn(documented)).toEqual(Object.keys(LIMITS)));
