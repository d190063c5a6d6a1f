import { byBytes } from '#domain/shared/text/text-order.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import { datedResource, firstLines } from './dated-records.js';

type Statement = Readonly<{ a: string; b: string; x: string }>;
export type Operation = Readonly<{ name: string; truth_table: readonly Statement[] }>;

/** Truth tables over states. Members are named as on the wire (status contract 4.1). */
export type OperationsProfile = Readonly<{
  name: string;
  available_states: readonly string[];
  defaults: Readonly<{ down: string; missing: string; unknown: string }>;
  operations: readonly Operation[];
}>;

/** Yields a value once for every pair of equal values: a value listed three times is yielded three times. */
function* repeated(values: readonly string[]): Generator<string> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  for (const value of values) {
    const later = (counts.get(value) ?? 0) - 1;
    for (let pair = 0; pair < later; pair++) yield value;
    counts.set(value, later);
  }
}

function* duplicates({ available_states, operations }: OperationsProfile): Generator<string> {
  for (const state of repeated(available_states)) yield `State:${state} is duplicated`;
  for (const name of repeated(operations.map((operation) => operation.name))) yield `Operation:${name} is duplicated`;
}

function* undeclared({ available_states, defaults, operations }: OperationsProfile): Generator<string> {
  const states = new Set(available_states);
  if (!states.has(defaults.down)) yield `Default Down State: ${defaults.down} not in available States`;
  if (!states.has(defaults.missing)) yield `Default Missing State: ${defaults.missing} not in available States`;
  if (!states.has(defaults.unknown)) yield `Default Unknown State: ${defaults.unknown} not in available States`;
  for (const { name, truth_table } of operations) {
    for (const statement of truth_table) {
      for (const member of ['a', 'b', 'x'] as const) {
        const state = statement[member];
        if (!states.has(state)) yield `In Operation: ${name}, statement member ${member}: ${state} contains undeclared state`;
      }
    }
  }
}

function* mentions({ available_states, operations }: OperationsProfile): Generator<string> {
  const threshold = available_states.length - 1; // a state listed twice counts twice
  const states = [...new Set(available_states)].sort(byBytes);
  for (const { name, truth_table } of operations) {
    const counts = new Map<string, number>();
    for (const { a, b } of truth_table) {
      for (const state of [a, b]) counts.set(state, (counts.get(state) ?? 0) + 1);
    }
    for (const state of states) {
      if ((counts.get(state) ?? 0) < threshold) yield `Not enough mentions of state:${state} in operation: ${name}`;
    }
  }
}

function* problems(profile: OperationsProfile): Generator<string> {
  for (const pass of [duplicates, undeclared, mentions]) yield* pass(profile);
}

/**
 * Problems found by the three passes of status contract 4.3, in its order: duplicates, undeclared states, mentions. Limited by {@link firstLines}.
 * @throws DomainError `OVER_LIMIT` for a profile with too many states
 */
export const validateOperationsProfile = (profile: OperationsProfile): readonly string[] => {
  if (profile.available_states.length > STATUS_LIMITS.statesPerProfile.value) throw overLimit('statesPerProfile');
  return firstLines(problems(profile));
};

export const operationsProfiles = datedResource<OperationsProfile>({
  kind: 'operations_profiles',
  events: { dated: 'OperationsProfileSnapshotDated', deleted: 'OperationsProfileDeleted' },
  validate: validateOperationsProfile,
});
