import { describe, expect, it } from '@jest/globals';
import { weights } from '#domain/status/dated-records/weights.js';
import type { KeyRange, ReadStore } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { DatedQueries } from './queries.js';

const stored = (name: string): string => `${JSON.stringify({ date: '', name })}\n{}`;

/** Queries of weights of the tenant `t`. `read`: keys of the snapshots of each read. */
const recorded = (snapshots: Readonly<Record<string, string>>) => {
  const ids = [...new Set(Object.keys(snapshots).map((key) => key.slice(0, key.lastIndexOf('/'))))];
  const view = memoryView({ weights: snapshots, 'weights.records': Object.fromEntries(ids.map((id) => [id, '{}'])) });
  const read: string[][] = [];
  const noted = async (collection: string, wanted: readonly KeyRange[]) => {
    const found = await view.ranges(collection, wanted);
    if (collection === 'weights') read.push(found.flat().map(({ key }) => key));
    return found;
  };
  const range = async (collection: string, wanted: KeyRange) => (await noted(collection, [wanted]))[0];
  const queries = new DatedQueries({ view: () => ({ ...view, range, ranges: noted }) } as unknown as ReadStore, weights);
  return { queries, read };
};

describe('the name of a record to which another one refers', () => {
  const { queries, read } = recorded({ 't/a/2024-01-01': stored('old'), 't/a/2024-02-01': stored('new') });

  it.each([
    ['2024-01-31', 'old', [['t/a/2024-01-01']]],
    ['2024-02-01', 'new', [['t/a/2024-02-01']]],
    ['2023-12-31', 'new', [[], ['t/a/2024-02-01']]],
  ])('is read on %s from one snapshot', async (day, name, expected) => {
    read.length = 0;
    expect(await queries.referencedName({ tenantId: 't', id: 'a' }, day)).toBe(name);
    expect(read).toEqual(expected);
  });

  it('is absent without snapshots', async () =>
    expect(await queries.referencedName({ tenantId: 't', id: 'b' }, '2024-01-01')).toBeUndefined());
});

it('newest names are read from 20 snapshots at once, with other work in between, in pages of 200', async () => {
  const ids = Array.from({ length: 250 }, (_, index) => `r${index.toString().padStart(3, '0')}`);
  const { queries, read } = recorded(
    Object.fromEntries(ids.flatMap((id) => [1, 2].map((month) => [`t/${id}/2024-0${month}-01`, stored(`${id} ${month}`)]))),
  );
  let turns = 0;
  const pages: (readonly string[])[] = [];
  for await (const page of queries.newestNames('t', { isOver: true, next: async () => void turns++ }))
    pages.push(page.map(({ id, name }) => `${id}: ${name}`));
  expect(pages.map(({ length }) => length)).toEqual([200, 50]);
  expect(pages.flat()).toEqual(ids.map((id) => `${id}: ${id} 2`));
  expect(read.map(({ length }) => length)).toEqual([...Array(10).fill(20), 20, 20, 10]);
  expect(turns).toBeGreaterThanOrEqual(13);
});
