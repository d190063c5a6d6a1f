import { describe, expect, it } from '@jest/globals';
import { type OperationsProfile, validateOperationsProfile as validate } from './operations-profiles.js';

const pairs = (states: readonly string[]) => states.flatMap((a, i) => states.slice(i).map((b) => ({ a, b, x: a })));
const profile = (changes: Partial<OperationsProfile> = {}): OperationsProfile => ({
  name: 'ops',
  available_states: ['A', 'B', 'C'],
  defaults: { down: 'B', missing: 'A', unknown: 'C' },
  operations: [
    { name: 'AND', truth_table: pairs(['A', 'B', 'C']) },
    { name: 'OR', truth_table: pairs(['A', 'B', 'C']) },
  ],
  ...changes,
});

describe('validation of operations profiles (status contract 4.3)', () => {
  it('accepts a complete profile', () => expect(validate(profile())).toEqual([]));
  it('accepts a profile without operations', () => expect(validate(profile({ operations: [] }))).toEqual([]));

  it('reports a state once per pair of equal states, in the order of the pairs', () => {
    const lines = validate(profile({ available_states: ['A', 'B', 'A', 'C', 'B', 'A'], operations: [] }));
    expect(lines).toEqual(['State:A is duplicated', 'State:A is duplicated', 'State:B is duplicated', 'State:A is duplicated']);
  });

  it('reports duplicate operations, and validates each of them', () => {
    const lines = validate(
      profile({
        operations: [
          { name: 'X', truth_table: pairs(['A', 'B', 'C']) },
          { name: 'X', truth_table: [] },
        ],
      }),
    );
    expect(lines).toEqual([
      'Operation:X is duplicated',
      'Not enough mentions of state:A in operation: X',
      'Not enough mentions of state:B in operation: X',
      'Not enough mentions of state:C in operation: X',
    ]);
  });

  it('requires defaults and all members of statements to be available states', () => {
    const lines = validate(
      profile({
        defaults: { down: 'D', missing: 'M', unknown: '' },
        operations: [{ name: 'AND', truth_table: [...pairs(['A', 'B', 'C']), { a: 'P', b: 'Q', x: 'R' }] }],
      }),
    );
    expect(lines).toEqual([
      'Default Down State: D not in available States',
      'Default Missing State: M not in available States',
      'Default Unknown State:  not in available States',
      'In Operation: AND, statement member a: P contains undeclared state',
      'In Operation: AND, statement member b: Q contains undeclared state',
      'In Operation: AND, statement member x: R contains undeclared state',
    ]);
  });

  it('counts mentions as a or b, twice if both are the same, never as x', () => {
    const table = [
      { a: 'A', b: 'A', x: 'C' },
      { a: 'B', b: 'A', x: 'C' },
      { a: 'B', b: 'B', x: 'C' },
    ];
    expect(validate(profile({ operations: [{ name: 'AND', truth_table: table }] }))).toEqual([
      'Not enough mentions of state:C in operation: AND',
    ]);
  });

  it('counts duplicate states in the threshold', () => {
    const enoughForTwo = [{ a: 'A', b: 'B', x: 'A' }];
    const defaults = { down: 'A', missing: 'A', unknown: 'B' };
    expect(validate(profile({ available_states: ['A', 'B'], defaults, operations: [{ name: 'AND', truth_table: enoughForTwo }] }))).toEqual(
      [],
    );
    expect(
      validate(profile({ available_states: ['A', 'B', 'A'], defaults, operations: [{ name: 'AND', truth_table: enoughForTwo }] })),
    ).toEqual([
      'State:A is duplicated',
      'Not enough mentions of state:A in operation: AND',
      'Not enough mentions of state:B in operation: AND',
    ]);
  });

  it('sorts the states of missing mentions by their bytes', () => {
    const states = ['b', 'a', 'Z', '\u{1F600}', '\uFFFD', 'é', '__proto__', 'constructor'];
    const lines = validate(
      profile({
        available_states: states,
        defaults: { down: 'a', missing: 'a', unknown: 'a' },
        operations: [{ name: 'O', truth_table: [] }],
      }),
    );
    const sorted = [...states].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
    expect(lines).toEqual(sorted.map((state) => `Not enough mentions of state:${state} in operation: O`));
  });

  it('requires no mentions if there are fewer than two states', () => {
    expect(
      validate(
        profile({
          available_states: ['A'],
          defaults: { down: 'A', missing: 'A', unknown: 'A' },
          operations: [{ name: 'O', truth_table: [] }],
        }),
      ),
    ).toEqual([]);
    expect(validate(profile({ available_states: [], operations: [{ name: 'O', truth_table: [] }] }))).toHaveLength(3);
  });

  it('does not judge operation names, symmetry, contradictions or repeated pairs', () => {
    const table = ['A,B', ' ', 'A,B'].map((x) => ({ a: 'A,B', b: ' ', x }));
    const defaults = { down: ' ', missing: ' ', unknown: 'A,B' };
    expect(validate(profile({ available_states: ['A,B', ' '], defaults, operations: [{ name: 'my own', truth_table: table }] }))).toEqual(
      [],
    );
  });

  it('reports the problems of the three passes in order', () => {
    const lines = validate(
      profile({
        available_states: ['A', 'B', 'A'],
        defaults: { down: 'A', missing: 'X', unknown: 'B' },
        operations: [{ name: 'AND', truth_table: [{ a: 'A', b: 'Y', x: 'A' }] }],
      }),
    );
    expect(lines).toEqual([
      'State:A is duplicated',
      'Default Missing State: X not in available States',
      'In Operation: AND, statement member b: Y contains undeclared state',
      'Not enough mentions of state:A in operation: AND',
      'Not enough mentions of state:B in operation: AND',
    ]);
  });

  it('validates a hostile profile in bounded time, with a bounded list of problems', () => {
    expect(validate(profile({ available_states: new Array(1_000).fill('A') }))).toHaveLength(10_000);
  });
});
