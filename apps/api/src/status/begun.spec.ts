import { describe, expect, it } from '@jest/globals';
import { begun } from './begun.js';

async function* pagesOf(...pages: readonly (readonly number[])[]): AsyncGenerator<readonly number[]> {
  yield* pages;
}

describe('pages that have begun', () => {
  it.each([
    ['no pages', []],
    ['empty pages only', [[], []]],
  ])('have no first item where there are %s', async (_, pages) => {
    expect((await begun(pagesOf(...pages))).first).toBeUndefined();
  });

  it('have their first item and still show all items', async () => {
    const { first, pages } = await begun(pagesOf([], [1, 2], [3]));
    const items: number[] = [];
    for await (const page of pages) items.push(...page);
    expect([first, items]).toEqual([1, [1, 2, 3]]);
  });
});
