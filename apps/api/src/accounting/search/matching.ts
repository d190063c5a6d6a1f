import * as errors from '#api/accounting/errors.js';
import type { TimeSlice } from '#domain/shared/time-slice.js';
import { FOUND, type Search, type StepIndex } from './search.js';
import { FieldValue, type Scalar } from './search-values.js';

/** Maximum number of tests of queries in one search, over all records. */
const MOST_TESTS = 200_000_000;

/** Counts the tests of a search, which must end while other callers wait for their turns. */
export class SearchEffort {
  private tests = 0;

  /** @throws AccountingError 400 beyond 200,000,000 tests */
  add(tests: number): void {
    this.tests += tests;
    if (this.tests > MOST_TESTS) throw errors.badSearch(`it takes more than ${MOST_TESTS} looks at its queries`);
  }
}

/** Matches one record with a search. Each field is read once, however many queries test it. */
class Matching<T> {
  private readonly values: FieldValue[] = [];
  private next: Readonly<StepIndex> = { at: 0 };

  constructor(
    private readonly search: Search<T>,
    private readonly record: T,
    private readonly effort: SearchEffort,
  ) {}

  /** Tests up to `most` more queries. Returns whether the record matches, `undefined` while open. @throws like {@link SearchEffort.add} */
  go(most: number): boolean | undefined {
    const { steps } = this.search;
    let tests = 0;
    for (let step = steps[this.next.at]; step && tests < most; step = steps[this.next.at]) {
      this.values[step.slot] ??= new FieldValue(step.read(this.record));
      const value = this.values[step.slot];
      tests++;
      this.next = value && step.test(value) ? step.yes : step.no;
    }
    this.effort.add(tests);
    return steps[this.next.at] ? undefined : this.next === FOUND;
  }
}

/** Returns whether the record matches. @throws like {@link SearchEffort.add} */
export const matches = <T>(search: Search<T>, record: T, effort: SearchEffort): boolean =>
  new Matching(search, record, effort).go(Number.POSITIVE_INFINITY) ?? false;

/** Queries tested in one go: tests of long texts take 100 microseconds each. */
const TESTS_AT_ONCE = 100;

/** The same in slices; synchronous for a search with few queries. @throws like {@link SearchEffort.add} */
export const matchesInSlices = <T>(search: Search<T>, record: T, effort: SearchEffort, slice: TimeSlice): boolean | Promise<boolean> => {
  const matching = new Matching(search, record, effort);
  return matching.go(TESTS_AT_ONCE) ?? continuedInSlices(matching, slice);
};

const continuedInSlices = async <T>(matching: Matching<T>, slice: TimeSlice): Promise<boolean> => {
  for (;;) {
    if (slice.isOver) await slice.next();
    const found = matching.go(TESTS_AT_ONCE);
    if (found !== undefined) return found;
  }
};

/** Returns whether a partly known record can match. @throws like {@link SearchEffort.add} */
export const canMatch = <T>({ steps }: Search<T>, known: Readonly<Record<string, Scalar | undefined>>, effort: SearchEffort): boolean => {
  effort.add(steps.length);
  const seen = new Uint8Array(steps.length);
  const waiting: Readonly<StepIndex>[] = [{ at: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next === FOUND) return true;
    const step = steps[next.at];
    if (!step || seen[next.at] === 1) continue;
    seen[next.at] = 1;
    const stored = Object.hasOwn(known, step.field) ? known[step.field] : undefined;
    if (stored === undefined) waiting.push(step.no, step.yes);
    else waiting.push(step.test(new FieldValue(stored)) ? step.yes : step.no);
  }
  return false;
};
