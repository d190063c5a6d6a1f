import { get, type Query } from '../../api/client.js';
import { useFeed } from '../../api/use-feed.js';
import { upTo } from '../../parts/instant.js';
import { callQueryOf } from './filters.js';
import { type Ask, newerThan, newestPosition, PAGE, type Page } from './follow.js';
import { type EventRow, rowOf } from './rows.js';

const FOLLOW_MS = 2_000;

/** Filters of a point of the past; an earlier end stays. */
const pastFiltersOf = (filters: Readonly<Record<string, readonly string[]>>, asOf: string | undefined): Query => {
  const past = upTo(asOf);
  const [to] = filters.to ?? [];
  const isEarlier = to !== undefined && past.to !== undefined && Date.parse(to) <= Date.parse(past.to);
  return { ...filters, ...(!isEarlier && past) };
};

const asking =
  (signal: AbortSignal): Ask =>
  (query) =>
    get<Page>('/audit/events', query, { signal });

/** The events that a query finds up to a point of the past or now. `following`: new ones come by themselves. `null`: the query is not known yet. */
export const useEventRows = (query: URLSearchParams | null, following: boolean, asOf: string | undefined) => {
  const filters = callQueryOf(query ?? new URLSearchParams());
  return useFeed<EventRow>(query && `${query} ${asOf}`, {
    keyOf: ({ index }) => index,
    placeOf: ({ position }) => position,
    older: async (after, signal) => {
      const page = await asking(signal)({ ...pastFiltersOf(filters, asOf), order: 'desc', limit: PAGE, ...(after && { after }) });
      const items = page.items.map(rowOf);
      return { items, next: page.next, newer: items[0]?.position };
    },
    newer: (since, signal) => newerThan(since, filters, asking(signal)),
    newest: (signal) => newestPosition(asking(signal)),
    everyMs: following ? FOLLOW_MS : undefined,
  });
};
