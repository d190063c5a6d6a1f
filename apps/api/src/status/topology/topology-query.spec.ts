import { describe, expect, it } from '@jest/globals';
import { passes } from '#domain/status/topology/topology-filter.js';
import { filterOfQuery } from './topology-query.js';

const fields = ['group', 'type'];
const item = (members: object, tags: Readonly<Record<string, string>> | null = null) => ({ ...members, tags });

describe('a filter of a query', () => {
  it('needs all parameters to hold', () => {
    const filter = filterOfQuery({ group: ['a', 'b'], type: 'S*', other: 'x' }, fields);
    expect(passes(item({ group: 'b', type: 'SITES' }), filter)).toBe(true);
    expect(passes(item({ group: 'c', type: 'SITES' }), filter)).toBe(false);
    expect(passes(item({ group: 'a', type: 'X' }), filter)).toBe(false);
  });

  it('filters nothing by empty values', () => {
    const filter = filterOfQuery({ group: '', type: ['', 'a'], tags: '' }, fields);
    expect(passes(item({ group: 'g', type: 'a' }), filter)).toBe(true);
    expect(passes(item({ group: 'g', type: 'b' }), filter)).toBe(false);
  });

  it.each([
    ['k:v', { k: 'v' }, true],
    ['k:v', { k: 'w' }, false],
    ['k:v', null, false],
    ['k:v,k:w', { k: 'w' }, true],
    ['k:v,l:w', { k: 'v' }, false],
    ['k:v,l:w', { k: 'v', l: 'w' }, true],
    ['k:v*', { k: 'vw' }, true],
    ['k:~v', { k: 'v' }, false],
    ['k:~v', { k: 'w' }, true],
    ['k:~v', { l: 'v' }, true],
    ['k:~v', null, true],
    ['k:~v,k:w', { k: 'x' }, false],
    ['k', null, true],
    ['k:v:w', null, true],
    ['k,k:v', { k: 'v' }, true],
    ['toString:x', {}, false],
    ['__proto__:x', {}, false],
  ])('tags %j of %j: %s', (tags, given, expected) => expect(passes(item({}, given), filterOfQuery({ tags }, fields))).toBe(expected));
});

describe('the patterns of a filter', () => {
  const patterns = (count: number) => Array.from({ length: count }, (_, index) => `a*${index}`);
  const tooMany = expect.objectContaining({ code: 'OVER_LIMIT', details: { text: 'The filter has more than 100 patterns' } });

  it('are a hundred at most, of fields and of tags; plain values are as many as one likes', () => {
    const plain = Array.from({ length: 5_000 }, (_, index) => `v${index}`);
    const filter = filterOfQuery(
      {
        group: [...plain, ...patterns(100)],
        tags: patterns(100)
          .map((value) => `k:${value}`)
          .join(),
      },
      fields,
    );
    expect(['v4999', 'ax99', 'v5000'].map((group) => passes(item({ group }, { k: 'ax7' }), filter))).toEqual([true, true, false]);
    expect(() => filterOfQuery({ group: patterns(101) }, fields)).toThrow(tooMany);
    expect(() =>
      filterOfQuery(
        {
          tags: patterns(101)
            .map((value) => `k:${value}`)
            .join(),
        },
        fields,
      ),
    ).toThrow(tooMany);
  });
});
