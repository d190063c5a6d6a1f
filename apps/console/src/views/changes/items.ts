import type { AnswerOf, ItemOf } from '../../api/types.js';

export type ChangeItem = ItemOf<'/audit/changes'>;
export type ChangesAnswer = AnswerOf<'/audit/changes'>;

/** More are not held in the page. */
export const MOST = 2_000;

/** `next`: where older ones begin, `null` at the end. `newer`: where new ones begin. */
export type Shown = Readonly<{ items: readonly ChangeItem[]; next: string | null; newer: string | undefined }>;

export const NONE: Shown = { items: [], next: null, newer: undefined };

/** An older page below. */
export const withOlder = ({ items, newer }: Shown, page: ChangesAnswer): Shown => {
  const known = new Set(items.map(({ key }) => key));
  const all = [...items, ...page.items.filter(({ key }) => !known.has(key))].slice(0, MOST);
  return { items: all, next: all.length >= MOST ? null : page.next, newer: newer ?? page.newer };
};

/** New ones on top; a folded one that has grown stands where its newest event is. */
export const withNewer = ({ items, next }: Shown, page: ChangesAnswer): Shown => {
  const fresh = new Set(page.items.map(({ key }) => key));
  const all = [...page.items, ...items.filter(({ key }) => !fresh.has(key))];
  return { items: all.slice(0, MOST), next: all.length > MOST ? null : next, newer: page.newer };
};
