import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';

/** Which event. */
export type EventReference = Pick<RecordedEvent, 'id' | 'type' | 'position'>;

/** A projection cannot go past this event: it could not be decoded, applied or encoded. `cause` says why. */
export class EventFailed extends Error {
  override readonly name = 'EventFailed';
  readonly event: EventReference;

  constructor({ id, type, position }: EventReference, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.event = { id, type, position };
  }
}

/** A store cannot be reached now: a matter of time, not of the event at hand. */
export const isOutage = (error: unknown): boolean => error instanceof EventStoreUnavailable || error instanceof ReadStoreUnavailable;

/** Why and where a projection stopped. `at` is UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export type ProjectionFailure = Readonly<{ position: Position; eventId: string; type: string; message: string; at: string }>;

/** `now` in milliseconds since 1970-01-01 UTC. */
export const describeFailure = ({ event, message }: EventFailed, now: number): ProjectionFailure => ({
  position: event.position,
  eventId: event.id,
  type: event.type,
  message,
  at: new Date(now).toISOString(),
});
