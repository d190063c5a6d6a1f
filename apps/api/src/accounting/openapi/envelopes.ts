import { component, type Shape } from '#api/shared/openapi/shape.js';

const LINK = component('AccountingLink', { href: 'text', rel: 'text' });

/** One page of a list (accounting contract 1.6). */
export const pageOf = (record: Shape): Shape => ({
  size_of_page: 'integer',
  number_of_page: 'integer',
  total_elements: 'integer',
  total_pages: 'integer',
  content: [record],
  links: [LINK],
});
/** A success that says only that. */
export const MESSAGE = component('AccountingMessage', { code: 'integer', message: 'text' });
