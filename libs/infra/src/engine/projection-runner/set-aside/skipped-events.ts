import { streamOfProjection } from '#domain/operations/projection-operations.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { streamPages } from '#infra/stores/event-store/stream-pages.js';

/** Operations on a projection, as recorded in the log, oldest first. @throws EventStoreUnavailable */
export async function* operationsOf(events: Pick<EventStore, 'readStream'>, projection: string): AsyncGenerator<RecordedEvent> {
  for await (const page of streamPages(events, streamOfProjection(projection))) yield* page;
}

/**
 * Ids of the events that operators have skipped for a projection. An event can be skipped only after the projection has set it aside. So if
 * the ids are read before earlier events are applied again, they include every skip that concerns these.
 * @throws EventStoreUnavailable
 */
export const readSkipped = async (events: Pick<EventStore, 'readStream'>, projection: string): Promise<ReadonlySet<string>> => {
  const skipped = new Set<string>();
  for await (const { type, data } of operationsOf(events, projection))
    if (type === 'ProjectionEventSkipped' && typeof data.eventId === 'string') skipped.add(data.eventId);
  return skipped;
};
