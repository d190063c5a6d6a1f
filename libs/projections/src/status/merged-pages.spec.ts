import { describe, expect, it } from '@jest/globals';
import { mergedPages } from './merged-pages.js';

type Item = readonly [number, string];
async function* pages(...given: readonly (readonly Item[])[]): AsyncGenerator<readonly Item[]> {
  yield* given;
}
const merged = async (left: AsyncIterable<readonly Item[]>, right: AsyncIterable<readonly Item[]>): Promise<readonly Item[]> => {
  const all: Item[] = [];
  for await (const page of mergedPages(left, right, ([one], [other]) => one - other)) all.push(...page);
  return all;
};
const items = (side: string, ...numbers: readonly number[]): readonly Item[] => numbers.map((number) => [number, side]);

describe('two sorted sequences', () => {
  it.each([
    ['nothing', pages(), pages([]), ''],
    ['one side', pages(items('l', 1, 2), [], items('l', 3)), pages(), 'l1 l2 l3'],
    ['the other side', pages([]), pages(items('r', 1), items('r', 2)), 'r1 r2'],
    ['both', pages(items('l', 1, 4), items('l', 5)), pages(items('r', 2, 3), [], items('r', 6, 7)), 'l1 r2 r3 l4 l5 r6 r7'],
    ['equal items', pages(items('l', 1, 1, 2)), pages(items('r', 1, 2, 2)), 'l1 l1 r1 l2 r2 r2'],
  ])('are merged: %s', async (_what, left, right, expected) => {
    expect((await merged(left, right)).map(([number, side]) => `${side}${number}`).join(' ')).toBe(expected);
  });

  it('are merged into pages no longer than theirs', async () => {
    const [left, right] = [pages(items('l', 9)), pages(...[1, 3, 5].map((number) => items('r', number, number + 1)))];
    const sizes: number[] = [];
    for await (const page of mergedPages(left, right, ([one], [other]) => one - other)) sizes.push(page.length);
    expect(sizes).toEqual([2, 2, 2, 1]);
  });
});
