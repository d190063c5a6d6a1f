import { streamOfProjection } from '#domain/operations/projection-operations.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { newTallyEvent } from './tally-projection.js';

/** Takes an event out of the log, as operators do. */
export const requestSkip = async (
  events: EventStore,
  projection: string,
  partition: string,
  { eventId, position, type: eventType }: Readonly<{ eventId: string; position: Position; type: string }>,
): Promise<Position> => {
  const data = { projection, partition, eventId, position: `${position}`, eventType, reason: 'r' };
  const event = { ...newTallyEvent({ type: 'Noted', data: { text: '' } }), type: 'ProjectionEventSkipped', data };
  return (await events.append(streamOfProjection(projection), [event], 'any')).position;
};
