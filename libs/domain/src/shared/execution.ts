import type { Decider } from './decider.js';
import type { DomainEvent, EventMetadata, Position, Revision } from './events.js';

/**
 * The metadata that the events of a command get. With `idempotency` (hashes of caller, route and key, and of the body) a repeated command appends
 * nothing for 48 hours and gets the first result.
 */
export type CommandContext = Omit<EventMetadata, 'schemaVersion'> &
  Readonly<{
    /** Told of executions that the caller is answered with. No part of the metadata. */
    onExecuted?: (execution: Execution) => void;
  }>;

export type StreamCommand<State, Command, Event extends DomainEvent> = Readonly<{
  stream: string;
  /** The same object for every command of a stream: its folded state is kept with it. */
  decider: Decider<State, Command, Event>;
  command: Command;
  context: CommandContext;
}>;

/**
 * An event of a command, in its current shape and not sealed. It has no position of its own: the log reports only that of the last event of an
 * append, which may hold several commands.
 */
export type ExecutedEvent<Event extends DomainEvent = DomainEvent> = Event &
  Readonly<{ id: string; stream: string; revision: Revision; metadata: EventMetadata }>;

export type Execution<Event extends DomainEvent = DomainEvent> = Readonly<{
  /** In order; empty when the decider found nothing to change. */
  events: readonly ExecutedEvent<Event>[];
  /**
   * At or after the last event that the answer depends on: a read model that has applied this position shows everything that the caller was
   * answered. `0n` when the stream has no events.
   */
  position: Position;
  /** How many events of other commands came into the log between the last event of this command and `position`. Default: 0. */
  trailing?: number;
  /** True when the idempotency key had been used before: the events are those of the first time, as far as the stream still holds them. */
  repeated: boolean;
}>;
