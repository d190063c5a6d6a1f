/** Items that a page holds at most. */
export const MOST = 2_000;

/** Items, the newest first. `next`: where older ones go on; null: there are none, or they are not shown. `before`: newer ones than the first were let go. */
export type Shown<Item> = Readonly<{ items: readonly Item[]; next: string | null; before: boolean }>;

export const NONE = { items: [], next: null, before: false } as const;

type Kind<Item> = Readonly<{
  keyOf: (item: Item) => string | number;
  /** The place after which older ones follow an item: with it, too many older ones push out the newest. Without it the newest stay, and the list ends. */
  placeOf?: (item: Item) => string | undefined;
}>;

const without = <Item>(items: readonly Item[], others: readonly Item[], keyOf: Kind<Item>['keyOf']): readonly Item[] => {
  const known = new Set(others.map(keyOf));
  return items.filter((item) => !known.has(keyOf(item)));
};

/** Older ones below. An item that came before stays where it is. */
export const withOlder = <Item>(
  { items, before }: Shown<Item>,
  page: Readonly<{ items: readonly Item[]; next: string | null }>,
  { keyOf, placeOf }: Kind<Item>,
): Shown<Item> => {
  const all = [...items, ...without(page.items, items, keyOf)];
  if (!placeOf) return { items: all.slice(0, MOST), next: all.length >= MOST ? null : page.next, before };
  const gone = Math.max(0, all.length - MOST);
  return { items: all.slice(gone), next: page.next, before: before || gone > 0 };
};

/** The list with new items on top, changed ones among them. Beyond the limit the oldest are dropped. */
export const withNewer = <Item>(
  { items, next, before }: Shown<Item>,
  newer: readonly Item[],
  { keyOf, placeOf }: Kind<Item>,
): Shown<Item> => {
  const all = [...newer, ...without(items, newer, keyOf)];
  const kept = all.slice(0, MOST);
  if (kept.length === all.length) return { items: all, next, before };
  const last = kept.at(-1);
  return { items: kept, next: placeOf ? ((last && placeOf(last)) ?? next) : null, before };
};
