import type { KeyRange, ReadView, StoredDocument } from './read-store.js';

/** A page takes a few milliseconds to read, and little memory while a slow client takes it. */
export const PAGE = { limit: 1_000, maxBytes: 1024 * 1024 } as const;
/** A page with less than that was not ended by its bytes: documents have more of them in the store than here, where parts are sealed, but not 64 times. */
const SMALL = PAGE.maxBytes / 64;

const bytesOf = (documents: readonly StoredDocument[]): number => documents.reduce((sum, { value }) => sum + value.length, 0);

/** A range of keys: from `gte` up to but not including `lt`. Default: all keys. */
export type KeyBounds = Pick<KeyRange, 'gte' | 'lt'>;

/** A share of the event loop: when it is over, `next` waits until others have had their turn. */
export type Slice = Readonly<{ isOver: boolean; next(): Promise<void> }>;

/** `most`: documents in a page, default 1,000. */
type PageOptions = Readonly<{ slice: Slice; reverse?: boolean; most?: number }>;

/**
 * The documents of a range in its order, page by page; others get their turn in between. Each page shows one consistent state, and together they
 * show every document that is there all the time. None is empty.
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

/** Items that are made one by one, as pages of at most 1,000 that end once they have 1 MiB; others get their turn in between. None is empty. */
export async function* inPages<Item>(
  items: Iterable<Item>,
  bytesIn: (item: Item) => number,
  slice: Slice,
): AsyncGenerator<readonly Item[]> {
  let [page, bytes]: [Item[], number] = [[], 0];
  for (const item of items) {
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
