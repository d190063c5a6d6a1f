import type { Decider } from './decider.js';
import type { DomainEvent, EventMetadata, Position, Revision } from './events.js';

/**
 * Metadata of the events of a command. With `idempotency` (hashes of caller, route and key, and of the body), repeating the command within 48 hours appends
 * nothing and returns the first result.
 */
export type CommandContext = Omit<EventMetadata, 'schemaVersion'> &
  Readonly<{
    /**
     * Called with each execution that the caller is answered with. Not part of the metadata.
     * @param isAside it only prepares a command or ends its preparations. Default: false
     */
    onExecuted?: (execution: Execution, isAside?: boolean) => void;
  }>;

export type StreamCommand<State, Command, Event extends DomainEvent> = Readonly<{
  stream: string;
  /** Use the same object for every command of a stream: the folded state is cached with it. */
  decider: Decider<State, Command, Event>;
  command: Command;
  context: CommandContext;
}>;

/**
 * An event of a command, in its current shape and unsealed. It has no position of its own: the log reports only the position of the last event of an
 * append, and an append may combine several commands.
 */
export type ExecutedEvent<Event extends DomainEvent = DomainEvent> = Event &
  Readonly<{ id: string; stream: string; revision: Revision; metadata: EventMetadata }>;

export type Execution<Event extends DomainEvent = DomainEvent> = Readonly<{
  /** In order; empty if nothing changed. */
  events: readonly ExecutedEvent<Event>[];
  /**
   * At or after the last event that the answer depends on. A read model that has applied this position reflects everything in the answer.
   * `0n` if the stream has no events.
   */
  position: Position;
  /** Number of events of other commands between the last event of this command and `position`. Default: 0. */
  trailing?: number;
  /** True if the idempotency key was used before: `events` are those of the first call, as far as the stream still holds them. */
  repeated: boolean;
  /** Revision of the next event of the stream after the first call. Only in a repeat of a call that recorded nothing. */
  next?: Revision;
}>;
