import { describe, expect, it } from '@jest/globals';
import { aligned, columnsOf, textOf } from './tables.js';

describe('a table of the command line', () => {
  it('has columns as wide as their widest cell on a terminal, in whatever script', () => {
    const rows = [
      { name: 'a', position: 1, detail: null },
      { name: '日本', position: 22, detail: { wide: true } },
      { name: 'e\u0301te\u0301', position: 3, detail: 'two\nlines' },
    ];
    expect(columnsOf(rows).split('\n')).toEqual([
      'name  position  detail',
      'a     1         -',
      '日本  22        {"wide":true}',
      'e\u0301te\u0301   3         two\\nlines',
    ]);
    expect(columnsOf([])).toBe('none');
  });

  it('aligns numbers to the right where it is asked to', () => {
    const lines = [
      ['collection', 'read'],
      ['プロジェクト', '7'],
      ['x', '1000'],
    ];
    expect(aligned(lines, 1).split('\n')).toEqual(['collection    read', 'プロジェクト     7', 'x             1000']);
  });

  it('shows an object as a line for each member', () => {
    expect(textOf({ id: 'x', 名前: [1] })).toBe('id    x\n名前  [1]');
    expect(textOf({ items: [{ id: 'x' }] })).toBe('id\nx');
    expect(textOf('done')).toBe('done');
  });
});
