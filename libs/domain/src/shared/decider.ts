import type { DomainEvent } from './events.js';

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
  initialState(): State;
  /** The events that a command causes; none if nothing changes. @throws DomainError when a rule forbids the command */
  decide(command: Command, state: State): readonly Event[];
  /** The next state. It may change the given state in place: the caller owns it and never uses an older one. */
  evolve(state: State, event: Event): State;
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
