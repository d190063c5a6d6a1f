import { describe, expect, it } from '@jest/globals';
import stringWidth from 'string-width';
import { printable } from '#infra/platform/logging/printable.js';
import { WrongUsage } from './command-failed.js';
import { aligned, columnsOf, textOf } from './tables.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const lines = (...given: Parameters<typeof columnsOf>): readonly string[] => columnsOf(...given).split('\n');

describe('a table of the command line', () => {
  it('has columns as wide as their widest cell on a terminal, in whatever script', () => {
    const rows = [
      { name: 'a', position: 1, detail: null },
      { name: '日本', position: 22, detail: { wide: true } },
      { name: 'e\u0301te\u0301', position: 3, detail: 'two\nlines' },
    ];
    expect(lines(rows)).toEqual([
      'name  position  detail',
      'a     1         -',
      '日本  22        {"wide":true}',
      'e\u0301te\u0301   3         two\\nlines',
    ]);
    expect(columnsOf([])).toBe('none');
  });

  it('aligns numbers to the right where it is asked to', () => {
    const given = [
      ['collection', 'read'],
      ['プロジェクト', '7'],
      ['x', '1000'],
    ];
    expect(aligned(given, 1).split('\n')).toEqual(['collection    read', 'プロジェクト     7', 'x             1000']);
  });

  it('shows an object as a line for each member', () => {
    expect(textOf({ id: 'x', 名前: [1] })).toBe('id    x\n名前  [1]');
    expect(textOf('done')).toBe('done');
  });

  it('has the columns that are asked for, also parts of members, and says which there are', () => {
    const rows = [{ id: 'x', actor: { kind: 'key', id: 'k' } }, { id: 'y' }];
    expect(lines(rows, { columns: ['actor.id', 'id'] })).toEqual(['actor.id  id', 'k         x', '-         y']);
    expect(lines(rows, { preferred: ['time', 'id'] })).toEqual(['id', 'x', 'y']);
    expect(lines(rows, { columns: ['id', 'name'], preferred: ['name'] })).toEqual(['id  name', 'x   -', 'y   -']);
    expect(lines(rows, { columns: ['actor.name'] })).toEqual(['actor.name', '-', '-']);
    expect(() => columnsOf(rows, { columns: ['constructor'] })).toThrow(WrongUsage);
    expect(() => columnsOf(rows, { columns: ['id', 'colour'] })).toThrow(
      new WrongUsage('error: there is no column colour; there are id, actor'),
    );
  });

  it('shows short times and ids on a terminal, of ids so much that each is another one', () => {
    const rows = [
      { id: '6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60', time: '2026-03-01T08:09:50.577Z', seen: null },
      { id: '6f1c2a34-8d3e-4f3b-9a51-0c7d5e2b1f60', time: '2026-02-28T23:59:59.999Z', seen: '2026-03-01T00:00:00Z' },
    ];
    expect(lines(rows, { width: 100, now: NOW })).toEqual([
      'id             time               seen',
      '6f1c2a34-8d2…  08:09:50Z          -',
      '6f1c2a34-8d3…  2026-02-28 23:59Z  00:00:00Z',
    ]);
    expect(lines(rows, { now: NOW })[1]).toContain('6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60  2026-03-01T08:09:50.577Z');
  });

  it('fits on a terminal, in whatever script: the widest columns are cut, and the last ones have no room at last', () => {
    const rows = [{ name: 'プロジェクト'.repeat(5), description: 'x'.repeat(100), position: 1 }];
    for (const width of [120, 60, 40, 30]) {
      const shown = lines(rows, { width, now: NOW });
      for (const line of shown) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      expect(shown[0]).toMatch(/^name +descrip.* +position$/);
    }
    expect(lines(rows, { width: 10, now: NOW })).toEqual(['name', 'プロジ…']);
  });

  it.each([
    ['what would steer it', `\u001b]0;${'t'.repeat(500)}\u0007`],
    ['what takes no room', '\u200b'.repeat(100_000)],
    ['one letter with many marks', `a${'\u0301'.repeat(100_000)}`],
    ['turned text', { said: `\u202e${'\u009b'.repeat(300)}` }],
  ])('fits on a terminal whatever its callers chose: %s', (_what, name) => {
    for (const line of lines([{ name, id: 'x' }], { width: 60, now: NOW })) {
      expect(stringWidth(printable(line))).toBeLessThanOrEqual(60);
      expect(line.length).toBeLessThan(60 * 16);
    }
    expect(textOf({ name })).toBe(printable(textOf({ name })));
  });
});
