import type { FastifyRequest } from 'fastify';
import type { Pieces } from '#api/shared/answers/pieces.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { pathOf } from '#api/shared/http/service-http-policy.js';
import * as errors from './errors.js';
import { publicUrlOf } from './http-policy.js';

/** Which page the caller wants, from 1, and of how many elements. */
export type Paging = Readonly<{ page: number; size: number }>;

/** A page that a call asks for. */
export type RequestedPage = Paging &
  Readonly<{
    /** Elements before the page. */
    offset: number;
    /** Links to the other pages of so many (accounting contract 4); none when there is only one, or none at the place asked for. */
    links: (pages: number) => readonly object[];
  }>;

/** The elements of one page as they stand in the answer, and how many there are on all pages. */
export type PageOf = Readonly<{ content: readonly (Buffer | string)[]; total: number }>;

/** The same of elements that are made while they are sent: `content` has commas between its `count` elements. */
export type LongPage = Readonly<{ content: Pieces; count: number; total: number }>;

const LARGEST_PAGE = 2_147_483_647;
const DEFAULTS = { page: '1', size: '10' } as const;

const wholeNumber = (text: string): number => (/^\d{1,10}$/.test(text) ? Number(text) : 0);

/** `page` and `size` of the query. @throws AccountingError 400, about the page first */
const pagingOf = (request: FastifyRequest, largestSize = 100): Paging => {
  const query = request.query as Readonly<Record<string, unknown>>;
  const page = wholeNumber(firstOf(query.page) ?? DEFAULTS.page);
  const size = wholeNumber(firstOf(query.size) ?? DEFAULTS.size);
  if (page < 1 || page > LARGEST_PAGE) throw errors.badPage();
  if (size < 1 || size > largestSize) throw errors.badSize(largestSize);
  return { page, size };
};

/** The page that the query asks for, with what links to the others need. @throws AccountingError 400, about the page first */
export const requestedPage = (request: FastifyRequest, largestSize?: number): RequestedPage =>
  withLinks(request, pagingOf(request, largestSize));

const withLinks = (request: FastifyRequest, paging: Paging): RequestedPage => ({
  ...paging,
  offset: offsetOf(paging),
  links: (pages) => linksOf(request, paging, pages),
});

/** How many elements lie before the page. */
export const offsetOf = ({ page, size }: Paging): number => (page - 1) * size;

/** The page of a list that is at hand as a whole. */
export const pageOfList = <T>(elements: readonly T[], paging: Paging, text: (element: T) => Buffer | string): PageOf => ({
  content: elements.slice(offsetOf(paging), offsetOf(paging) + paging.size).map(text),
  total: elements.length,
});

/** The query of a page: page and size first, then every other parameter as the caller sent it. */
const queryOf = (others: readonly string[], page: number, size: number): string => [`page=${page}`, `size=${size}`, ...others].join('&');

/** Links to other pages (accounting contract 4); none when there is only one page, or none at the place asked for. */
const linksOf = (request: FastifyRequest, { page, size }: Paging, pages: number): readonly object[] => {
  if (pages === 1 || page > pages) return [];
  const path = pathOf(request.url);
  const others = request.url
    .slice(path.length + 1)
    .split('&')
    .filter((parameter) => parameter !== '' && !/^(?:page|size)(?:=|$)/.test(parameter));
  const link = (rel: string, to: number) => ({ href: `${publicUrlOf(request)}${path}?${queryOf(others, to, size)}`, rel });
  return [
    link('first', 1),
    link('last', pages),
    link('self', page),
    ...(page > 1 ? [link('prev', page - 1)] : []),
    ...(page < pages ? [link('next', page + 1)] : []),
  ];
};

/** What stands around the elements of a page. */
const envelope = ({ page, size }: Paging, count: number, total: number, links: (pages: number) => readonly object[]) => {
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
export async function* pagePieces(
  paging: Paging,
  { content, count, total }: LongPage,
  links: (pages: number) => readonly object[],
): Pieces {
  const { head, tail } = envelope(paging, count, total, links);
  yield [head];
  yield* content;
  yield [tail];
}
