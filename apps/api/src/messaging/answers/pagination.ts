import { firstOf } from '#api/shared/http/request-context.js';
import { parameter } from '#api/shared/openapi/described.js';
import { type WantedLabel, wantedLabel } from '#domain/messaging/resources/labels.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type ListPart, type Page, inParts as partsOf } from '#projections/messaging/newest-first.js';
import * as errors from '../errors.js';

/** Query parameters of paged calls. */
export const PAGES = {
  pageToken: parameter('text', '`nextPageToken` of the page before'),
  pageSize: parameter('integer', 'How many; all of them when absent or not positive'),
};

/** The same for records with labels. */
export const LABELLED_PAGES = { ...PAGES, filter: parameter('text', '`labels.<key>:<value>`: only what has this label') };

/** Label filter of a query; `undefined` if there is none. @throws MessagingError B39 */
export const labelOf = (query: Readonly<Record<string, unknown>>): WantedLabel | undefined => {
  const filter = firstOf(query.filter);
  if (!filter) return undefined;
  const label = wantedLabel(filter);
  if (!label) throw errors.invalidFilter(1, '`labels.<key>:<value>` is expected');
  return label;
};

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

/** `nextPageToken` of a part of a list: base64 of an order, opaque to clients. Empty at the end of the list. */
export const tokenOf = ({ next }: Pick<ListPart<unknown>, 'next'>): string =>
  next === undefined ? '' : Buffer.from(next).toString('base64');

/** Requested page of a query. @throws MessagingError B26, B27 */
export const pageOf = (query: Readonly<Record<string, unknown>>): Page => {
  const [size, token] = [firstOf(query.pageSize), firstOf(query.pageToken)];
  const wanted = { size: size ? sizeOf(size) : 0 };
  return token ? { ...wanted, first: orderIn(token) } : wanted;
};

/** A page of any size in parts, read as they are consumed; other requests run in between. */
export const inParts = <Item>(read: (page: Page) => Promise<ListPart<Item>>, page: Page): AsyncGenerator<ListPart<Item>> =>
  partsOf(read, page, new TimeSlice());
