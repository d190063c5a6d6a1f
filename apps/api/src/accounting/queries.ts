import { parameter, requiredParameter } from '#api/shared/openapi/described.js';
import { bounded } from '#domain/shared/shape.js';

const FILLED = bounded('text', { minLength: 1 });

/** Sizes of pages (accounting contract 3.0). */
export const PAGE_SIZE = { usual: 10, largest: 100 } as const;

/** Query parameter of lists whose pages may be longer. */
export const sizeOfPage = (maximum: number) =>
  parameter(bounded('integer', { minimum: 1, maximum, default: PAGE_SIZE.usual }), 'elements of a page');

/** Query parameters of paged calls. */
export const PAGES = {
  size: sizeOfPage(PAGE_SIZE.largest),
  page: parameter(bounded('integer', { minimum: 1, default: 1 }), 'which page, from 1 on'),
};

export const EXTERNAL_ID = {
  externalId: requiredParameter(FILLED, 'external id of the record', 'd8645a63-ca42-42ad-8801-35e5e0ac30e3'),
};

/** The original's parameter; `externalId` is accepted instead. */
export const EXTERNAL_PROVIDER = {
  externalProviderId: requiredParameter(FILLED, 'or externalId', 'fc1c1689-cd5f-43d5-acfc-046da1e40f77'),
};
