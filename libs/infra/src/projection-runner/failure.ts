import { AppendOutcomeUnknown, EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { NamespaceGone, ReadStoreUnavailable } from '#projections/shared/read-store.js';

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

/**
 * A step cannot be taken, whenever it is tried: not for want of a store, but for what it is about. A document cannot be sealed or opened, for
 * example, because the key of its subject is damaged.
 */
export class StepRefused extends Error {
  override readonly name = 'StepRefused';
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** A store cannot be reached now: a matter of time, not of the event at hand. */
export const isOutage = (error: unknown): boolean =>
  error instanceof EventStoreUnavailable || error instanceof ReadStoreUnavailable || error instanceof AppendOutcomeUnknown;

/** Longest message of a failure that is passed on, in UTF-16 units. */
const LONGEST_MESSAGE = 500;

/** For what rejects: an outage passes, and a namespace that is gone is left. @throws StepRefused for all other errors */
export const refusing = (error: unknown): never => {
  throw isOutage(error) || error instanceof NamespaceGone ? error : new StepRefused(error);
};

/** Why and where a projection stopped. `at` is UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export type ProjectionFailure = Readonly<{ position: Position; eventId: string; type: string; message: string; at: string }>;

/** `now` in milliseconds since 1970-01-01 UTC. */
export const describeFailure = ({ event, message }: EventFailed, now: number): ProjectionFailure => ({
  position: event.position,
  eventId: event.id,
  type: event.type,
  message: message.slice(0, LONGEST_MESSAGE),
  at: new Date(now).toISOString(),
});
