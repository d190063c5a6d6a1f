import type { Position, RecordedEvent } from '#domain/shared/events.js';

/** Identifies an event. */
export type EventReference = Pick<RecordedEvent, 'id' | 'type' | 'position'>;

/** A projection cannot process this event: it could not be decoded, applied or encoded. `cause` is the reason. */
export class EventFailed extends Error {
  override readonly name = 'EventFailed';
  readonly event: EventReference;

  constructor({ id, type, position }: EventReference, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.event = { id, type, position };
  }
}

/** Maximum length of a failure message that is passed on, in UTF-16 units. */
const MAX_MESSAGE_LENGTH = 500;

/** Event that could not be applied, and the reason. `at`: UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export type ProjectionFailure = Readonly<{ position: Position; eventId: string; type: string; message: string; at: string }>;

/** `now`: milliseconds since 1970-01-01 UTC. */
export const describeFailure = ({ event, message }: EventFailed, now: number): ProjectionFailure => ({
  position: event.position,
  eventId: event.id,
  type: event.type,
  message: message.slice(0, MAX_MESSAGE_LENGTH),
  at: new Date(now).toISOString(),
});
