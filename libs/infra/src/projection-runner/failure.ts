import type { Position, RecordedEvent } from '#domain/shared/events.js';

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

/** Longest message of a failure that is passed on, in UTF-16 units. */
const MAX_MESSAGE_LENGTH = 500;

/** Why and where a projection stopped. `at` is UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export type ProjectionFailure = Readonly<{ position: Position; eventId: string; type: string; message: string; at: string }>;

/** `now` in milliseconds since 1970-01-01 UTC. */
export const describeFailure = ({ event, message }: EventFailed, now: number): ProjectionFailure => ({
  position: event.position,
  eventId: event.id,
  type: event.type,
  message: message.slice(0, MAX_MESSAGE_LENGTH),
  at: new Date(now).toISOString(),
});
