import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import { type KeyBounds, PAGE, pagesOf, type Slice } from '#projections/shared/pages.js';
import type { ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';

/** A place in a document. `bytes`: approximate length of the document. `items`: number of items in it, default 1. */
type Place = Readonly<{ key: string; bytes: number; items?: number }>;

type Ordered<Order> = Place & Readonly<{ order: Order }>;

type Ordering<Order> = Readonly<{
  /** The sort keys of the items in a document. `undefined`: the item is skipped. */
  ordersOf(document: StoredDocument): readonly (Order | undefined)[];
  compare(left: Order, right: Order): number;
}>;

/** A document with the sort key of one of its items. */
type OrderedItem<Order> = StoredDocument & Readonly<{ order: Order }>;

/**
 * The items in the documents of a range in an order other than that of their keys, in pages. A long range is read twice: first the sort keys alone,
 * then the documents in that order, without those that were removed meanwhile.
 * @throws DomainError `OVER_LIMIT` if there are more than an answer may have
 */
export async function* inOrder<Order>(
  view: ReadView,
  collection: string,
  range: KeyBounds,
  { ordersOf, compare }: Ordering<Order>,
  slice: Slice,
): AsyncGenerator<readonly OrderedItem<Order>[]> {
  const all: Ordered<Order>[] = [];
  let pages = 0;
  let only: readonly StoredDocument[] = [];
  for await (const page of pagesOf(view, collection, range, { slice })) {
    pages += 1;
    only = page;
    for (const document of page) all.push(...orderedIn(document, ordersOf(document)));
    if (all.length > STATUS_LIMITS.resultsPerAnswer.value) throw overLimit('resultsPerAnswer');
  }
  await sortInSlices(all, (left, right) => compare(left.order, right.order), slice);
  if (pages > 1)
    for await (const page of fetched(view, collection, all, slice))
      yield page.map(({ key, value, of: { order } }) => ({ key, value, order }));
  else if (all.length > 0) {
    const byKey = new Map(only.map(({ key, value }) => [key, value]));
    yield all.map(({ key, order }) => ({ key, value: byKey.get(key) as Buffer, order }));
  }
}

const orderedIn = <Order>({ key, value }: StoredDocument, orders: readonly (Order | undefined)[]): readonly Ordered<Order>[] =>
  orders.flatMap((order) => (order === undefined ? [] : { key, bytes: value.length, items: orders.length, order }));

/** Maximum bytes of the documents of a page: its items may be parts of documents that are much longer. */
const MOST_READ = 16 * PAGE.maxBytes;

/** End index of the page that starts at `start`. */
const endOfPage = (all: readonly Place[], start: number): number => {
  const keys = new Set<string>();
  let [end, bytes, read] = [start, 0, 0];
  for (const { key, bytes: length, items = 1 } of all.slice(start, start + PAGE.limit)) {
    if (bytes >= PAGE.maxBytes || read >= MOST_READ) break;
    bytes += length / items;
    if (!keys.has(key)) read += length;
    keys.add(key);
    end += 1;
  }
  return end;
};

/** Documents by key, in pages, each with its entry in `all`. Missing documents are skipped. */
async function* fetched<Of extends Place>(
  view: ReadView,
  collection: string,
  all: readonly Of[],
  slice: Slice,
): AsyncGenerator<readonly (StoredDocument & Readonly<{ of: Of }>)[]> {
  for (let start = 0; start < all.length; ) {
    const end = endOfPage(all, start);
    const wanted = all.slice(start, end);
    const keys = [...new Set(wanted.map(({ key }) => key))];
    const values = await view.getMany(collection, keys);
    const byKey = new Map(keys.map((key, index) => [key, values[index]]));
    const found = wanted.flatMap((of) => {
      const value = byKey.get(of.key);
      return value ? [{ key: of.key, value, of }] : [];
    });
    if (found.length > 0) yield found;
    start = end;
    if (slice.isOver) await slice.next();
  }
}
