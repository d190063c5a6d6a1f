import { describe, expect, it } from '@jest/globals';
import type { KeyRange, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { type Batches, documentsIn, documentsInEach } from './document-batches.js';

const KIB = 1024;
const key = (index: number): string => `k/${`${index}`.padStart(5, '0')}`;
/** A collection of `count` documents, each `length` characters long. */
const viewOf = (count: number, length: number): ReadView =>
  memoryView({ c: Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), 'x'.repeat(length)])) });
const RANGE: KeyRange = { gte: 'k/', lt: 'k0' };

const batchesOf = async (batches: Batches): Promise<(readonly StoredDocument[])[]> => {
  const all: (readonly StoredDocument[])[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
};
const keysIn = (batches: readonly (readonly StoredDocument[])[]): string[] => batches.flat().map((document) => document.key);
const keys = (count: number): string[] => Array.from({ length: count }, (_, index) => key(index));

describe('documents read in batches', () => {
  it.each([0, 1, 15, 16, 17, 1_016, 3_000])('are all %i of them, each once, in order', async (count) =>
    expect(keysIn(await batchesOf(documentsIn(viewOf(count, 10), 'c', RANGE)))).toEqual(keys(count)),
  );

  it('are few at first, then about a megabyte per batch', async () => {
    const sizes = (await batchesOf(documentsIn(viewOf(200, 64 * KIB), 'c', RANGE))).map(({ length }) => length);
    expect(sizes.slice(0, -1)).toEqual(Array(12).fill(16));
    const large = (await batchesOf(documentsIn(viewOf(20, 4 * KIB * KIB), 'c', RANGE))).map(({ length }) => length);
    expect(large).toEqual([16, 1, 1, 1, 1]);
  });

  it('are at most a thousand per batch, or the given number', async () => {
    const sizes = async (step?: number) => (await batchesOf(documentsIn(viewOf(2_500, 10), 'c', RANGE, step))).map(({ length }) => length);
    expect(await sizes()).toEqual([16, 1_000, 1_000, 484]);
    expect((await sizes(5)).slice(0, 3)).toEqual([5, 5, 5]);
  });
});

describe('documents of several ranges', () => {
  it('are read separately, any number of times, with the first ones of all ranges read together', async () => {
    const view = viewOf(100, 10);
    let reads = 0;
    const counted: ReadView = {
      ...view,
      range: (...call) => {
        reads += 1;
        return view.range(...call);
      },
    };
    const lists = await documentsInEach(counted, 'c', [RANGE, { gte: key(3), lt: key(5) }, { gte: 'z' }]);
    expect(reads).toBe(0);
    const found = async () => Promise.all(lists.map(async (list) => keysIn(await batchesOf(list()))));
    const expected = [keys(100), [key(3), key(4)], []];
    expect(await found()).toEqual(expected);
    expect(reads).toBe(1);
    expect(await found()).toEqual(expected);
    expect(await documentsInEach(counted, 'c', [])).toEqual([]);
  });
});
