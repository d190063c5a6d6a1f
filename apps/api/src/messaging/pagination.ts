import { firstOf } from '#api/shared/http/request-context.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { ReadView, StoredDocument } from '#projections/shared/read-store.js';
import * as errors from './errors.js';

/** Which part of a list is asked for (messaging contract 4.11). `size` 0: all from `first` on; `first`: the order of the newest item wanted. */
export type Page = Readonly<{
  size: number;
  first?: string;
  /** `false`: nobody asks how many there are in all, so that they are not counted. */
  counted?: false;
}>;

/** The part of a list, newest first, as far as it was asked for. `totalSize` counts the whole list. */
export type ListPart<Item> = Readonly<{ items: readonly Item[]; nextPageToken: string; totalSize: number }>;

const INTEGER = /^[+-]?\d+$/;
const LARGEST = 2n ** 63n;
const ORDER = /^[0-9a-f]{24}$/;

const sizeOf = (given: string): number => {
  const size = INTEGER.test(given) && given.length < 100 ? BigInt(given) : LARGEST;
  if (size >= LARGEST || size < -LARGEST) throw errors.invalidPageSize();
  return size > 0n && size < Number.MAX_SAFE_INTEGER ? Number(size) : 0;
};

const orderIn = (token: string): string => {
  const bytes = Buffer.from(token, 'base64');
  const order = bytes.toString('latin1').toLowerCase();
  if (bytes.toString('base64') !== token || !ORDER.test(order)) throw errors.invalidPageToken();
  return order;
};

/** Base64 of an order: opaque to clients. */
const tokenOf = (order: string): string => Buffer.from(order).toString('base64');

/** The page that a query asks for. @throws MessagingError B26, B27 */
export const pageOf = (query: Readonly<Record<string, unknown>>): Page => {
  const [size, token] = [firstOf(query.pageSize), firstOf(query.pageToken)];
  const wanted = { size: size ? sizeOf(size) : 0 };
  return token ? { ...wanted, first: orderIn(token) } : wanted;
};

/** A page of what stands under `<prefix><order>` in a collection: one range and one count. `prefix` is empty or ends with a slash. */
export const readPage = async (
  view: ReadView,
  { collection, prefix }: Readonly<{ collection: string; prefix: string }>,
  { size, first, counted }: Page,
): Promise<ListPart<StoredDocument>> => {
  const all = { gte: `${prefix}0`, lt: `${prefix}g` }; // orders are hex digits
  const wanted = first === undefined ? all : { gte: all.gte, lte: prefix + first };
  const limit = size > 0 ? { limit: size + 1 } : {};
  const [found, totalSize] = await Promise.all([
    view.range(collection, { ...wanted, reverse: true, ...limit }),
    counted === false ? 0 : view.count(collection, all),
  ]);
  const next = size > 0 ? found[size] : undefined;
  return {
    items: next ? found.slice(0, size) : found,
    nextPageToken: next ? tokenOf(next.key.slice(prefix.length)) : '',
    totalSize,
  };
};

/** Items that are looked up at once. */
const TOGETHER = 250;

/**
 * A page of any size, some items at a time; only what is asked for is looked up. `nextPageToken` is that of the part, `totalSize` is right in the first one.
 * What is created meanwhile does not show, as the newest come first.
 */
export async function* inParts<Item>(read: (page: Page) => Promise<ListPart<Item>>, page: Page): AsyncGenerator<ListPart<Item>> {
  const slice = new TimeSlice();
  let left = page.size > 0 ? page.size : Number.POSITIVE_INFINITY;
  for (let wanted: Page = { ...page, size: Math.min(left, TOGETHER) }; ; ) {
    const part = await read(wanted);
    yield part;
    left -= wanted.size;
    if (part.nextPageToken === '' || left <= 0) return;
    wanted = { size: Math.min(left, TOGETHER), first: orderIn(part.nextPageToken), counted: false };
    if (slice.isOver) await slice.next();
  }
}
