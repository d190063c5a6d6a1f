import type { CharacterTest } from './pattern-classes.js';
import { type Assertion, PatternInvalid, type PatternNode } from './pattern-syntax.js';

const MOST_STATES = 20_000;
/** Limit for all patterns of one document, which are cached together. */
const MOST_STATES_OF_ALL = 100_000;
/** Limit of parts, where a repeated part counts each time: parts without states could be repeated without end. */
const MOST_PARTS = 100_000;
const MOST_PARTS_OF_ALL = 500_000;
const ASCII = 128;

/** A state consumes a character that passes a test, or requires a place between two characters. The match is a state with no next one. */
type State = { readonly test: number; readonly place?: Assertion; readonly next: State[]; readonly number: number };

/** A test of characters, and its number of steps for a non-ASCII character. */
type Test = Readonly<{ test: CharacterTest; cost: number }>;

/**
 * A pattern as states in flat lists. State `s` consumes a character that passes test `testOf[s]`; if that is -1, it consumes nothing and requires its
 * place. It continues to `links[firstLink[s]]` up to `links[firstLink[s + 1]]`, exclusive.
 */
export type PatternProgram = Readonly<{
  size: number;
  start: number;
  match: number;
  testOf: Int32Array;
  placeOf: readonly (Assertion | undefined)[];
  firstLink: Int32Array;
  links: Int32Array;
  tests: readonly Test[];
  /** `ascii[test * 128 + character]` is 1 if an ASCII character passes a test. */
  ascii: Uint8Array;
}>;

const tooLarge = (): PatternInvalid => new PatternInvalid('error parsing regexp: expression too large');

/** Builds the states of the patterns of one document, each pattern from its end. */
export class StateBuilder {
  private states: State[] = [];
  private tests = new Map<CharacterTest, Readonly<{ index: number }> & Test>();
  private parts = 0;
  private total = 0;
  private totalParts = 0;

  /** States of all patterns built so far. */
  get size(): number {
    return this.total;
  }

  /** @throws PatternInvalid the pattern, or all patterns together, have too many states */
  program(pattern: PatternNode): PatternProgram {
    this.states = [];
    this.tests = new Map();
    this.parts = 0;
    const match = this.state([]);
    const start = this.build(pattern, match);
    return this.flat(start, match);
  }

  private state(next: State[], kind: Readonly<{ test?: number; place?: Assertion }> = {}): State {
    if (this.states.length === MOST_STATES || ++this.total > MOST_STATES_OF_ALL) throw tooLarge();
    const state = { test: -1, ...kind, next, number: this.states.length };
    this.states.push(state);
    return state;
  }

  private build(node: PatternNode, after: State): State {
    if (++this.parts > MOST_PARTS || ++this.totalParts > MOST_PARTS_OF_ALL) throw tooLarge();
    switch (node.kind) {
      case 'empty':
        return after;
      case 'one':
        return this.state([after], { test: this.testOf(node) });
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

  /** Repetitions of a part share its test. */
  private testOf({ test, cost }: Test): number {
    const known = this.tests.get(test);
    if (known) return known.index;
    const index = this.tests.size;
    this.tests.set(test, { test, cost, index });
    return index;
  }

  private flat(start: State, match: State): PatternProgram {
    const { states } = this;
    const tests = [...this.tests.values()];
    const firstLink = new Int32Array(states.length + 1);
    for (const { number, next } of states) firstLink[number + 1] = (firstLink[number] ?? 0) + next.length;
    const links = new Int32Array(firstLink[states.length] ?? 0);
    for (const { number, next } of states)
      for (const [index, { number: to }] of next.entries()) links[(firstLink[number] ?? 0) + index] = to;
    const ascii = new Uint8Array(tests.length * ASCII);
    for (const [index, { test }] of tests.entries())
      for (let code = 0; code < ASCII; code++) ascii[index * ASCII + code] = test(code) ? 1 : 0;
    return {
      size: states.length,
      start: start.number,
      match: match.number,
      testOf: Int32Array.from(states, ({ test }) => test),
      placeOf: states.map(({ place }) => place),
      firstLink,
      links,
      tests,
      ascii,
    };
  }
}
