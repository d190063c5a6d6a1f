import type { Piece, Pieces } from '#api/shared/answers/pieces.js';

/** Layout of groups of consecutive items. */
type GroupLayout<Item> = Readonly<{
  /** Returns whether an item belongs to the group of the previous one. */
  isSame(one: Item, before: Item): boolean;
  begin(first: Item): string;
  item(item: Item, isFirst: boolean): readonly Piece[];
  end: string;
  /** Text between two groups. Default: none. */
  between?: string;
}>;

/** Groups of the items of pages. A group may span pages. */
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
