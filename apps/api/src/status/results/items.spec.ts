import { describe, expect, it } from '@jest/globals';
import { Work } from '#api/status/work.js';
import type { Day } from '#domain/shared/time.js';
import { type Measures, sumOfFigures, sumOfMeans } from '#domain/status/results/figures/periods.js';
import type { Figures } from '#domain/status/results/results.js';
import { allItems, type Level, MOST_ROWS } from './items.js';
import { itemsOnPage } from './items-on-page.js';
import type { Granularity } from './period-query.js';

/** Items with their measures on a day. */
type GivenDay<Value> = Readonly<{ day: Day; items: Readonly<Record<string, Value>>; info?: string }>;

async function* daysOf<Value>(days: readonly GivenDay<Value>[]): AsyncGenerator<GivenDay<Value>> {
  yield* days;
}

const levelOf = <Value extends Measures>(
  granularity: Granularity,
  newSum: Level<GivenDay<Value>, Value>['rule']['newSum'],
): Level<GivenDay<Value>, Value> => ({
  *rowsOf({ items, info }) {
    for (const [name, value] of Object.entries(items))
      yield { names: name.split('/'), value, info: info === undefined ? undefined : { ID: info } };
  },
  rule: { granularity, newSum },
});

const figures = (availability: number, reliability: number, unknown: number, uptime: number, downtime: number): Figures => ({
  availability,
  reliability,
  unknown,
  uptime,
  downtime,
});
const [V13, V14] = [figures(98.26389, 98.26389, 0, 0.98264, 0), figures(54.03509, 81.48148, 0.01042, 0.53472, 0.33333)];
const UP = figures(100, 100, 0, 1, 0);
const NONE = figures(-1, -1, 1, 0, 0);

const itemsOf = async <Value extends Measures>(level: Level<GivenDay<Value>, Value>, ...days: readonly GivenDay<Value>[]) =>
  (await allItems(daysOf(days), level, new Work())).map(({ names, rows }) => [
    names.join('/'),
    rows().map(({ label, measures }) => [label, measures]),
  ]);

describe('periods', () => {
  const days: readonly GivenDay<Figures>[] = [
    { day: '2015-06-22', items: { a: V13 } },
    { day: '2015-06-23', items: { a: V14, b: UP } },
    { day: '2015-07-01', items: { a: UP } },
  ];
  const both = figures(76.26534166743393, 91.61418757296076, 0.00521, 0.75868, 0.166665);
  const whole = figures(99.99999900000002, 99.99999900000002, 0, 1, 0);

  it('of days are the days', async () =>
    expect(await itemsOf(levelOf('daily', sumOfFigures), ...days)).toEqual([
      [
        'a',
        [
          ['2015-06-22', V13],
          ['2015-06-23', V14],
          ['2015-07-01', UP],
        ],
      ],
      ['b', [['2015-06-23', UP]]],
    ]));

  it('of months are those of vectors 15 and 16, to the last digit', async () =>
    expect(await itemsOf(levelOf('monthly', sumOfFigures), ...days)).toEqual([
      [
        'a',
        [
          ['2015-06', both],
          ['2015-07', whole],
        ],
      ],
      ['b', [['2015-06', whole]]],
    ]));

  it('of all days are one', async () => {
    expect(await itemsOf(levelOf('custom', sumOfFigures), ...days.slice(0, 2))).toEqual([
      ['a', [[undefined, both]]],
      ['b', [[undefined, whole]]],
    ]);
    const unknown = { day: '2015-06-24', items: { a: NONE } };
    expect(await itemsOf(levelOf('custom', sumOfFigures), unknown)).toEqual([['a', [[undefined, figures(0, 0, 1, 0, 0)]]]]);
  });

  it('of groups of groups leave out what is not known, each measure by itself', async () => {
    const day = (date: Day, availability: number, reliability: number) => ({ day: date, items: { a: { availability, reliability } } });
    const level = (granularity: Granularity) => levelOf<Measures>(granularity, sumOfMeans);
    const [first, second] = [day('2015-06-22', 93.75, 90), day('2015-06-23', -1, 80)];
    expect(await itemsOf(level('custom'), first, second)).toEqual([['a', [[undefined, { availability: 93.75, reliability: 85 }]]]]);
    expect(await itemsOf(level('monthly'), day('2015-06-22', -1, -1))).toEqual([
      ['a', [['2015-06', { availability: -1, reliability: -1 }]]],
    ]);
  });
});

describe('items', () => {
  it('come by their names, however days name them, with the info of their first day', async () => {
    const level = levelOf('custom', sumOfFigures);
    const days: readonly GivenDay<Figures>[] = [
      { day: '2015-06-22', items: { 'b/a': UP, 'a/b': UP }, info: 'first' },
      { day: '2015-06-23', items: { 'a/a': UP, 'a/b': UP, 'a/\u{1f600}': UP, 'a/\uffee': UP }, info: 'second' },
    ];
    const items = await allItems(daysOf(days), level, new Work());
    expect(items.map(({ names, info }) => [names.join('/'), info?.ID])).toEqual([
      ['a/a', 'second'],
      ['a/b', 'first'],
      ['a/\uffee', 'second'],
      ['a/\u{1f600}', 'second'],
      ['b/a', 'first'],
    ]);
  });

  it('on a page have the rows of the page, an item cut by it goes on', async () => {
    const days = ['2015-06-22', '2015-06-23', '2015-06-24'].map((day) => ({ day, items: { b: V13, a: UP } }));
    const page = async (offset: number, size: number | undefined) => {
      const { items, next } = await itemsOnPage(() => daysOf(days), levelOf('daily', sumOfFigures), { offset, size }, new Work());
      return [items.map(({ names, rows }) => `${names}: ${rows().map(({ label }) => label?.slice(8))}`), next];
    };
    expect(await page(0, 2)).toEqual([['a: 22,23'], 2]);
    expect(await page(2, 2)).toEqual([['a: 24', 'b: 22'], 4]);
    expect(await page(4, 2)).toEqual([['b: 23,24'], undefined]);
    expect(await page(5, undefined)).toEqual([['b: 24'], undefined]);
    expect(await page(6, 2)).toEqual([[], undefined]);
    expect(await page(1_000, 1)).toEqual([[], undefined]);
  });

  it('are not read once nobody waits for them', async () => {
    const read: Day[] = [];
    const days = async function* (): AsyncGenerator<GivenDay<Figures>> {
      for (const day of ['2015-06-22', '2015-06-23', '2015-06-24']) {
        read.push(day);
        yield { day, items: { a: UP } };
      }
    };
    await allItems(days(), levelOf('daily', sumOfFigures), new Work(() => read.length > 1));
    expect(read).toEqual(['2015-06-22', '2015-06-23']);
  });

  it('with too many rows for an answer come in pages only', async () => {
    const names = Array.from({ length: MOST_ROWS / 100 + 1 }, (_, index) => `n${String(index).padStart(5, '0')}`);
    const items = Object.fromEntries(names.map((name) => [name, UP]));
    const days = Array.from({ length: 100 }, (_, index) => ({ day: new Date(index * 86_400_000).toISOString().slice(0, 10), items }));
    const level = levelOf<Figures>('daily', sumOfFigures);
    await expect(allItems(daysOf(days), level, new Work())).rejects.toMatchObject({ code: 'OVER_LIMIT' });
    await expect(itemsOnPage(() => daysOf(days), level, { offset: 0, size: undefined }, new Work())).rejects.toMatchObject({
      code: 'OVER_LIMIT',
    });
    const { items: last, next } = await itemsOnPage(() => daysOf(days), level, { offset: MOST_ROWS - 1, size: 50 }, new Work());
    expect(last.map(({ names: [name], rows }) => [name, rows().length])).toEqual([
      [names.at(-2), 1],
      [names.at(-1), 49],
    ]);
    expect(next).toBe(MOST_ROWS + 49);
  });
});
