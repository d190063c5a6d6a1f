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

/** The checkpoint of documents, and the position of the newest event of their categories up to it; `0n` if there is none. */
export type LastShown = Readonly<{ checkpoint: Position; last: Position }>;

/** `null` if it is not recorded. Complete documents of this log record it, so that the log need not be searched. @throws ReadStoreUnavailable */
export const lastShown = async (store: ReadStore, served: Namespace): Promise<LastShown | null> => {
  try {
    const { checkpoint, origin } = await store.progress(served);
    const known = origin === null ? null : decodeOrigin(origin);
    return known?.checkpoint === checkpoint && known.last !== 'unknown' ? { checkpoint, last: known.last?.position ?? 0n } : null;
  } catch (error) {
    if (error instanceof NamespaceGone) return null;
    throw error;
  }
};
