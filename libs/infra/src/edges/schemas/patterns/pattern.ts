import type { Budget } from '#infra/edges/schemas/budget.js';
import { word } from './pattern-classes.js';
import { type PatternProgram, StateBuilder } from './pattern-program.js';
import { type Assertion, parsePattern } from './pattern-syntax.js';

/** Returns whether the pattern matches anywhere in a text. @throws TooMuchWork */
export type Pattern = (text: string, budget: Budget) => boolean;

/** Pseudo-character before the first and after the last one. */
const NOTHING = -1;
const LINE_END = 10;
const ASCII = 128;
/** Step numbers have 32 bits. */
const LAST_STEP = 0xffff_ffff;

const holds = (place: Assertion, before: number, after: number): boolean => {
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

/**
 * Compiles a client's pattern. Unlike a JavaScript regular expression it follows all possible matches at the same time, so that the time is
 * linear in the length of the text times the number of states. `builder`: builds all patterns of a document, which share its limits.
 * @throws PatternInvalid
 */
export const compilePattern = (source: string, builder: StateBuilder = new StateBuilder()): Pattern => {
  const program = builder.program(parsePattern(source));
  let search: Search | undefined;
  return (text, budget) => {
    search ??= new Search(program);
    return search.findsIn(text, budget);
  };
};

/** Searches texts one after another and reuses its buffers, which are as large as the pattern. */
class Search {
  /** By state: the last step in which it was entered. */
  private readonly entered: Uint32Array;
  private readonly waiting: Int32Array;
  private current: Int32Array;
  private active: Int32Array;
  private activeCount = 0;
  /** By test: the last step in which it was evaluated for a non-ASCII character, and the result. */
  private readonly asked: Uint32Array;
  private readonly answers: Uint8Array;
  private step = 0;

  constructor(private readonly program: PatternProgram) {
    const { size, links, tests } = program;
    this.entered = new Uint32Array(size);
    this.waiting = new Int32Array(links.length + 1);
    this.current = new Int32Array(size + 1);
    this.active = new Int32Array(size + 1);
    this.asked = new Uint32Array(tests.length);
    this.answers = new Uint8Array(tests.length);
  }

  findsIn(text: string, budget: Budget): boolean {
    const { start, match } = this.program;
    let count = 0;
    let before = NOTHING;
    for (let at = 0; ; ) {
      const after = text.codePointAt(at) ?? NOTHING;
      this.nextStep();
      this.activeCount = 0;
      this.current[count++] = start; // a match can begin anywhere
      let steps = 1;
      for (let index = 0; index < count; index++) steps += this.enter(this.current[index] as number, before, after);
      budget.spend(steps);
      if (this.entered[match] === this.step) return true;
      if (after === NOTHING) return false;
      [this.current, this.active] = [this.active, this.current];
      count = this.follow(after, budget);
      before = after;
      at += after > 0xffff ? 2 : 1;
    }
  }

  private nextStep(): void {
    if (this.step === LAST_STEP) {
      this.entered.fill(0);
      this.asked.fill(0);
      this.step = 0;
    }
    this.step++;
  }

  /** Activates the states that consume a character, among all states reachable here. Returns the number of states visited. */
  private enter(from: number, before: number, after: number): number {
    const { entered, waiting, active, step } = this;
    const { testOf, placeOf, firstLink, links } = this.program;
    let steps = 0;
    let count = 1;
    waiting[0] = from;
    while (count > 0) {
      const state = waiting[--count] as number;
      steps++;
      if (entered[state] === step) continue;
      entered[state] = step;
      if ((testOf[state] as number) >= 0) {
        active[this.activeCount++] = state;
        continue;
      }
      const place = placeOf[state];
      if (place && !holds(place, before, after)) continue;
      for (let link = firstLink[state] as number; link < (firstLink[state + 1] as number); link++) waiting[count++] = links[link] as number;
    }
    return steps;
  }

  /** Replaces the active states with those that follow them after a character. Returns their number. */
  private follow(character: number, budget: Budget): number {
    const { current } = this;
    const { testOf, ascii, firstLink, links } = this.program;
    let count = 0;
    for (let index = 0; index < this.activeCount; index++) {
      const state = current[index] as number;
      const test = testOf[state] as number;
      const passes = character < ASCII ? ascii[test * ASCII + character] : this.ask(test, character, budget);
      if (passes) current[count++] = links[firstLink[state] as number] as number;
    }
    return count;
  }

  /** Returns whether a non-ASCII character passes a test; evaluated once per step. */
  private ask(index: number, character: number, budget: Budget): number {
    if (this.asked[index] !== this.step) {
      const { test, cost } = this.program.tests[index] as PatternProgram['tests'][number];
      budget.spend(cost);
      this.asked[index] = this.step;
      this.answers[index] = test(character) ? 1 : 0;
    }
    return this.answers[index] as number;
  }
}
