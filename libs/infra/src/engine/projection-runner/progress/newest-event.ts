import type { CategoryFilter, EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { decodeOrigin } from '#infra/stores/log-identity/origin.js';
import { type Namespace, NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';

/** Maximum duration of a search that a call waits for, in milliseconds: calls are repeated, and searches of a long log must not pile up. */
export const LONGEST_SEARCH_MS = 60_000;

/**
 * Returns whether these categories have no event after `position`. Unlike a search for their newest event, which may be old, this is cheap
 * near the end of the log.
 * @throws EventStoreUnavailable
 */
export const hasNothingAfter = async (
  events: Pick<EventStore, 'readAll'>,
  categories: CategoryFilter | undefined,
  position: Position,
  signal?: AbortSignal,
): Promise<boolean> => {
  const page = await events.readAll({ after: position, limit: 1, signal, ...(categories && { categories }) });
  return page.caughtUp && page.events.length === 0;
};

/** Position of the newest event in these categories after `shown`, otherwise `shown`. @throws EventStoreUnavailable */
export const headAfter = async (
  events: EventStore,
  categories: CategoryFilter,
  shown: Position,
  signal?: AbortSignal,
): Promise<Position> => ((await hasNothingAfter(events, categories, shown, signal)) ? shown : events.head(categories, signal));

/**
 * Position of the newest event in these categories; `0n` if there is none. Complete documents of this log record that event, so the log
 * need not be searched.
 * @param served documents of a projection of these categories that are known to come from this log; `null` if there are none
 * @throws EventStoreUnavailable, ReadStoreUnavailable
 */
export const newestEvent = async (
  { events, store }: Readonly<{ events: EventStore; store: ReadStore }>,
  categories: CategoryFilter,
  served: Namespace | null,
): Promise<Position> => {
  const shown = served && (await lastShown(store, served));
  return shown && (await hasNothingAfter(events, categories, shown.checkpoint)) ? shown.last : events.head(categories);
};

/** The checkpoint, and the position of the newest event up to it; `null` if that is not recorded. */
const lastShown = async (store: ReadStore, served: Namespace): Promise<Readonly<{ checkpoint: Position; last: Position }> | null> => {
  try {
    const { checkpoint, origin } = await store.progress(served);
    const known = origin === null ? null : decodeOrigin(origin);
    return known?.checkpoint === checkpoint && known.last !== 'unknown' ? { checkpoint, last: known.last?.position ?? 0n } : null;
  } catch (error) {
    if (error instanceof NamespaceGone) return null;
    throw error;
  }
};
