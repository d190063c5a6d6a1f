import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import { append, EXCLUDED, type Step, type Timeline } from './timeline.js';

/** The status of two together. */
export type Combine = (left: string, right: string) => string;

/** An operation over timelines. */
export type Combination = Readonly<{ of: Combine; associative: boolean }>;

/** More would take too long to try out. */
const STATES_TO_TRY = 24;

const isAssociative = (states: readonly string[], of: Combine): boolean =>
  states.length <= STATES_TO_TRY && states.every((a) => states.every((b) => states.every((c) => of(of(a, b), c) === of(a, of(b, c)))));

/**
 * The operation of that name (results contract 5): rows hold both ways and a later one overrides, `EXCLUDED` is neutral, a pair without row is
 * `defaults.unknown` unless both are the same; so is every pair if there is no such operation.
 */
export const combinationOf = (profile: OperationsProfile, name: string): Combination => {
  const table = new Map<string, Map<string, string>>();
  const put = (left: string, right: string, status: string) => {
    const row = table.get(left) ?? new Map<string, string>();
    table.set(left, row.set(right, status));
  };
  const rows = profile.operations.find((operation) => operation.name === name)?.truth_table ?? [];
  for (const { a, b, x } of rows) {
    put(a, b, x);
    put(b, a, x);
  }
  const { unknown } = profile.defaults;
  const of: Combine = (left, right) => {
    if (left === EXCLUDED) return right;
    if (right === EXCLUDED) return left;
    return table.get(left)?.get(right) ?? (left === right ? left : unknown);
  };
  const states = new Set([...profile.available_states, ...Object.values(profile.defaults), ...rows.flatMap(({ a, b, x }) => [a, b, x])]);
  return { of, associative: isAssociative([...states], of) };
};

/** Two timelines, in one pass. */
const combined = (left: Timeline, right: Timeline, of: Combine): Timeline => {
  const steps: Step[] = [];
  let [first, second] = ['', ''];
  for (let one = 0, other = 0; one < left.length || other < right.length; ) {
    const at = Math.min(left[one]?.at ?? Number.POSITIVE_INFINITY, right[other]?.at ?? Number.POSITIVE_INFINITY);
    if (left[one]?.at === at) first = left[one++]!.status;
    if (right[other]?.at === at) second = right[other++]!.status;
    append(steps, at, of(first, second));
  }
  return steps;
};

/** In pairs, and the pairs in pairs: every step is looked at once for each doubling of the number of timelines. */
const inPairs = (timelines: readonly Timeline[], of: Combine): Timeline => {
  let rest = timelines;
  while (rest.length > 1) {
    rest = rest.flatMap((left, index) => {
      if (index % 2 === 1) return [];
      const right = rest[index + 1];
      return [right ? combined(left, right, of) : left];
    });
  }
  return rest[0]!;
};

/**
 * Timelines of at least one input, folded from the first to the last at each second. One alone is the result as it is. The order of a fold matters
 * only to tables that are not associative; for all others the shorter way is taken.
 */
export const foldTimelines = (timelines: readonly Timeline[], { of, associative }: Combination): Timeline =>
  associative ? inPairs(timelines, of) : timelines.reduce((folded, timeline) => combined(folded, timeline, of));
