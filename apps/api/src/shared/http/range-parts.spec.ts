import { describe, expect, it } from '@jest/globals';
import type { KeyRange, ReadView } from '#projections/shared/read-store.js';
import { rangeInParts } from './range-parts.js';

/** A collection with these keys, as far as ranges of it are concerned. */
const viewOf = (keys: readonly string[]) => {
  const asked: KeyRange[] = [];
  const range = async (_collection: string, wanted: KeyRange) => {
    asked.push(wanted);
    const { gte = '', gt = '', lt = '~', limit = Number.POSITIVE_INFINITY } = wanted;
    return keys
      .filter((key) => key >= gte && key > gt && key < lt)
      .slice(0, limit)
      .map((key) => ({ key, value: Buffer.from(key) }));
  };
  return { asked, view: { range } as unknown as ReadView };
};

const read = async (keys: readonly string[], bounds: Pick<KeyRange, 'gte' | 'lt'>, together?: number) => {
  const { asked, view } = viewOf(keys);
  const parts: string[] = [];
  for await (const part of rangeInParts(view, 'c', bounds, together)) parts.push(part.map(({ key }) => key).join(''));
  return { asked, parts };
};

describe('a range in parts', () => {
  it('has all documents, in order, some at a time', async () => {
    const { asked, parts } = await read([...'abcdefg'], { gte: 'b', lt: 'g' }, 2);
    expect(parts).toEqual(['bc', 'de', 'f']);
    expect(asked).toEqual([
      { gte: 'b', lt: 'g', limit: 2 },
      { gt: 'c', lt: 'g', limit: 2 },
      { gt: 'e', lt: 'g', limit: 2 },
    ]);
  });

  it('has no part where there are no documents', async () => expect((await read([], {})).parts).toEqual([]));

  it('ends after a part that was full by chance', async () => expect((await read([...'abcd'], {}, 2)).parts).toEqual(['ab', 'cd']));
});
