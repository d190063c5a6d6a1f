import type { EventStore } from '#domain/shared/event-store.js';
import { categoryOf, type Position } from '#domain/shared/events.js';
import { parseFilter, passes } from '#infra/stores/event-store/category-filter.js';
import { LONGEST_SEARCH_MS } from './newest-event.js';

/** `events`: number of events not yet applied; {@link MAX_COUNT} means that many or more. `seconds`: age of the oldest of them. */
export type Lag = Readonly<{ events: number; seconds: number }>;

/** Counting further would cost more than the answer is worth. */
const MAX_COUNT = 5_000;
const PAGE_EVENTS = 500;
/** Events that are read of the rest of the log, whatever their categories. */
const REST_EVENTS = 20;

/**
 * Measures how far `position` is behind the head of the log in the given categories.
 * @param now milliseconds since 1970-01-01 UTC
 * @throws EventStoreUnavailable
 */
export const measureLag = async (
  events: EventStore,
  categories: readonly string[],
  position: Position,
  head: Position,
  now: number,
): Promise<Lag> => {
  let count = 0;
  let oldest = now;
  let after = position;
  const signal = AbortSignal.timeout(LONGEST_SEARCH_MS);
  while (after < head && count < MAX_COUNT) {
    const page = await events.readAll({ after, categories, limit: PAGE_EVENTS, signal });
    const [first] = page.events;
    if (count === 0 && first) oldest = first.recordedAt;
    count += page.events.length;
    if (page.caughtUp) break;
    after = page.position;
  }
  return { events: Math.min(count, MAX_COUNT), seconds: Math.max(0, (now - oldest) / 1000) };
};

/**
 * Lag of documents that do not show the whole log. Events of the categories are not searched for: the rest of the log may have none, however long it is.
 * A rest of a few events is counted; a longer one is {@link MAX_COUNT}, as old as its first event.
 * @param now milliseconds since 1970-01-01 UTC
 * @throws EventStoreUnavailable
 */
export const lagToEnd = async (events: EventStore, categories: readonly string[], position: Position, now: number): Promise<Lag> => {
  const rest = await events.readAll({ after: position, limit: REST_EVENTS });
  const filter = parseFilter(categories);
  const waiting = rest.caughtUp ? rest.events.filter(({ stream }) => passes(filter, categoryOf(stream))) : rest.events;
  const seconds = Math.max(0, (now - (waiting[0]?.recordedAt ?? now)) / 1000);
  return { events: rest.caughtUp ? waiting.length : MAX_COUNT, seconds };
};
