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

/** All readings of a text at once: the states reached so far, and what follows on each character that has been met here. */
type Readings = { readonly states: ReadonlySet<State>; readonly after: (Readings | undefined)[] };

/** States are numbered as they are met, so that equal sets have equal names. */
class AllReadings {
  private readonly numbers = new Map<State, number>();
  private readonly byName = new Map<string, Readings>();
  readonly first: Readings;

  constructor(start: State) {
    const states = new Set<State>();
    enter(states, start);
    this.first = this.of(states);
  }

  after(current: Readings, code: number): Readings {
    const known = current.after[code];
    if (known) return known;
    const states = new Set<State>();
    for (const { on, next } of current.states) {
      if (on?.(code)) for (const reached of next) enter(states, reached);
    }
    const found = this.of(states);
    current.after[code] = found;
    return found;
  }

  private of(states: ReadonlySet<State>): Readings {
    const name = Array.from(states, (state) => this.numberOf(state))
      .sort((one, other) => one - other)
      .join();
    const readings = this.byName.get(name) ?? { states, after: [] };
    this.byName.set(name, readings);
    return readings;
  }

  private numberOf(state: State): number {
    const number = this.numbers.get(state) ?? this.numbers.size;
    this.numbers.set(state, number);
    return number;
  }
}

/**
 * Whether a whole text matches a pattern; characters beyond ASCII never do. Unlike a regular expression it follows all readings of the text at
 * once, so that the time is linear in its length, however ambiguous the pattern is. What it found out about one text helps with the next.
 */
export const matcher = (pattern: Piece): ((text: string) => boolean) => {
  const readings = new AllReadings(pattern(END));
  return (text) => {
    let current = readings.first;
    for (let index = 0; index < text.length && current.states.size > 0; index++) {
      const code = text.charCodeAt(index);
      if (code > 127) return false;
      current = readings.after(current, code);
    }
    return current.states.has(END);
  };
};
