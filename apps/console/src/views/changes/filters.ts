import { dayAfter, isDay } from '#domain/shared/time.js';
import type { Query } from '../../api/client.js';

/** Members of the query of the view. `from` and `to` are days, both included. */
const FILTERS = ['service', 'kind', 'actor', 'text', 'reads', 'traffic', 'from', 'to'] as const;
type FilterName = (typeof FILTERS)[number];

export type Filters = Readonly<Partial<Record<FilterName, string>>>;

/** Filters of a query; what is empty is left out. */
export const filtersIn = (query: URLSearchParams): Filters =>
  Object.fromEntries(FILTERS.map((name) => [name, query.get(name)?.trim() ?? '']).filter(([, value]) => value !== ''));

/** `undefined` after the last day that an instant can have. */
const endOf = (day: string): string | undefined => (day === '9999-12-31' ? undefined : `${dayAfter(day)}T00:00:00.000Z`);

/** The same as `/audit/changes` takes them: to the end of the last day. */
export const callQueryOf = ({ from, to, reads, traffic, ...others }: Filters): Query => ({
  ...others,
  reads: reads === 'true' ? true : undefined,
  traffic: traffic === 'true' ? undefined : false,
  from: from !== undefined && isDay(from) ? `${from}T00:00:00.000Z` : from,
  to: to !== undefined && isDay(to) ? endOf(to) : to,
});
