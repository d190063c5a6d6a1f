import { firstOf } from '#api/shared/http/request-context.js';
import * as errors from './errors.js';
import type { Query } from './time-query.js';

/** Rows of an answer: `size` of them from `offset` on; `undefined` for all. */
export type Page = Readonly<{ offset: number; size: number | undefined }>;

const INTEGER = /^-?\d{1,15}$/;
const OFFSET = /^(?:0|[1-9]\d{0,14})$/;

/** Token for the rest of an answer: the number of its first row. */
export const pageToken = (offset: number): string => Buffer.from(String(offset)).toString('base64');

const sizeIn = (given: string | undefined): number | undefined => {
  if (!given) return undefined;
  if (!INTEGER.test(given)) throw errors.badRequest(`pageSize parameter value: ${given} is not an integer`);
  return Number(given) > 0 ? Number(given) : undefined;
};

const offsetIn = (given: string | undefined): number => {
  if (!given) return 0;
  const text = Buffer.from(given, 'base64').toString('latin1');
  const token = pageToken(Number(text));
  // Padding may be missing: a few clients remove it in URLs.
  if (!OFFSET.test(text) || (given !== token && given !== token.replaceAll('=', '')))
    throw errors.badRequest(`nextPageToken parameter value: ${given} is not the token of a page`);
  return Number(text);
};

/** Requested page of a call; an empty parameter counts as absent. @throws StatusError 400 (results contract 12.6) */
export const pageOf = (query: Query): Page => ({
  offset: offsetIn(firstOf(query.nextPageToken)),
  size: sizeIn(firstOf(query.pageSize)),
});

/** Refusal of a page, as an example for OpenAPI. */
export const BAD_PAGE = errors.refusalOf(() => pageOf({ pageSize: 'ten' }));
