import { describe, expect, it } from '@jest/globals';
import { lengthsOf, spansOf } from '../../charts/spans.js';
import { daysBetween } from './load.js';
import { isKnown, levelOf, worstFirst } from './rows.js';

describe('What a picture of states shows', () => {
  const steps = [
    { at: 0, state: 'OK' },
    { at: 10, state: 'OK' },
    { at: 20, state: 'CRITICAL' },
    { at: 20, state: 'WARNING' },
    { at: 30, state: 'OK' },
  ];

  it('is a span for each state that held for a while, within the picture', () => {
    expect(spansOf(steps, 5, 40)).toEqual([
      { from: 5, to: 20, state: 'OK' },
      { from: 20, to: 30, state: 'WARNING' },
      { from: 30, to: 40, state: 'OK' },
    ]);
    expect(spansOf([], 0, 10)).toEqual([]);
    expect(lengthsOf(spansOf(steps, 5, 40))).toEqual([
      ['OK', 25],
      ['WARNING', 10],
    ]);
  });

  it.each([
    [100, 4],
    [99.9, 4],
    [99.89, 3],
    [95, 2],
    [90, 1],
    [0, 0],
    [-1, null],
    [null, null],
  ])('shades %s as %s', (figure, level) => expect(levelOf(figure)).toBe(level));

  it('has the group with the worst month first, of equal ones by name, and those of which nothing is known last', () => {
    const both = (availability: string) => ({ availability, reliability: '100' });
    /** Figures of two months, each with a day of the figure that the month has or of another one. */
    const of = (october: string, november = october, day = october) =>
      new Map([
        ['2026-10', both(october)],
        ['2026-11', both(november)],
        ['2026-10-31', both(day)],
        ['2026-11-01', both(november)],
      ]);
    const figures = new Map([
      ['A', of('99')],
      ['B', new Map()],
      ['C', of('100', '12.5')],
      ['D', of('99', '99.9')],
      ['E', new Map([...of('0', '0', '-1'), ['2026-11-01', both('-1')]])],
      ['F', of('0', '99.5', '-1')],
    ]);
    const found = { groups: [...figures.keys()], days: [], months: ['2026-10', '2026-11'], figures };
    expect(worstFirst(found, 'availability')).toEqual(['C', 'A', 'D', 'F', 'B', 'E']);
    expect(worstFirst(found, 'reliability')).toEqual(['A', 'C', 'D', 'E', 'F', 'B']);
    expect(['2026-10', '2026-11', '2026-11-01'].map((column) => isKnown(figures.get('F'), column, 'availability'))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('has at most the last 92 days, and none of what are no days', () => {
    expect(daysBetween('2026-02-27', '2026-03-01')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(daysBetween('0001-01-01', '2026-03-01')).toHaveLength(92);
    expect(daysBetween('2026-03-02', '2026-03-01')).toEqual([]);
    expect(daysBetween('', 'x')).toEqual([]);
  });
});
