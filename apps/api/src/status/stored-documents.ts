import { sortInSlices } from '#api/shared/answers/sort-in-slices.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { KeyRange, ReadView, StoredDocument } from '#projections/shared/read-store.js';

/** A page takes a few milliseconds to read, and little memory while a slow client takes it. */
export const PAGE = { limit: 1_000, maxBytes: 1024 * 1024 } as const;
/** A page with less than that was not ended by its bytes: documents have more of them in the store than here, where parts are sealed, but not 64 times. */
const SMALL = PAGE.maxBytes / 64;

const bytesOf = (documents: readonly StoredDocument[]): number => documents.reduce((sum, { value }) => sum + value.length, 0);

/** A stretch of keys: both ends, of which the lower one is part of it. */
export type Stretch = Readonly<{ gte: string; lt: string }>;

/**
 * The documents of a range in its order, page by page; others get their turn in between. Each page shows one consistent state, and together they
 * show every document that is there all the time. None is empty. `most`: documents in a page.
 */
export async function* pagesOf(
  view: ReadView,
  collection: string,
  { gte, lt }: Stretch,
  { reverse = false, most = PAGE.limit }: Readonly<{ reverse?: boolean; most?: number }> = {},
): AsyncGenerator<readonly StoredDocument[]> {
  const slice = new TimeSlice();
  const page = { reverse, limit: most, maxBytes: PAGE.maxBytes };
  let range: KeyRange = { gte, lt };
  for (;;) {
    const documents = await view.range(collection, { ...range, ...page });
    const last = documents.at(-1);
    if (!last) return;
    yield documents;
    if (documents.length < most && bytesOf(documents) < SMALL) return;
    range = reverse ? { gte, lt: last.key } : { gt: last.key, lt };
    if (slice.isOver) await slice.next();
  }
}

/** What of a document decides on its place: nothing where it is left out. */
type Ordered<Order> = Readonly<{ key: string; bytes: number; order: Order }>;

export type Ordering<Order> = Readonly<{
  orderOf(document: StoredDocument): Order | undefined;
  compare(left: Order, right: Order): number;
}>;

/**
 * The documents of a range in an order of their own, page by page. A long range is read twice: first only what orders the documents is kept, then they
 * are fetched in that order; those that were removed meanwhile are left out.
 * @throws DomainError `OVER_LIMIT` when there are more than an answer may have
 */
export async function* inOrder<Order>(
  view: ReadView,
  collection: string,
  range: Stretch,
  { orderOf, compare }: Ordering<Order>,
): AsyncGenerator<readonly StoredDocument[]> {
  const all: Ordered<Order>[] = [];
  let pages = 0;
  let only: readonly StoredDocument[] = [];
  for await (const page of pagesOf(view, collection, range)) {
    pages += 1;
    only = page;
    for (const document of page) {
      const order = orderOf(document);
      if (order !== undefined) all.push({ key: document.key, bytes: document.value.length, order });
    }
    if (all.length > STATUS_LIMITS.resultsPerAnswer.value) throw overLimit('resultsPerAnswer');
  }
  await sortInSlices(all, (left, right) => compare(left.order, right.order));
  if (pages > 1) yield* fetched(view, collection, all);
  else if (all.length > 0) {
    const byKey = new Map(only.map((document) => [document.key, document]));
    yield all.flatMap(({ key }) => byKey.get(key) ?? []);
  }
}

/** Items of which the first is known before they are taken; it is one of them. */
export type Begun<Item> = Readonly<{ first: Item | undefined; pages: AsyncIterable<readonly Item[]> }>;

async function* behind<Item>(page: readonly Item[], rest: AsyncIterable<readonly Item[]>): AsyncGenerator<readonly Item[]> {
  yield page;
  yield* rest;
}

/** Looks for the first item. */
export const begun = async <Item>(pages: AsyncGenerator<readonly Item[]>): Promise<Begun<Item>> => {
  for (;;) {
    const { value, done } = await pages.next();
    if (done) return { first: undefined, pages };
    if (value.length > 0) return { first: value[0], pages: behind(value, pages) };
  }
};

/** The documents of these keys, a page at a time. */
async function* fetched(view: ReadView, collection: string, all: readonly Ordered<unknown>[]): AsyncGenerator<readonly StoredDocument[]> {
  const slice = new TimeSlice();
  for (let start = 0; start < all.length; ) {
    let [end, bytes] = [start, 0];
    while (end < all.length && end - start < PAGE.limit && bytes < PAGE.maxBytes) bytes += all[end++]?.bytes ?? 0;
    const keys = all.slice(start, end).map(({ key }) => key);
    const values = await view.getMany(collection, keys);
    const found = keys.flatMap((key, index) => {
      const value = values[index];
      return value ? [{ key, value }] : [];
    });
    if (found.length > 0) yield found;
    start = end;
    if (slice.isOver) await slice.next();
  }
}
