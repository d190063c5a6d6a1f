import type { DomainEvent } from './events.js';

/**
 * The rules of one kind of stream, pure: no clock, no ids, no lookups.
 * `Context` is what a rule needs of the command's surroundings (now, new ids), fixed when the command was made.
 */
export type Decider<State, Command, Event extends DomainEvent> = Readonly<{
  /**
   * The state depends on this many of the newest events only: 0 for independent facts, 1 where each event carries the whole state.
   * A long stream is then picked up from its end. Default: the state depends on all of them.
   */
  window?: number;
  initialState(): State;
  /** The events that follow from a command; none when nothing changes. @throws DomainError when a rule forbids it */
  decide(command: Command, state: State): readonly Event[];
  /** The next state. It may update the given state in place: whoever folds owns it and never looks at an older one. */
  evolve(state: State, event: Event): State;
}>;

/** A rule said no. `code` is stable and names the rule; `details` fill the text of the service's contract. No HTTP here. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  constructor(
    readonly code: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(code);
  }
}
