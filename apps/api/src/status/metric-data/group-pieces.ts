import type { Piece, Pieces } from '#api/shared/answers/pieces.js';

/** How groups of items that come one after another are written. */
type GroupLayout<Item> = Readonly<{
  /** Whether an item is of the same group as the one before it. */
  isSame(one: Item, before: Item): boolean;
  begin(first: Item): string;
  item(item: Item, isFirst: boolean): readonly Piece[];
  end: string;
  /** Between two groups. Default: nothing. */
  between?: string;
}>;

/** The groups of the items of pages, of which a page may hold a part only. */
export async function* groupPieces<Item>(
  pages: AsyncIterable<readonly Item[]>,
  { isSame, begin, item, end, between = '' }: GroupLayout<Item>,
): Pieces {
  let before: Item | undefined;
  for await (const page of pages) {
    const pieces: Piece[] = [];
    for (const one of page) {
      const isFirst = before === undefined || !isSame(one, before);
      if (isFirst) pieces.push(`${before === undefined ? '' : end + between}${begin(one)}`);
      pieces.push(...item(one, isFirst));
      before = one;
    }
    yield pieces;
  }
  yield [end];
}
