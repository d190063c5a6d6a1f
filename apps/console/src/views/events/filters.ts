import { instantOf } from '../../parts/instant.js';
import { wordsOf } from './vocabulary.js';

/** Fields of the search with their labels, in their order; names are those of the query of `/audit/events`. */
export const FILTERS = [
  ['stream', 'Stream'],
  ['category', 'Category'],
  ['type', 'Type'],
  ['record', 'Record'],
  ['actor', 'Actor'],
  ['service', 'Service'],
  ['request', 'Request'],
  ['correlation', 'Correlation'],
  ['causation', 'Caused by'],
  ['from', 'From'],
  ['to', 'To'],
] as const;

export type FilterName = (typeof FILTERS)[number][0];

/** What stands in the fields: texts, `type` may be several with commas. */
export type Filters = Readonly<Partial<Record<FilterName, string>>>;

const INSTANTS: readonly FilterName[] = ['from', 'to'];

/** The query of a place, as texts of the fields. */
export const filtersIn = (query: URLSearchParams): Filters =>
  Object.fromEntries(FILTERS.flatMap(([name]) => (query.has(name) ? [[name, query.getAll(name).join(', ')]] : [])));

/** The query that a search has in the address, and in `/audit/events`. */
export const queryOf = (filters: Filters): URLSearchParams => {
  const query = new URLSearchParams();
  for (const [name] of FILTERS) {
    const text = filters[name]?.trim() ?? '';
    if (text === '') continue;
    const values = name === 'type' ? wordsOf(text) : [INSTANTS.includes(name) ? instantOf(text) : text];
    for (const value of values) query.append(name, value);
  }
  return query;
};

/** The same for a call. */
export const callQueryOf = (query: URLSearchParams): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(FILTERS.flatMap(([name]) => (query.has(name) ? [[name, query.getAll(name)]] : [])));
