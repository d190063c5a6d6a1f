import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import { type Combine, foldInTree } from './fold-tree.js';
import { append, EXCLUDED, type StatusStep, type Timeline } from './timeline.js';

/**
 * The operation with this name (results contract 5). Rows are symmetric, and later rows override earlier ones. `EXCLUDED` is neutral. A pair without
 * a row is `defaults.unknown`, unless both statuses are equal. Without such an operation, this applies to every pair.
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

/** Combines two timelines in one pass. */
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

/** Larger numbers are combined in a tree. */
const FEW = 16;

/**
 * Folds at least one timeline, from the first to the last at each second (results contract 5). A single one is returned unchanged. The order matters
 * for tables that are not associative.
 */
export const foldTimelines = (timelines: readonly Timeline[], combine: Combine): Timeline =>
  timelines.length > FEW ? foldInTree(timelines, combine) : timelines.reduce((folded, timeline) => combined(folded, timeline, combine));
