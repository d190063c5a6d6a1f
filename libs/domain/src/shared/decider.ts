import type { DomainEvent, Revision } from './events.js';

/**
 * How the state of a long stream is kept beside the log, so that not every process has to fold it from the first event. A state is plain data, maps
 * and sets; `save` and `restore` are for one that holds instances of classes.
 */
export type StateSnapshots<State> = Readonly<{
  /** Unlike those of all other deciders of the same streams. */
  name: string;
  /** Raise it when the same events lead to another state, or to one of another form: what earlier versions have kept is ignored then. */
  version: number;
  /** A snapshot is due after this many events. Default 1,000. */
  every?: number;
  /** Value to keep; it is read at once. Default: the state. */
  save?(state: State): unknown;
  /** The state again, from a copy of what `save` returned. Default: the copy. */
  restore?(saved: unknown): State;
  /**
   * The subjects whose sealed data the state holds in the open: a snapshot goes when one of them is erased. Those whose data are erased already are
   * left out. Default: none.
   */
  subjects?(state: State): Iterable<string>;
}>;

/**
 * The rules of one kind of stream, pure: no clock, no ids, no lookups.
 * `Context` is what a rule needs besides the command (current time, new ids), fixed when the command was created.
 */
export type Decider<State, Command, Event extends DomainEvent> = Readonly<{
  /**
   * The state depends on only this many of the newest events: 0 for independent facts, 1 if each event carries the whole state. A long
   * stream is then read from its end. Default: the state depends on all events.
   */
  window?: number;
  /** For streams that may get long. Has no effect with a `window`. Default: the stream is read from its first event. */
  snapshots?: StateSnapshots<State>;
  initialState(): State;
  /** The events that a command causes; none if nothing changes. @throws DomainError when a rule forbids the command */
  decide(command: Command, state: State): readonly Event[];
  /**
   * The next state. It may change the given state in place: the caller owns it and never uses an older one. The event stays as it is, also where the state
   * keeps a part of it: it goes to the log, to read models and to the caller.
   * @param revision of the event; the stream processor always gives it
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
