import { expect, it } from '@jest/globals';
import { inOrder } from './search-pages.js';

async function* source(...batches: readonly (readonly string[])[]): AsyncGenerator<readonly string[]> {
  yield* batches;
}

const collected = async (...sources: readonly AsyncIterator<readonly string[]>[]) => {
  const all: (readonly string[])[] = [];
  for await (const texts of inOrder(sources)) all.push(texts);
  return all;
};

it('inOrder merges sources as far as each has been read', async () => {
  expect(await collected(source(['a', 'd'], ['g']), source(['b', 'c'], ['e', 'f', 'h']), source())).toEqual([
    ['a', 'b', 'c'],
    ['d'],
    ['e', 'f', 'g'],
    ['h'],
  ]);
});

it('inOrder passes on a single source as it comes, and yields nothing for no source', async () => {
  expect(await collected(source(['a', 'b'], ['c']))).toEqual([['a', 'b'], ['c']]);
  expect(await collected()).toEqual([]);
});
