import type { CategoryFilter, EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';

/**
 * Whether the log has nothing in these categories after `position`. Unlike a search for their newest event, which may have been written long ago, it
 * costs nothing where the position is near the end of the log.
 * @throws EventStoreUnavailable
 */
export const hasNothingAfter = async (
  events: Pick<EventStore, 'readAll'>,
  categories: CategoryFilter | undefined,
  position: Position,
): Promise<boolean> => {
  const page = await events.readAll({ after: position, limit: 1, ...(categories && { categories }) });
  return page.caughtUp && page.events.length === 0;
};
