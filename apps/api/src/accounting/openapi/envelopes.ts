import type { DescribedAnswer } from '#api/shared/openapi/described.js';
import { type Component, component, doc, oneOf } from '#domain/shared/shape.js';

export const LINK = component('AccountingLink', { href: 'uri', rel: oneOf('first', 'last', 'self', 'prev', 'next') });

const pages = new Map<Component, Component>();

/** One page of a list (accounting contract 4). */
const pageOf = (record: Component): Component => {
  const known = pages.get(record);
  if (known) return known;
  const page = component(
    `${record.name}Page`,
    {
      size_of_page: doc('count', 'elements of this page'),
      number_of_page: doc('integer', 'from 1 on', { minimum: 1 }),
      total_elements: 'count',
      total_pages: doc('integer', '1 when there are no elements', { minimum: 1 }),
      content: [record],
      links: doc([LINK], 'to the other pages; empty when there is one page only, and in searches'),
    },
    'accounting contract 4',
  );
  pages.set(record, page);
  return page;
};
const onePage = (element: unknown) => ({
  size_of_page: 1,
  number_of_page: 1,
  total_elements: 1,
  total_pages: 1,
  content: [element],
  links: [],
});

/** A success without data. */
const MESSAGE = component('AccountingMessage', { code: doc('integer', 'the HTTP status'), message: 'text' }, 'accounting contract 2.1');

type Answers = Readonly<Record<number, DescribedAnswer>>;

export const says = (message: string): Answers => ({ 200: { shape: MESSAGE, example: { code: 200, message } } });

export const lists = (record: Component, example = record.example): Answers => ({
  200: { shape: pageOf(record), example: onePage(example) },
});

const LOCATION = { Location: { description: 'URL of what was created', schema: { type: 'string', format: 'uri' } } };

/** 201 with a record and its location. */
export const creates = (record: Component, example = record.example): Answers => ({ 201: { shape: record, example, headers: LOCATION } });
