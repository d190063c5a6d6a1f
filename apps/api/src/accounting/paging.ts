import type { FastifyRequest } from 'fastify';
import type { Pieces } from '#api/shared/answers/pieces.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { pathOf } from '#api/shared/http/service-http-policy.js';
import type { Static } from '#domain/shared/shape.js';
import * as errors from './errors.js';
import { publicUrlOf } from './http-policy.js';
import type { LINK } from './openapi/envelopes.js';
import { PAGE_SIZE } from './queries.js';

/** Requested page, from 1, and its number of elements. */
export type Paging = Readonly<{ page: number; size: number }>;

type Link = Static<typeof LINK>;

/** Requested page of a call. */
export type RequestedPage = Paging &
  Readonly<{
    /** Elements before the page. */
    offset: number;
    /** Links to the other pages (accounting contract 4), for their number. Empty for a single page, or if the requested one is missing. */
    links: (pages: number) => readonly Link[];
  }>;

/** The elements of one page in their answer form, and the number of elements on all pages. */
export type PageOf = Readonly<{ content: readonly (Buffer | string)[]; total: number }>;

/** The same for elements that are made while they are sent. `content` has commas between its `count` elements. */
export type LongPage = Readonly<{ content: Pieces; count: number; total: number }>;

const LARGEST_PAGE = 2_147_483_647;

/** 0 if the text is not a number. */
const wholeNumber = (text: string | undefined, absent: number): number =>
  text === undefined ? absent : /^\d{1,10}$/.test(text) ? Number(text) : 0;

/** `page` and `size` of the query. @throws AccountingError 400, about the page first */
const pagingOf = (request: FastifyRequest, largestSize: number = PAGE_SIZE.largest): Paging => {
  const query = request.query as Readonly<Record<string, unknown>>;
  const page = wholeNumber(firstOf(query.page), 1);
  const size = wholeNumber(firstOf(query.size), PAGE_SIZE.usual);
  if (page < 1 || page > LARGEST_PAGE) throw errors.badPage();
  if (size < 1 || size > largestSize) throw errors.badSize(largestSize);
  return { page, size };
};

/** The requested page of a query, with links to the others. @throws AccountingError 400, about the page first */
export const requestedPage = (request: FastifyRequest, largestSize?: number): RequestedPage =>
  withLinks(request, pagingOf(request, largestSize));

const withLinks = (request: FastifyRequest, paging: Paging): RequestedPage => ({
  ...paging,
  offset: offsetOf(paging),
  links: (pages) => linksOf(request, paging, pages),
});

/** Number of elements before the page. */
export const offsetOf = ({ page, size }: Paging): number => (page - 1) * size;

/** A page of a list in memory. */
export const pageOfList = <T>(elements: readonly T[], paging: Paging, text: (element: T) => Buffer | string): PageOf => ({
  content: elements.slice(offsetOf(paging), offsetOf(paging) + paging.size).map(text),
  total: elements.length,
});

/** The query of a page: page and size first, then all other parameters as sent. */
const queryOf = (others: readonly string[], page: number, size: number): string => [`page=${page}`, `size=${size}`, ...others].join('&');

/** Links to other pages (accounting contract 4). Empty if there is only one page, or the requested one does not exist. */
const linksOf = (request: FastifyRequest, { page, size }: Paging, pages: number): readonly Link[] => {
  if (pages === 1 || page > pages) return [];
  const path = pathOf(request.url);
  const others = request.url
    .slice(path.length + 1)
    .split('&')
    .filter((parameter) => parameter !== '' && !/^(?:page|size)(?:=|$)/.test(parameter));
  const link = (rel: Link['rel'], to: number): Link => ({ href: `${publicUrlOf(request)}${path}?${queryOf(others, to, size)}`, rel });
  return [
    link('first', 1),
    link('last', pages),
    link('self', page),
    ...(page > 1 ? [link('prev', page - 1)] : []),
    ...(page < pages ? [link('next', page + 1)] : []),
  ];
};

/** The members around the elements of a page. */
const envelope = ({ page, size }: Paging, count: number, total: number, links: (pages: number) => readonly Link[]) => {
  const pages = Math.max(1, Math.ceil(total / size));
  return {
    head: `{"size_of_page":${count},"number_of_page":${page},"total_elements":${total},"total_pages":${pages},"content":[`,
    tail: `],"links":${JSON.stringify(links(pages))}}`,
  };
};

const COMMA = Buffer.from(',');

/** The body of an answer with a page. */
export const pageBody = (asked: RequestedPage, { content, total }: PageOf): Buffer => {
  const { head, tail } = envelope(asked, content.length, total, asked.links);
  const parts: Buffer[] = [Buffer.from(head)];
  for (const [index, element] of content.entries()) {
    if (index > 0) parts.push(COMMA);
    parts.push(typeof element === 'string' ? Buffer.from(element) : element);
  }
  parts.push(Buffer.from(tail));
  return Buffer.concat(parts);
};

/** The same, made while it is sent. */
export async function* pagePieces(paging: Paging, { content, count, total }: LongPage, links: (pages: number) => readonly Link[]): Pieces {
  const { head, tail } = envelope(paging, count, total, links);
  yield [head];
  yield* content;
  yield [tail];
}
