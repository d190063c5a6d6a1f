import type { Page } from '#api/status/paging.js';
import type { Work } from '#api/status/work.js';
import { overLimit } from '#domain/status/limits.js';
import type { Measures } from '#domain/status/results/figures/periods.js';
import { type DayResult, type ItemSeries, Items, type Level, MOST_ROWS, type ResultItem, readDays } from './items.js';

/** Items with rows on a page, and these rows; `next`: first row of the next page, if there is one. */
type ItemsOnPage = Readonly<{ items: readonly ResultItem[]; next: number | undefined }>;

/** Rows of an item on a page: `from` the first, `to` after the last. */
type RowRange<Value extends Measures> = Readonly<{ item: ItemSeries<Value>; from: number; to: number }>;

const rowRangesOf = <Value extends Measures>(
  items: readonly ItemSeries<Value>[],
  start: number,
  end: number,
): readonly RowRange<Value>[] => {
  let before = 0;
  return items.flatMap((item) => {
    const [from, to] = [Math.max(0, start - before), Math.min(item.series.count, end - before)];
    before += item.series.count;
    return from < to ? [{ item, from, to }] : [];
  });
};

/** Reads the rows of these items again. */
const readAgain = async <Result extends DayResult, Value extends Measures>(
  days: AsyncIterable<Result>,
  level: Level<Result, Value>,
  ranges: readonly RowRange<Value>[],
  work: Work,
): Promise<Items<Result, Value>> => {
  const wanted = new Set(ranges.map(({ item }) => JSON.stringify(item.names)));
  // The rows of the page, and those of its first and last item that are not on it.
  const again = new Items(level, Number.POSITIVE_INFINITY);
  await readDays(days, [again.reading((names) => wanted.has(JSON.stringify(names)))], work);
  return again;
};

/**
 * One page of the items of a level (results contract 12.6). If all of them together have too many rows, they are counted first, and the
 * rows of the page are read afterwards.
 * @throws DomainError `OVER_LIMIT` if the page itself has too many rows
 */
export const itemsOnPage = async <Result extends DayResult, Value extends Measures>(
  days: () => AsyncIterable<Result>,
  level: Level<Result, Value>,
  { offset, size }: Page,
  work: Work,
): Promise<ItemsOnPage> => {
  const all = new Items(level, MOST_ROWS);
  await readDays(days(), [all.reading()], work);
  const inOrder = await all.inOrder(work.slice);
  const rows = inOrder.reduce((sum, { series }) => sum + series.count, 0);
  const end = Math.min(rows, size === undefined ? rows : offset + size);
  if (end - offset > MOST_ROWS) throw overLimit('resultsPerAnswer');
  const ranges = rowRangesOf(inOrder, offset, end);
  const kept = all.areTooMany ? await readAgain(days(), level, ranges, work) : all;
  const items = ranges.map(({ item: { names, info }, from, to }) => ({
    names,
    info,
    rows: () => kept.find(names)?.series.rows().slice(from, to) ?? [],
  }));
  return { items, next: end < rows ? end : undefined };
};
