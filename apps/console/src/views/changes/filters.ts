import type { Query } from '../../api/client.js';

/** Members of the query of the view. `from` and `to` are days, both included. */
const FILTERS = ['service', 'kind', 'actor', 'text', 'reads', 'traffic', 'from', 'to'] as const;
type FilterName = (typeof FILTERS)[number];

export type Filters = Readonly<Partial<Record<FilterName, string>>>;

export const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** Filters of a query; what is empty is left out. */
export const filtersIn = (query: URLSearchParams): Filters =>
  Object.fromEntries(FILTERS.map((name) => [name, query.get(name)?.trim() ?? '']).filter(([, value]) => value !== ''));

const instant = (day: string, days: number): string => new Date(Date.parse(day) + days * 86_400_000).toISOString();

/** The same as `/audit/changes` takes them: to the end of the last day. */
export const callQueryOf = ({ from, to, reads, traffic, ...others }: Filters): Query => ({
  ...others,
  reads: reads === 'true' ? true : undefined,
  traffic: traffic === 'true' ? undefined : false,
  from: from !== undefined && isDay(from) ? instant(from, 0) : from,
  to: to !== undefined && isDay(to) ? instant(to, 1) : to,
});
