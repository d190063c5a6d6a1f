import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { againstOf, aroundChanges, type DiffRow, differenceOf, linesOf, wordsOf } from './difference.js';

const written = (rows: readonly DiffRow[]) =>
  rows.map(({ kind, before, after }) => `${kind} ${before?.number ?? '-'} ${after?.number ?? '-'} ${(after ?? before)?.text.trim()}`);

describe('The difference of two versions', () => {
  it('has what was changed side by side, and what was added or removed by itself', () => {
    const rows = differenceOf({ name: 'a', roles: ['x', 'y'] }, { name: 'b', roles: ['x', 'z', 'y'] });
    expect(written(rows)).toEqual([
      'same 1 1 {',
      'changed 2 2 "name": "b"',
      'same 3 3 "roles": [',
      'same 4 4 "x"',
      'added - 5 "z"',
      'same 5 6 "y"',
      'same 6 7 ]',
      'same 7 8 }',
    ]);
  });

  it('begins with nothing, and ends with nothing', () => {
    expect(written(differenceOf(null, { a: 1 }))).toEqual(['added - 1 {', 'added - 2 "a": 1', 'added - 3 }']);
    expect(written(differenceOf({ a: 1 }, null)).map((row) => row.split(' ')[0])).toEqual(['removed', 'removed', 'removed']);
    expect(differenceOf(null, null)).toEqual([]);
  });

  it('has every line of both sides once, in order', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        const rows = differenceOf(before, after);
        expect(rows.flatMap((row) => (row.before ? [row.before.text] : []))).toEqual(linesOf(before));
        expect(rows.flatMap((row) => (row.after ? [row.after.text] : []))).toEqual(linesOf(after));
        expect(rows.every(({ kind, before: old, after: fresh }) => (kind === 'same') === (old?.text === fresh?.text))).toBe(true);
      }),
    );
  });

  it('stays quick for values that have nothing in common', () => {
    const list = (first: number) => Array.from({ length: 20_000 }, (_, at) => first + at);
    expect(differenceOf(list(0), list(100_000))).toHaveLength(20_002);
  });

  it('shows three lines around a change', () => {
    const list = Array.from({ length: 20 }, (_, at) => at);
    const shown = aroundChanges(differenceOf(list, list.with(10, 99)));
    expect(shown.map((row) => (typeof row === 'number' ? row : row.kind[0])).join(' ')).toBe('8 s s s c s s s 7');
  });

  it('marks the words of a line that differ', () => {
    expect(wordsOf('"a": 0.5', '"a": 12')).toEqual([
      { kind: 'same', text: '"a": ' },
      { kind: 'removed', text: '0.5' },
      { kind: 'added', text: '12' },
    ]);
    const words = wordsOf('"text": "checks of all sites"', '"text": "checks of few sites"');
    expect(words.filter(({ kind }) => kind !== 'same')).toEqual([
      { kind: 'removed', text: 'all' },
      { kind: 'added', text: 'few' },
    ]);
  });

  it('is to the snapshot of the same day, else to the one before it by date', () => {
    const snapshots = { '2026-01-15': 'a', '2026-03-01': 'b' };
    expect(againstOf(snapshots, '2026-03-01')).toEqual({ day: '2026-03-01', value: 'b' });
    expect(againstOf(snapshots, '2026-02-01')).toEqual({ day: '2026-01-15', value: 'a' });
    expect(againstOf(snapshots, '2026-01-01')).toEqual({ day: null, value: null });
    expect(againstOf(null, '2026-01-01')).toEqual({ day: null, value: null });
  });
});
