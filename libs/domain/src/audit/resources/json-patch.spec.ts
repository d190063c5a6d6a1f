import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json } from '#domain/shared/events.js';
import { NumberText } from '#domain/shared/text/number-text.js';
import { forAny } from '#test/support/for-any.js';
import { type PatchOperation, patchBetween } from './json-patch.js';

/** RFC 6902 as it stands there, for the operations that are made. */
const applied = (document: unknown, patch: readonly PatchOperation[]): unknown => {
  let root = structuredClone(document);
  for (const operation of patch) {
    const parts = operation.path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = parts.pop();
    const value = 'value' in operation ? structuredClone(operation.value) : undefined;
    if (last === undefined) {
      root = value;
      continue;
    }
    const target = parts.reduce((at, part) => (at as Record<string, unknown>)[part], root) as Record<string, unknown> | unknown[];
    if (Array.isArray(target)) target.splice(Number(last), operation.op === 'add' ? 0 : 1, ...(operation.op === 'remove' ? [] : [value]));
    else if (operation.op === 'remove') delete target[last];
    else Object.defineProperty(target, last, { value, enumerable: true, configurable: true, writable: true });
  }
  return root;
};

/** As it comes from the log: without -0. */
const value = fc.jsonValue({ maxDepth: 4 }).map((json): Json => JSON.parse(JSON.stringify(json)));

describe('patches of long numbers', () => {
  const long = (text: string) => ({ value: new NumberText(text) });

  it('have changes of any digit, and none of the spelling', () => {
    const after = long('12300000000000003');
    expect(patchBetween(long('12300000000000001'), after)).toEqual([{ op: 'replace', path: '/value', value: after.value }]);
    expect(patchBetween(long('12300000000000001'), { value: 12300000000000000 })).toHaveLength(1);
    expect(patchBetween({ value: 12300000000000000 }, long('12300000000000001'))).toHaveLength(1);
    expect(patchBetween(long('12300000000000001.0'), long('12300000000000001'))).toEqual([]);
  });
});

describe('The change between two values', () => {
  it('turns the one into the other', async () => {
    await forAny(100, value, value, (before, after) => expect(applied(before, patchBetween(before, after))).toEqual(after));
    const lists = fc.array(fc.constantFrom(1, 2, 3), { maxLength: 6 });
    await forAny(100, lists, lists, (before, after) =>
      expect(applied({ a: before }, patchBetween({ a: before }, { a: after }))).toEqual({ a: after }),
    );
  });

  it('names what has changed and nothing else', () => {
    const before = { name: 'a', roles: ['x', 'y'], 'a/b~c': 1, info: { web: '', mail: null } };
    const after = { name: 'b', roles: ['x', 'z', 'y'], info: { web: '', mail: 'm' }, more: true };
    expect(patchBetween(before, after)).toEqual([
      { op: 'replace', path: '/name', value: 'b' },
      { op: 'add', path: '/roles/1', value: 'z' },
      { op: 'remove', path: '/a~1b~0c' },
      { op: 'replace', path: '/info/mail', value: 'm' },
      { op: 'add', path: '/more', value: true },
    ]);
  });

  it('is empty between the same, adds the first value and replaces the last by nothing', () => {
    expect(patchBetween({ a: 1, b: [2] }, { b: [2], a: 1 })).toEqual([]);
    expect(patchBetween(null, null)).toEqual([]);
    expect(patchBetween(null, { a: 1 })).toEqual([{ op: 'add', path: '', value: { a: 1 } }]);
    expect(patchBetween({ a: 1 }, null)).toEqual([{ op: 'replace', path: '', value: null }]);
  });
});
