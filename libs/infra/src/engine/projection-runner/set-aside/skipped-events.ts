import { type FailedEvent, type ProjectionOperation, streamOfProjection } from '#domain/operations/projection-operations.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { streamPages } from '#infra/stores/event-store/stream-pages.js';

/** Operations on a projection, as recorded in the log, oldest first. @throws EventStoreUnavailable */
export async function* operationsOf(events: Pick<EventStore, 'readStream'>, projection: string): AsyncGenerator<RecordedEvent> {
  for await (const page of streamPages(events, streamOfProjection(projection))) yield* page;
}

/** The events that an operation has skipped: one, or all of a partition that failed alike. */
export const skippedBy = ({ type, data }: RecordedEvent): readonly FailedEvent[] => {
  if (type !== 'ProjectionEventSkipped') return [];
  const { eventId, position, eventType, others = [] } = data as Extract<ProjectionOperation, { type: typeof type }>['data'];
  return [{ eventId, position, eventType }, ...others];
};

/**
 * Ids of the events that operators have skipped for a projection. An event can be skipped only after the projection has set it aside. So if
 * the ids are read before earlier events are applied again, they include every skip that concerns these.
 * @throws EventStoreUnavailable
 */
export const readSkipped = async (events: Pick<EventStore, 'readStream'>, projection: string): Promise<ReadonlySet<string>> => {
  const skipped = new Set<string>();
  for await (const operation of operationsOf(events, projection)) for (const { eventId } of skippedBy(operation)) skipped.add(eventId);
  return skipped;
};
