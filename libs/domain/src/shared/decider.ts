import type { DomainEvent, Revision } from './events.js';

/**
 * Snapshots of the state of a long stream, kept beside the log so that not every process has to fold it from the first event. A state is plain data,
 * maps and sets; `save` and `restore` are for states that hold instances of classes.
 */
export type StateSnapshots<State> = Readonly<{
  /** Unique among all deciders of the same streams. */
  name: string;
  /** Raise it when the same events lead to another state or to another form of it: snapshots of earlier versions are then ignored. */
  version: number;
  /** A snapshot is due after this many events. Default 1,000. */
  every?: number;
  /** Value to store; it is read immediately. Default: the state. */
  save?(state: State): unknown;
  /** Restores the state from a copy of the value that `save` returned. Default: the copy. */
  restore?(saved: unknown): State;
  /**
   * Subjects whose sealed data the state holds unencrypted, except subjects already erased: the snapshot is deleted when one of them is erased.
   * Default: none.
   */
  subjects?(state: State): Iterable<string>;
}>;

/**
 * The rules of one kind of stream, pure: no clock, no ids, no lookups. A command carries the current time and new ids, fixed at its creation.
 */
export type Decider<State, Command, Event extends DomainEvent> = Readonly<{
  /**
   * The state depends on only this many of the newest events: 0 for independent facts, 1 if each event carries the whole state. A long
   * stream is then read from its end. Default: the state depends on all events.
   */
  window?: number;
  /** Number of values that a state with a `window` holds beyond those of one event. Default: none. */
  weigh?(state: State): number;
  /**
   * `any`: independent facts (`window` 0), appended after whatever other nodes have appended, so that writers of a stream never compete. Such
   * commands have no idempotency keys. Default: the revision of the state on which a command was decided.
   */
  expects?: 'any';
  /**
   * Set if an idempotency key also counts as used if its command recorded no event, as long as the state is in memory. Not for commands that
   * are repeated until they have an effect. Default: such a command is decided again.
   */
  keepsKeys?: true;
  /** For streams that may get long. Has no effect with a `window`. Default: the stream is read from its first event. */
  snapshots?: StateSnapshots<State>;
  initialState(): State;
  /** Events caused by a command; none if nothing changes. @throws DomainError when a rule forbids the command */
  decide(command: Command, state: State): readonly Event[];
  /**
   * The next state. It may change the given state in place: the caller owns it and never uses an older one. The event must not be changed, even if the state
   * keeps a part of it: it goes to the log, to read models and to the caller.
   * @param revision of the event; the stream processor always passes it
   */
  evolve(state: State, event: Event, revision?: Revision): State;
}>;

/** A rule forbids the command. `code` is stable and names the rule; `details` are the variable parts of the service's error text. No HTTP here. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  constructor(
    readonly code: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(code);
  }
}
