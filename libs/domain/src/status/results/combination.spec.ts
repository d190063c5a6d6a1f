import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Operation } from '#domain/status/dated-records/operations-profiles.js';
import { forAny } from '#test/support/for-any.js';
import { at, PROFILE_V, shown } from '#test/support/results/plans.js';
import { combinationOf, foldTimelines } from './combination.js';
import { foldInTree } from './fold-tree.js';
import { append, type StatusStep, type Timeline } from './timeline.js';

const withTable = (truth_table: Operation['truth_table']) => combinationOf({ ...PROFILE_V, operations: [{ name: 'X', truth_table }] }, 'X');

describe('truth tables (results contract 5)', () => {
  it('are symmetric', () => {
    const of = withTable([{ a: 'OK', b: 'WARNING', x: 'CRITICAL' }]);
    expect([of('OK', 'WARNING'), of('WARNING', 'OK')]).toEqual(['CRITICAL', 'CRITICAL']);
  });

  it('are overridden by later rows, including those in the other order', () => {
    const of = withTable([
      { a: 'OK', b: 'WARNING', x: 'CRITICAL' },
      { a: 'WARNING', b: 'OK', x: 'OK' },
    ]);
    expect([of('OK', 'WARNING'), of('WARNING', 'OK')]).toEqual(['OK', 'OK']);
  });

  it('combine a pair without a row to the status of both, or to unknown', () => {
    const of = withTable([]);
    expect([of('OK', 'OK'), of('OK', 'WARNING')]).toEqual(['OK', 'UNKNOWN']);
  });

  it('may combine two equal statuses to another one', () =>
    expect(withTable([{ a: 'OK', b: 'OK', x: 'WARNING' }])('OK', 'OK')).toBe('WARNING'));

  it('combine to unknown if the operation does not exist', () => {
    const of = combinationOf(PROFILE_V, 'XOR');
    expect([of('OK', 'OK'), of('OK', 'WARNING')]).toEqual(['OK', 'UNKNOWN']);
  });

  it('ignore EXCLUDED', () => {
    const of = combinationOf(PROFILE_V, 'AND');
    expect([of('EXCLUDED', 'OK'), of('OK', 'EXCLUDED'), of('EXCLUDED', 'EXCLUDED')]).toEqual(['OK', 'OK', 'EXCLUDED']);
  });
});

const timeline = (...steps: readonly (readonly [string, string])[]): Timeline => steps.map(([time, status]) => ({ at: at(time), status }));

describe('combined timelines (results contract 5)', () => {
  const and = combinationOf(PROFILE_V, 'AND');

  it('equal a single input, without using the table', () => {
    const odd = withTable([{ a: 'OK', b: 'OK', x: 'WARNING' }]);
    expect(shown(foldTimelines([timeline(['00:00', 'OK'])], odd))).toEqual(['00:00:00 OK']);
  });

  it('change where an input changes the result; equal neighbours are merged', () => {
    const one = timeline(['00:00', 'OK'], ['06:00', 'WARNING'], ['09:00', 'OK']);
    const other = timeline(['00:00', 'OK'], ['05:00', 'CRITICAL'], ['08:00', 'OK']);
    expect(shown(foldTimelines([one, other], and))).toEqual(['00:00:00 OK', '05:00:00 CRITICAL', '08:00:00 WARNING', '09:00:00 OK']);
  });

  it('are folded in the order of the inputs', () => {
    const odd = withTable([
      { a: 'OK', b: 'WARNING', x: 'CRITICAL' },
      { a: 'CRITICAL', b: 'OK', x: 'OK' },
      { a: 'WARNING', b: 'CRITICAL', x: 'MISSING' },
      { a: 'OK', b: 'MISSING', x: 'DOWNTIME' },
    ]);
    const inputs = ['OK', 'WARNING', 'OK', 'OK'].map((status) => timeline(['00:00', status]));
    expect(shown(foldTimelines(inputs, odd))).toEqual(['00:00:00 OK']);
    expect(shown(foldTimelines(inputs.slice(0, 2).toReversed(), odd))).toEqual(['00:00:00 CRITICAL']);
    expect(shown(foldTimelines([inputs[1]!, inputs[0]!, inputs[1]!], odd))).toEqual(['00:00:00 MISSING']);
  });

  it('are the same for many inputs and any table', async () => {
    const statuses = fc.constantFrom('OK', 'WARNING', 'CRITICAL', 'EXCLUDED');
    const tables = fc.array(fc.record({ a: statuses, b: statuses, x: statuses }), { maxLength: 12 });
    const step = fc.record({ at: fc.integer({ min: 1, max: 50 }), status: statuses });
    const inputs = fc.array(fc.array(step, { maxLength: 8 }), { minLength: 17, maxLength: 40, size: 'max' });
    await forAny(100, tables, inputs, (rows, all) => {
      const operation = withTable(rows);
      const timelines = all.map((steps) => {
        const found: StatusStep[] = [{ at: 0, status: 'OK' }];
        for (const { at: second, status } of steps.sort((one, other) => one.at - other.at)) append(found, second, status);
        return found;
      });
      const oneByOne = timelines.slice(1).reduce<Timeline>((folded, next) => foldTimelines([folded, next], operation), timelines[0]!);
      expect(foldTimelines(timelines, operation)).toEqual(oneByOne);
      expect(foldInTree(timelines, operation, 20)).toEqual(oneByOne); // in several trees
    });
  });
});
