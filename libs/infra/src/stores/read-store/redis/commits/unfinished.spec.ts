import { describe, expect, it } from '@jest/globals';
import { placeOf } from '#infra/stores/read-store/keys.js';
import type { Change } from '#projections/shared/read-store.js';
import { planOf, planOfLargePrefixes } from './commit-plan.js';
import { UnfinishedSlot } from './unfinished.js';

const put = (key: string, value = '1'): Change => ({ kind: 'put', collection: 'c', key, value });
const remove = (key: string): Change => ({ kind: 'delete', collection: 'c', key });
const removePrefix = (prefix: string): Change => ({ kind: 'delete-prefix', collection: 'c', prefix });

describe('the place of a range among the keys with a prefix', () => {
  it.each([
    [{ gte: 'p/', lt: 'p0' }, 'within'],
    [{ gt: 'p/a', lte: 'p/b' }, 'within'],
    [{ gte: 'p/', lte: 'p0' }, 'across'],
    [{ gte: 'p/' }, 'across'],
    [{ lt: 'p/b' }, 'across'],
    [{}, 'across'],
    [{ lt: 'p/' }, 'apart'],
    [{ lte: 'p' }, 'apart'],
    [{ gte: 'p0' }, 'apart'],
    [{ gt: 'q', lt: 'r' }, 'apart'],
  ] as const)('%j: %s', (range, place) => expect(placeOf(range, 'p/')).toBe(place));

  it('is within if the prefix is empty', () => expect(placeOf({}, '')).toBe('within'));

  it('goes by the bytes of UTF-8', () => {
    expect(placeOf({ gte: '\u{10000}' }, '\uffff')).toBe('apart');
    expect(placeOf({ gte: 'é', lt: 'ê' }, 'é')).toBe('within');
  });
});

describe('the plan of a commit', () => {
  it('is one step for few changes', () => {
    const changes = [put('a'), removePrefix('p/'), remove('b')];
    expect(planOf(changes)).toEqual({ direct: changes, parts: [], areas: [] });
  });

  it('is in parts for many changes or bytes', () => {
    const many = Array.from({ length: 7_000 }, (_, n) => put(`${n}`));
    const { direct, parts, areas } = planOf([...many, remove('1'), put('1')]);
    expect([direct, areas]).toEqual([[], [['c', null]]]);
    expect(parts.slice(-2)).toEqual([
      ['delete', 'c', '1'],
      ['put', 'c', '1', '1'],
    ]);
    expect(parts.flatMap((part) => part.slice(2)).length).toBe(2 * 7_000 + 1 + 2);
    expect(planOf(Array.from({ length: 20 }, (_, n) => put(`${n}`, 'x'.repeat(500_000)))).parts.length).toBeGreaterThan(5);
  });

  it('leaves a large prefix for later, unless something is put under it after it', () => {
    const plan = planOfLargePrefixes([put('p/a'), put('a'), removePrefix('p/'), remove('p/b'), put('b')]);
    expect(plan.direct).toEqual([put('a'), remove('p/b'), put('b')]);
    expect(plan.areas).toEqual([['c', 'p/']]);
    expect(plan.parts.map(([kind]) => kind)).toEqual(['prefix']);
    expect(planOfLargePrefixes([removePrefix('p/'), put('p/a')]).areas).toEqual([['c', null]]);
  });
});

describe('areas that are unfinished', () => {
  const areas = new UnfinishedSlot(
    JSON.stringify([
      ['c', 'p/'],
      ['d', null],
    ]),
  );

  it('hide what is still to be removed', () => {
    expect(['p/a', 'p', 'q'].map((key) => areas.hides('c', key))).toEqual([true, false, false]);
    expect(areas.hides('other', 'p/a')).toBe(false);
  });

  it('are in the way of what cannot be told from them', () => {
    expect(areas.isInTheWayOf('c', [{ gte: 'p/', lt: 'p0' }, { lt: 'a' }])).toBe(false);
    expect(areas.isInTheWayOf('c', [{}])).toBe(true);
    expect(areas.isInTheWayOf('d', [])).toBe(true);
    expect(areas.isInTheWayOfChanges([put('a'), remove('p/a'), removePrefix('p/')])).toBe(false);
    expect(areas.isInTheWayOfChanges([put('p/a')])).toBe(true);
  });
});
