import { describe, expect, it } from '@jest/globals';
import { lengthsOf, spansOf } from '../../charts/spans.js';
import { daysBetween, type Explanation } from './load.js';
import { allOkText, isKnown, levelOf, markOf, pointRows, worstFirst } from './rows.js';
import { percentOf } from './sum.js';

type PointOf = Explanation['endpoints'][number]['metrics'][number]['points'][number];

describe('Points behind a figure', () => {
  const point = (at: string, status: string, more: Partial<PointOf> = {}): PointOf => ({
    at: `2026-03-01T${at}:00.000Z`,
    status,
    use: 'counts',
    shown: status,
    event: null,
    item: 0,
    ...more,
  });
  const notable = (previous: string, points: readonly PointOf[]) => {
    const metric = { metric: 'http', previous: { at: '2026-02-28T23:00:00.000Z', status: previous }, points: [...points] };
    const endpoint = { service: 'web', host: 'h1.example.org', metrics: [metric] };
    return pointRows([endpoint]).map(({ at, isNotable }) => [at.slice(11, 16), isNotable]);
  };

  it('are notable when they change the status: the one that ends an outage, too, and no OK that was carried over', () => {
    const points = [
      point('00:00', 'OK'),
      point('06:00', 'CRITICAL'),
      point('06:01', 'CRITICAL'),
      point('06:02', 'OK'),
      point('06:03', 'OK'),
    ];
    expect(notable('OK', points)).toEqual([
      ['00:00', false],
      ['06:00', true],
      ['06:01', false],
      ['06:02', true],
      ['06:03', false],
    ]);
    expect(notable('MISSING', points.slice(0, 1))).toEqual([['00:00', true]]);
  });

  it('are notable when they do not count, without an effect on those that follow, or are shown as another status', () => {
    const points = [point('06:00', 'CRITICAL', { use: 'superseded' }), point('06:01', 'OK'), point('06:02', 'WARNING', { shown: 'OK' })];
    expect(notable('OK', points)).toEqual([
      ['06:00', true],
      ['06:01', false],
      ['06:02', true],
    ]);
  });
});

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

  it.each([
    [1, '93.999', '94'],
    [1, '93.99', '93'],
    [3, '99.8999', '99'],
    [0, '0', '0'],
    [4, '99.9', ''],
    [null, '-1', ''],
  ])('marks a cell of level %s and figure %s, as it is shown, with "%s"', (level, figure, mark) =>
    expect(markOf(level, percentOf(figure))).toBe(mark),
  );

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

it.each([
  [1, true, 'The one group is OK now'],
  [1, false, 'The one other group is OK now'],
  [40, true, 'All 40 groups are OK now'],
  [2, false, 'All 2 other groups are OK now'],
])('%s groups, all of them: %s, are “%3$s”', (groups, areAll, text) => expect(allOkText(groups, areAll)).toBe(text));
