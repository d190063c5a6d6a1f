import type { Day } from '#domain/shared/time.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import { byNames } from './names.js';
import type { Page } from './paging.js';
import { type Measures, type PeriodRow, type Rule, Series } from './series.js';

export type Info = Readonly<Record<string, string>>;

/** What one item of a level has on a day. `names`: what the level is ordered by; they identify the item. */
export type DayRow<Value> = Readonly<{ names: readonly string[]; value: Value; info?: Info | undefined }>;

/** What an item has in the periods of a call; `info` of its first day. */
export type Item = Readonly<{ names: readonly string[]; info: Info | undefined; rows: () => readonly PeriodRow[] }>;

/** The days of a call: may be read more than once. `rowsOf`: the rows of one of them. */
export type Source<Result extends Readonly<{ day: Day }>, Value extends Measures> = Readonly<{
  days: () => AsyncIterable<Result>;
  rowsOf: (result: Result) => Iterable<DayRow<Value>>;
  rule: Rule<Value>;
}>;

type Kept<Value extends Measures> = Readonly<{ names: readonly string[]; info: Info | undefined; series: Series<Value> }>;

const MOST_ROWS = STATUS_LIMITS.resultsPerAnswer.value;
/** Rows between two looks at the clock. */
const TOGETHER = 32;

/** Days with results. @throws DomainError `OVER_LIMIT` for more than an answer may be made of */
export async function* limitedDays<Each>(days: AsyncIterable<Each>): AsyncGenerator<Each> {
  let count = 0;
  for await (const day of days) {
    if (++count > STATUS_LIMITS.daysPerAnswer.value) throw overLimit('daysPerAnswer');
    yield day;
  }
}

const keyOf = (names: readonly string[]): string => JSON.stringify(names);

/** Reads all rows of the days, in slices of time. */
async function eachRow<Result extends Readonly<{ day: Day }>, Value extends Measures>(
  { days, rowsOf }: Source<Result, Value>,
  take: (day: Day, row: DayRow<Value>) => void,
  slice: TimeSlice,
): Promise<void> {
  let count = 0;
  for await (const result of limitedDays(days())) {
    for (const row of rowsOf(result)) {
      take(result.day, row);
      if (++count % TOGETHER === 0 && slice.isOver) await slice.next();
    }
  }
}

/** Items by key. If there are more rows than `most`, they are counted, but not kept. */
class Items<Value extends Measures> {
  readonly byKey = new Map<string, Kept<Value>>();
  private rows = 0;

  constructor(
    private readonly rule: Rule<Value>,
    private readonly most: number,
  ) {}

  get areTooMany(): boolean {
    return this.rows > this.most;
  }

  add(day: Day, { names, value, info }: DayRow<Value>): void {
    const key = keyOf(names);
    let item = this.byKey.get(key);
    if (!item) {
      item = { names, info, series: new Series(this.rule) };
      if (this.areTooMany) item.series.forget();
      this.byKey.set(key, item);
    }
    if (!item.series.add(day, value)) return;
    this.rows++;
    if (this.rows === this.most + 1) for (const { series } of this.byKey.values()) series.forget();
  }

  async inOrder(slice: TimeSlice): Promise<readonly Kept<Value>[]> {
    const items = [...this.byKey.values()];
    await sortInSlices(items, (left, right) => byNames(left.names, right.names), slice);
    return items;
  }
}

const itemOf = ({ names, info, series }: Kept<Measures>): Item => ({ names, info, rows: () => series.rows() });

/** All items of a call in the order of their names. @throws DomainError `OVER_LIMIT` */
export const allItems = async <Result extends Readonly<{ day: Day }>, Value extends Measures>(
  source: Source<Result, Value>,
): Promise<readonly Item[]> => {
  const slice = new TimeSlice();
  const items = new Items(source.rule, MOST_ROWS);
  await eachRow(
    source,
    (day, row) => {
      items.add(day, row);
      if (items.areTooMany) throw overLimit('resultsPerAnswer');
    },
    slice,
  );
  return (await items.inOrder(slice)).map(itemOf);
};

/** Items whose rows are on a page, with these rows; `next`: the first row of the page after it, if there is one. */
export type ItemsOnPage = Readonly<{ items: readonly Item[]; next: number | undefined }>;

/** Of an item that a page shows: the first of its rows there, and the one after the last. */
type Stretch<Value extends Measures> = Readonly<{ item: Kept<Value>; from: number; to: number }>;

const stretchesOf = <Value extends Measures>(items: readonly Kept<Value>[], start: number, end: number): Stretch<Value>[] => {
  let before = 0;
  return items.flatMap((item) => {
    const [from, to] = [Math.max(0, start - before), Math.min(item.series.count, end - before)];
    before += item.series.count;
    return from < to ? [{ item, from, to }] : [];
  });
};

/**
 * One page of the items of a call. If all of them together have too many rows, they are counted first and those of the page are read afterwards.
 * @throws DomainError `OVER_LIMIT` if the page has too many rows itself
 */
export const itemsOnPage = async <Result extends Readonly<{ day: Day }>, Value extends Measures>(
  source: Source<Result, Value>,
  { offset, size }: Page,
): Promise<ItemsOnPage> => {
  const slice = new TimeSlice();
  const all = new Items(source.rule, MOST_ROWS);
  await eachRow(source, (day, row) => all.add(day, row), slice);
  const inOrder = await all.inOrder(slice);
  const rows = inOrder.reduce((sum, { series }) => sum + series.count, 0);
  const end = Math.min(rows, size === undefined ? rows : offset + size);
  if (end - offset > MOST_ROWS) throw overLimit('resultsPerAnswer');
  const stretches = stretchesOf(inOrder, offset, end);
  const kept = all.areTooMany ? await keptAgain(source, stretches, slice) : all.byKey;
  const items = stretches.map(({ item, from, to }) => {
    const rowsOf = () => (kept.get(keyOf(item.names))?.series.rows() ?? []).slice(from, to);
    return { names: item.names, info: item.info, rows: rowsOf };
  });
  return { items, next: end < rows ? end : undefined };
};

/** Reads the rows of these items once more. */
const keptAgain = async <Result extends Readonly<{ day: Day }>, Value extends Measures>(
  source: Source<Result, Value>,
  stretches: readonly Stretch<Value>[],
  slice: TimeSlice,
): Promise<ReadonlyMap<string, Kept<Value>>> => {
  const wanted = new Set(stretches.map(({ item }) => keyOf(item.names)));
  const again = new Items(source.rule, Number.POSITIVE_INFINITY); // those of a page, and the rest of its first and last item
  const take = (day: Day, row: DayRow<Value>) => {
    if (wanted.has(keyOf(row.names))) again.add(day, row);
  };
  await eachRow(source, take, slice);
  return again.byKey;
};
