import type { Budget } from './budget.js';
import { type CharacterTest, word } from './pattern-classes.js';
import { PatternInvalid, type PatternNode, type Place, parsePattern } from './pattern-syntax.js';

/** Finds itself anywhere in a text. @throws TooMuchWork */
export type Pattern = (text: string, budget: Budget) => boolean;

/** What must hold to go on: a character, or a place between two; nothing holds at the end, which is the match. */
type State = { readonly test?: CharacterTest; readonly place?: Place; readonly next: State[]; readonly number: number };

const MOST_STATES = 20_000;
/** Parts built, counting what is repeated as often as it is repeated: parts without states could be repeated without end. */
const MOST_PARTS = 100_000;
/** Stands before the first and after the last character. */
const NOTHING = -1;
const LINE_END = 10;

const holds = (place: Place, before: number, after: number): boolean => {
  switch (place) {
    case 'start':
      return before === NOTHING;
    case 'end':
      return after === NOTHING;
    case 'line-start':
      return before === NOTHING || before === LINE_END;
    case 'line-end':
      return after === NOTHING || after === LINE_END;
    case 'word-edge':
      return word(before) !== word(after);
    case 'no-word-edge':
      return word(before) === word(after);
  }
};

const tooLarge = (): PatternInvalid => new PatternInvalid('error parsing regexp: expression too large');

/** Builds the states of a pattern from its end. */
class StateBuilder {
  private count = 0;
  private parts = 0;

  state(next: State[], kind: Readonly<{ test?: CharacterTest; place?: Place }> = {}): State {
    if (this.count === MOST_STATES) throw tooLarge();
    return { ...kind, next, number: this.count++ };
  }

  build(node: PatternNode, after: State): State {
    if (++this.parts > MOST_PARTS) throw tooLarge();
    switch (node.kind) {
      case 'empty':
        return after;
      case 'one':
        return this.state([after], { test: node.test });
      case 'place':
        return this.state([after], { place: node.place });
      case 'sequence':
        return node.parts.reduceRight<State>((next, part) => this.build(part, next), after);
      case 'choice':
        return this.state(node.parts.map((part) => this.build(part, after)));
      case 'repeat':
        return this.repeat(node.part, node.least, node.most, after);
    }
  }

  get size(): number {
    return this.count;
  }

  private repeat(part: PatternNode, least: number, most: number, after: State): State {
    let next = after;
    if (most === Number.POSITIVE_INFINITY) {
      next = this.state([after]);
      next.next.push(this.build(part, next));
    } else {
      for (let optional = least; optional < most; optional++) next = this.state([this.build(part, next), after]);
    }
    for (let required = 0; required < least; required++) next = this.build(part, next);
    return next;
  }
}

/**
 * Compiles a pattern of a caller. Unlike a regular expression of JavaScript it follows all readings of a text at once: the time is linear
 * in the length of the text, times the states it can be in. @throws PatternInvalid
 */
export const compilePattern = (source: string): Pattern => {
  const builder = new StateBuilder();
  const match = builder.state([]);
  const start = builder.build(parsePattern(source), match);
  const { size } = builder;
  return (text, budget) => new Search(start, match, size, budget).findsIn(text);
};

/** One search of one text. */
class Search {
  /** By number of state: the step, counted from 1, in which it was entered last. */
  private readonly entered: Uint32Array;
  private readonly waiting: State[] = [];
  private step = 0;

  constructor(
    private readonly start: State,
    private readonly match: State,
    size: number,
    private readonly budget: Budget,
  ) {
    this.entered = new Uint32Array(size);
  }

  findsIn(text: string): boolean {
    let current: State[] = [];
    let before = NOTHING;
    for (let at = 0; ; ) {
      const after = text.codePointAt(at) ?? NOTHING;
      this.step++;
      const active: State[] = [];
      current.push(this.start); // a match may begin anywhere
      let steps = 1;
      for (const state of current) steps += this.enter(state, before, after, active);
      this.budget.spend(steps);
      if (this.entered[this.match.number] === this.step) return true;
      if (after === NOTHING) return false;
      current = [];
      for (const { test, next } of active) if (test?.(after)) current.push(...next);
      before = after;
      at += after > 0xffff ? 2 : 1;
    }
  }

  /** Adds to `active` the states that wait for a character, among all that can be reached at this place. Returns how many were looked at. */
  private enter(from: State, before: number, after: number, active: State[]): number {
    let steps = 0;
    this.waiting.push(from);
    for (let state = this.waiting.pop(); state; state = this.waiting.pop()) {
      steps++;
      if (this.entered[state.number] === this.step) continue;
      this.entered[state.number] = this.step;
      if (state.test) active.push(state);
      else if (!state.place || holds(state.place, before, after)) this.waiting.push(...state.next);
    }
    return steps;
  }
}
