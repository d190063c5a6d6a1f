import { expect, it } from '@jest/globals';
import type { Limit } from '#domain/shared/limits.js';
import { STATUS_LIMITS } from '#domain/status/limits.js';
import { documentedLimits, limitsNamedIn } from '#test/support/documents/documented-limits.js';

const documented = documentedLimits('Status');
const limits: readonly (readonly [string, Limit])[] = Object.entries(STATUS_LIMITS);

it.each(limits)('%s is in docs/limits.md with its value', (name, { value, unit }) =>
  expect(documented).toContain(`| \`${name}\` | ${value.toLocaleString('en-US')} ${unit} |`),
);

it('docs/limits.md has no limits that there are not', () =>
  expect([...limitsNamedIn(documented)].sort()).toEqual(Object.keys(STATUS_LIMITS).sort()));
