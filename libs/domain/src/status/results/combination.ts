import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import { type Combine, foldInTree } from './fold-tree.js';
import { append, EXCLUDED, type StatusStep, type Timeline } from './timeline.js';

/**
 * The operation of that name (results contract 5): rows hold both ways and a later one overrides, `EXCLUDED` is neutral, a pair without row is
 * `defaults.unknown` unless both are the same; so is every pair if there is no such operation.
 */
export const combinationOf = (profile: OperationsProfile, name: string): Combine => {
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
  return (left, right) => {
    if (left === EXCLUDED) return right;
    if (right === EXCLUDED) return left;
    return table.get(left)?.get(right) ?? (left === right ? left : unknown);
  };
};

/** Two timelines, in one pass. */
const combined = (left: Timeline, right: Timeline, of: Combine): Timeline => {
  const steps: StatusStep[] = [];
  let [first, second] = ['', ''];
  for (let one = 0, other = 0; one < left.length || other < right.length; ) {
    const at = Math.min(left[one]?.at ?? Number.POSITIVE_INFINITY, right[other]?.at ?? Number.POSITIVE_INFINITY);
    if (left[one]?.at === at) first = left[one++]!.status;
    if (right[other]?.at === at) second = right[other++]!.status;
    append(steps, at, of(first, second));
  }
  return steps;
};

/** More are combined in a tree. */
const FEW = 16;

/**
 * Timelines of at least one input, folded from the first to the last at each second (results contract 5). One alone is the result as it is. The order
 * matters for tables that are not associative.
 */
export const foldTimelines = (timelines: readonly Timeline[], combine: Combine): Timeline =>
  timelines.length > FEW ? foldInTree(timelines, combine) : timelines.reduce((folded, timeline) => combined(folded, timeline, combine));
