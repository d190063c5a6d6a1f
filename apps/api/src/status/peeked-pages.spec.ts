import { describe, expect, it } from '@jest/globals';
import { peekFirst } from './peeked-pages.js';

async function* pagesOf(...pages: readonly (readonly number[])[]): AsyncGenerator<readonly number[]> {
  yield* pages;
}

describe('pages whose first item was peeked at', () => {
  it.each([
    ['no pages', []],
    ['empty pages only', [[], []]],
  ])('have no first item where there are %s', async (_, pages) => {
    expect((await peekFirst(pagesOf(...pages))).first).toBeUndefined();
  });

  it('have their first item and still show all items', async () => {
    const { first, pages } = await peekFirst(pagesOf([], [1, 2], [3]));
    const items: number[] = [];
    for await (const page of pages) items.push(...page);
    expect([first, items]).toEqual([1, [1, 2, 3]]);
  });
});
