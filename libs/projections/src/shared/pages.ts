import type { KeyRange, ReadView, StoredDocument } from './read-store.js';

/** Limits of a page. Reading one takes a few milliseconds, and it needs little memory while a slow client receives it. */
export const PAGE = { limit: 1_000, maxBytes: 1024 * 1024 } as const;
/** A page with fewer bytes was not ended by the byte limit. Sealed members have more bytes in the store, but not 64 times as many. */
const SMALL = PAGE.maxBytes / 64;

const bytesOf = (documents: readonly StoredDocument[]): number => documents.reduce((sum, { value }) => sum + value.length, 0);

/** A range of keys from `gte` to `lt` (exclusive). Default: all keys. */
type KeyBounds = Pick<KeyRange, 'gte' | 'lt'>;

/** A share of the event loop. When it is over, `next` waits until other work has run. */
export type Slice = Readonly<{ isOver: boolean; next(): Promise<void> }>;

/** Work for a call. `isPointless`: its client is gone, so it may end with any result. */
export type Work = Readonly<{ slice: Slice; isPointless: boolean }>;

/** `most`: maximum documents per page, default 1,000. */
type PageOptions = Readonly<{ slice: Slice; reverse?: boolean; most?: number }>;

/**
 * The documents of a range in its order, in pages. Yields to other work in between. Each page shows one consistent state, and the pages together
 * contain every document that exists throughout. No page is empty.
 */
export async function* pagesOf(
  view: ReadView,
  collection: string,
  bounds: KeyBounds,
  { slice, reverse = false, most = PAGE.limit }: PageOptions,
): AsyncGenerator<readonly StoredDocument[]> {
  const page = { reverse, limit: most, maxBytes: PAGE.maxBytes };
  const { gte: _, ...upper } = bounds;
  let range: KeyRange = bounds;
  for (;;) {
    const documents = await view.range(collection, { ...range, ...page });
    const last = documents.at(-1);
    if (!last) return;
    yield documents;
    if (documents.length < most && bytesOf(documents) < SMALL) return;
    range = reverse ? { ...bounds, lt: last.key } : { ...upper, gt: last.key };
    if (slice.isOver) await slice.next();
  }
}

/** Generated items as pages of at most 1,000 items, which end once they reach 1 MiB. Yields to other work in between. No page is empty. */
export async function* inPages<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  bytesIn: (item: Item) => number,
  slice: Slice,
): AsyncGenerator<readonly Item[]> {
  let [page, bytes]: [Item[], number] = [[], 0];
  for await (const item of items) {
    page.push(item);
    bytes += bytesIn(item);
    if (page.length >= PAGE.limit || bytes >= PAGE.maxBytes) {
      yield page;
      [page, bytes] = [[], 0];
    }
    if (slice.isOver) await slice.next();
  }
  if (page.length > 0) yield page;
}
