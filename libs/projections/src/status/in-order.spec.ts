import { describe, expect, it } from '@jest/globals';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { pagesOf } from '#projections/shared/pages.js';
import type { ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { inOrder } from './in-order.js';

const slice = new TimeSlice();
const ALL = { gte: 'k', lt: 'l' };
const keyOf = (index: number): string => `k${String(index).padStart(6, '0')}`;
const view = (count: number, text: (index: number) => string): ReadView =>
  memoryView({ c: Object.fromEntries(Array.from({ length: count }, (_, index) => [keyOf(index), text(index)])), other: { k: 'x' } });

const all = async <T>(pages: AsyncIterable<readonly T[]>): Promise<readonly (readonly T[])[]> => {
  const found: (readonly T[])[] = [];
  for await (const page of pages) found.push(page);
  return found;
};
const keysIn = (pages: readonly (readonly StoredDocument[])[]): readonly string[] => pages.flat().map(({ key }) => key);
const keys = (count: number): string[] => Array.from({ length: count }, (_, index) => keyOf(index));

describe('pages of documents', () => {
  it.each([0, 1, 999, 1_000, 1_001, 2_500])('contain all of %i documents, in order and backwards', async (count) => {
    const documents = view(count, String);
    const forwards = await all(pagesOf(documents, 'c', ALL, { slice }));
    expect(keysIn(forwards)).toEqual(keys(count));
    expect(forwards.every((page) => page.length > 0 && page.length <= 1_000)).toBe(true);
    expect(keysIn(await all(pagesOf(documents, 'c', ALL, { slice, reverse: true, most: 7 })))).toEqual(keys(count).reverse());
  });
});

describe('documents in a custom order', () => {
  const ordersOf = ({ value }: StoredDocument): readonly (number | undefined)[] =>
    value
      .toString()
      .split(' ')
      .map(Number)
      .map((number) => (number % 5 === 0 ? undefined : number));
  const ordering = { ordersOf, compare: (one: number, other: number) => other - one };
  const mixed = (index: number): string => String((index * 7_919) % 10_007);

  it.each([10, 1_000, 5_000])('are those of %i with a sort key, on one page or several', async (count) => {
    const numbers = Array.from({ length: count }, (_, index) => Number(mixed(index))).filter((number) => number % 5 !== 0);
    const found = await all(inOrder(view(count, mixed), 'c', ALL, ordering, slice));
    expect(found.flat().map(({ value }) => Number(value.toString()))).toEqual(numbers.sort((one, other) => other - one));
  });

  it.each([2, 2_000])('may share %i documents', async (count) => {
    const numbers = Array.from({ length: 2 * count }, (_, index) => index + 1);
    const documents = view(count, (index) => `${index + 1} ${2 * count - index}`);
    const found = (await all(inOrder(documents, 'c', ALL, ordering, slice))).flat();
    expect(found.map(({ order }) => order)).toEqual(numbers.filter((number) => number % 5 !== 0).reverse());
    expect(found.every(({ value, order }) => value.toString().split(' ').includes(String(order)))).toBe(true);
  });

  it('are read in pages of limited size, although each page has items of many long documents', async () => {
    const padding = '0'.repeat(1024 * 1024);
    const long = (index: number) => `${Array.from({ length: 20 }, (_, item) => item * 1_000 + index * 5 + 1).join(' ')} ${padding}`;
    const documents = view(1_040, (index) => (index < 40 ? long(index) : '0'));
    const sizes: number[] = [];
    const measured: ReadView = {
      ...documents,
      getMany: async (collection, wanted) => {
        const found = await documents.getMany(collection, wanted);
        sizes.push(found.reduce((sum, one) => sum + (one?.length ?? 0), 0));
        return found;
      },
    };
    expect((await all(inOrder(measured, 'c', ALL, ordering, slice))).flat()).toHaveLength(800);
    expect(Math.max(...sizes)).toBeLessThan(17.5 * padding.length);
    expect(sizes.length).toBeGreaterThan(40);
  });

  it('are skipped if they are removed before they are fetched', async () => {
    const documents = view(3_000, mixed);
    const gone: ReadView = {
      ...documents,
      getMany: async (collection, wanted) => (await documents.getMany(collection, wanted)).map((one, n) => (n % 2 ? one : null)),
    };
    const found = (await all(inOrder(gone, 'c', ALL, ordering, slice))).flat();
    expect(found.length).toBe(Math.floor((await all(inOrder(documents, 'c', ALL, ordering, slice))).flat().length / 2));
  });

  it('are rejected if they are more than an answer may have', async () => {
    const many = view(251, () => '1 '.repeat(1_000));
    await expect(all(inOrder(many, 'c', ALL, ordering, slice))).rejects.toMatchObject({ code: 'OVER_LIMIT' });
  });
});
