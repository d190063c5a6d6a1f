import { get, type Query } from '../../api/client.js';
import { useFeed } from '../../api/use-feed.js';
import { isInstant, isPosition } from '../../parts/instant.js';
import { callQueryOf } from './filters.js';
import { type Ask, newerThan, newestPosition, PAGE, type Page } from './follow.js';
import { type EventRow, rowOf } from './rows.js';

const FOLLOW_MS = 2_000;

/** Filters of a point of the past: with what was there up to it, itself included. */
const pastFiltersOf = (filters: Readonly<Record<string, readonly string[]>>, asOf: string | undefined): Query => {
  if (asOf === undefined || !isInstant(asOf)) return filters;
  const [to] = filters.to ?? [];
  const end = Date.parse(asOf) + 1;
  return to !== undefined && Date.parse(to) <= end ? filters : { ...filters, to: new Date(end).toISOString() };
};

/** Place before which the newest event is looked for. */
const newestPlace = (asOf: string | undefined): string | null => (asOf !== undefined && isPosition(asOf) ? `${BigInt(asOf) + 1n}` : null);

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
      const begin = after ?? newestPlace(asOf) ?? undefined;
      const page = await asking(signal)({ ...pastFiltersOf(filters, asOf), order: 'desc', limit: PAGE, after: begin });
      const items = page.items.map(rowOf);
      return { items, next: page.next, newer: items[0]?.position };
    },
    newer: (since, signal) => newerThan(since, filters, asking(signal)),
    newest: (signal) => newestPosition(asking(signal)),
    everyMs: following ? FOLLOW_MS : undefined,
  });
};
