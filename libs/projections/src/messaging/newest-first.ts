import type { Labels, WantedLabel } from '#domain/messaging/resources/labels.js';
import type { Collection } from '#projections/shared/collection.js';
import type { Slice } from '#projections/shared/pages.js';
import type { ReadView, StoredDocument } from '#projections/shared/read-store.js';

/** A page of a list (messaging contract 4.11). `size`: 0 = everything from `first` on. `first`: order of the newest item on the page. */
export type Page = Readonly<{
  size: number;
  first?: string;
  /** `false`: skips counting the whole list. */
  counted?: false;
}>;

/** Items of a list, newest first. `next`: order of the next item. `totalSize`: length of the whole list. */
export type ListPart<Item> = Readonly<{ items: readonly Item[]; next?: string; totalSize: number }>;

/** Filters a list. `userId`: only records whose ACL currently has the user. `label`: only records with this label. */
export type ListFilter = Readonly<{ userId?: string | undefined; label?: WantedLabel | undefined }>;

/** A filter with access to the labels of a record. */
export type DocumentFilter<Document> = ListFilter & Readonly<{ labels: (document: Document) => Labels | undefined }>;

/** A collection with keys that end with an order of creation. */
type InOrder = Pick<Collection<unknown>, 'name'>;

/** A page of the documents under `<prefix><order>`, read with one range and one count. `prefix`: empty, or ends with a slash. */
export const readPage = async (
  view: ReadView,
  { name }: InOrder,
  prefix: string,
  { size, first, counted }: Page,
): Promise<ListPart<StoredDocument>> => {
  const all = { gte: `${prefix}0`, lt: `${prefix}g` }; // orders are hex digits
  const wanted = first === undefined ? all : { gte: all.gte, lte: prefix + first };
  const limit = size > 0 ? { limit: size + 1 } : {};
  const [found, totalSize] = await Promise.all([
    view.range(name, { ...wanted, reverse: true, ...limit }),
    counted === false ? 0 : view.count(name, all),
  ]);
  const next = size > 0 ? found[size] : undefined;
  return next ? { items: found.slice(0, size), next: next.key.slice(prefix.length), totalSize } : { items: found, totalSize };
};

/** A page of items that are sorted newest first, optionally filtered. */
export const pageOf = async <Document extends Readonly<{ order: string }>>(
  all: AsyncIterable<Document>,
  { size, first = 'g', counted }: Page,
  passes: (document: Document) => boolean = () => true,
): Promise<ListPart<Document>> => {
  const wanted = size > 0 ? size + 1 : Number.POSITIVE_INFINITY;
  const items: Document[] = [];
  let totalSize = 0;
  for await (const document of all) {
    if (!passes(document)) continue;
    totalSize += 1;
    if (items.length < wanted && document.order <= first) items.push(document);
    if (counted === false && items.length === wanted) break;
  }
  const next = size > 0 ? items[size] : undefined;
  const total = { totalSize: counted === false ? 0 : totalSize };
  return next ? { items: items.slice(0, size), next: next.order, ...total } : { items, ...total };
};

/** Items that are looked up together. */
const AT_ONCE = 250;

/**
 * A page of any size in parts, each read on demand. `next` is that of the part. `totalSize` is correct only in the first part. Items created
 * meanwhile are not included, because the newest come first.
 */
export async function* inParts<Item>(
  read: (page: Page) => Promise<ListPart<Item>>,
  page: Page,
  slice: Slice,
): AsyncGenerator<ListPart<Item>> {
  let left = page.size > 0 ? page.size : Number.POSITIVE_INFINITY;
  for (let wanted: Page = { ...page, size: Math.min(left, AT_ONCE) }; ; ) {
    const part = await read(wanted);
    yield part;
    left -= wanted.size;
    if (part.next === undefined || left <= 0) return;
    wanted = { size: Math.min(left, AT_ONCE), first: part.next, counted: false };
    if (slice.isOver) await slice.next();
  }
}
