import { describe, expect, it } from '@jest/globals';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { memoryView } from '#test/support/memory-view.js';
import { pagesOf } from './pages.js';
import type { StoredDocument } from './read-store.js';

const slice = new TimeSlice();
const ALL = { gte: 'k', lt: 'l' };

const all = async <T>(pages: AsyncIterable<readonly T[]>): Promise<readonly (readonly T[])[]> => {
  const found: (readonly T[])[] = [];
  for await (const page of pages) found.push(page);
  return found;
};
const keysIn = (pages: readonly (readonly StoredDocument[])[]): readonly string[] => pages.flat().map(({ key }) => key);

describe('pages of documents', () => {
  it.each([0, 1, 999, 1_000, 1_001, 2_500])('contain all of %i documents, in order and backwards', async (count) => {
    const keys = Array.from({ length: count }, (_, index) => `k${String(index).padStart(6, '0')}`);
    const documents = memoryView({ c: Object.fromEntries(keys.map((key, index) => [key, String(index)])), other: { k: 'x' } });
    const forwards = await all(pagesOf(documents, 'c', ALL, { slice }));
    expect(keysIn(forwards)).toEqual(keys);
    expect(forwards.every((page) => page.length > 0 && page.length <= 1_000)).toBe(true);
    expect(keysIn(await all(pagesOf(documents, 'c', ALL, { slice, reverse: true, most: 7 })))).toEqual(keys.toReversed());
  });
});
