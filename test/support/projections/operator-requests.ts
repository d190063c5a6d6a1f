import { ALL_PARTITIONS, streamOfProjection } from '#domain/operations/projection-operations.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { LONGEST_MS } from '#test/support/eventually.js';
import { newTallyEvent } from './tally-projection.js';

const requested = async (events: EventStore, projection: string, type: string, data: object): Promise<Position> => {
  const event = { ...newTallyEvent({ type: 'Noted', data: { text: '' } }), type, data: { projection, ...data } };
  return (await events.append(streamOfProjection(projection), [event], 'any')).position;
};

/** Requests a resumption as operators do, and waits until these processes have taken the request. Returns its position. */
export const requestResume = async (
  events: EventStore,
  projection: string,
  several: readonly ReadModels[],
  partition: string = ALL_PARTITIONS,
): Promise<Position> => {
  const position = await requested(events, projection, 'ProjectionResumeRequested', { partition });
  await Promise.all(several.map((models) => models.requestsTaken(position, LONGEST_MS)));
  return position;
};

/** Takes an event out of the log, as operators do. */
export const requestSkip = (
  events: EventStore,
  projection: string,
  partition: string,
  { eventId, position, type: eventType }: Readonly<{ eventId: string; position: Position; type: string }>,
): Promise<Position> =>
  requested(events, projection, 'ProjectionEventSkipped', { partition, eventId, position: `${position}`, eventType, reason: 'r' });
