/** The states a pattern can be in: what may come next, until `end`. */
type State = { readonly on: ((code: number) => boolean) | undefined; readonly next: State[] };

/** A piece of a pattern: continues to whatever is linked to its last states. */
export type Piece = (after: State) => State;

const state = (next: State[], on?: (code: number) => boolean): State => ({ on, next });

/** One character for which the test holds. */
export const one =
  (test: (code: number) => boolean): Piece =>
  (after) =>
    state([after], test);

/** This very text. */
export const word =
  (text: string): Piece =>
  (after) =>
    [...text].reverse().reduce<State>((next, character) => state([next], (code) => code === character.charCodeAt(0)), after);

/** One after another. */
export const sequence =
  (...pieces: readonly Piece[]): Piece =>
  (after) =>
    pieces.reduceRight<State>((next, piece) => piece(next), after);

/** Any one of them. */
export const either =
  (...pieces: readonly Piece[]): Piece =>
  (after) =>
    state(pieces.map((piece) => piece(after)));

/** It, or nothing. */
export const maybe =
  (piece: Piece): Piece =>
  (after) =>
    state([piece(after), after]);

/** It any number of times, also none. */
export const repeated =
  (piece: Piece): Piece =>
  (after) => {
    const loop = state([after]);
    loop.next.push(piece(loop));
    return loop;
  };

const END: State = { on: undefined, next: [] };

/** Adds a state and all that can be reached from it without a character. */
const enter = (states: Set<State>, entered: State): void => {
  if (states.has(entered)) return;
  states.add(entered);
  if (!entered.on) for (const next of entered.next) enter(states, next);
};

/**
 * Whether a whole text matches a pattern (ASCII). Unlike a regular expression it follows all readings of the text at once, so that
 * the time is linear in its length, however ambiguous the pattern is.
 */
export const matcher = (pattern: Piece): ((text: string) => boolean) => {
  const start = pattern(END);
  return (text) => {
    let current = new Set<State>();
    enter(current, start);
    for (let index = 0; index < text.length && current.size > 0; index++) {
      const code = text.charCodeAt(index);
      const following = new Set<State>();
      for (const { on, next } of current) {
        if (on?.(code)) for (const reached of next) enter(following, reached);
      }
      current = following;
    }
    return current.has(END);
  };
};
