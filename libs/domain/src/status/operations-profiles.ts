import { datedResource } from './dated-records.js';

export type Statement = Readonly<{ a: string; b: string; x: string }>;
export type Operation = Readonly<{ name: string; truth_table: readonly Statement[] }>;

/** Truth tables over states; members as on the wire (status contract 4.1). */
export type OperationsProfile = Readonly<{
  name: string;
  available_states: readonly string[];
  defaults: Readonly<{ down: string; missing: string; unknown: string }>;
  operations: readonly Operation[];
}>;

/** One value for every pair of equal values: a value listed three times comes three times. */
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

/** States in the order of their UTF-8 bytes, which is the order of code points. */
const byBytes = (left: string, right: string): number => {
  const [a, b] = [[...left], [...right]];
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i]?.codePointAt(0) ?? 0) - (b[i]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
};

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

/** Pairs grow with the square of a list: past this many lines an answer tells nobody anything. */
const MAX_LINES = 10_000;

/** The three passes of status contract 4.3, in its order: duplicates, undeclared states, mentions. At most 10,000 lines. */
export const validateOperationsProfile = (profile: OperationsProfile): readonly string[] => {
  const lines: string[] = [];
  for (const pass of [duplicates, undeclared, mentions]) {
    for (const line of pass(profile)) {
      if (lines.length === MAX_LINES) return lines;
      lines.push(line);
    }
  }
  return lines;
};

export const operationsProfiles = datedResource<OperationsProfile>({
  kind: 'operations_profiles',
  events: { dated: 'OperationsProfileSnapshotDated', deleted: 'OperationsProfileDeleted' },
  validate: validateOperationsProfile,
});
