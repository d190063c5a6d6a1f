import type { Work } from '#api/status/work.js';
import type { Day } from '#domain/shared/time.js';
import type { TimeSlice } from '#domain/shared/time-slice.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { Measures } from '#domain/status/results/figures/periods.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import { ByNames, byNames } from './names.js';
import { type PeriodRow, type Rule, Series } from './series.js';

export type ItemInfo = Readonly<Record<string, string>>;

/** An item of a level on a day. `names` identify it and order the level. */
export type DayRow<Value> = Readonly<{ names: readonly string[]; value: Value; info?: ItemInfo | undefined }>;

/** An item with its rows in the periods of a call; `info`: of its first day. */
export type ResultItem = Readonly<{ names: readonly string[]; info: ItemInfo | undefined; rows: () => readonly PeriodRow[] }>;

/** An item while days are read. */
export type ItemSeries<Value extends Measures> = Readonly<{ names: readonly string[]; info: ItemInfo | undefined; series: Series<Value> }>;

/** A day from the reader of a report. */
export type DayResult = Readonly<{ day: Day }>;

/** The rows of a level on a day, and the rule that combines several days. */
export type Level<Result extends DayResult, Value extends Measures> = Readonly<{
  rowsOf: (result: Result) => Iterable<DayRow<Value>>;
  rule: Rule<Value>;
}>;

/** Reads a day in short steps. */
export type ResultReader<Result extends DayResult> = (result: Result) => Iterable<void>;

/** Maximum number of results of an answer. */
export const MOST_ROWS = STATUS_LIMITS.resultsPerAnswer.value;
/** Steps between two checks of the time. */
const TOGETHER = 32;

/** Reads days, each with all of these readers. Stops once the client is gone. @throws DomainError `OVER_LIMIT` too many days */
export const readDays = async <Result extends DayResult>(
  days: AsyncIterable<Result>,
  readings: readonly ResultReader<Result>[],
  work: Work,
): Promise<void> => {
  let [count, steps] = [0, 0];
  for await (const day of days) {
    if (work.isPointless) return;
    if (++count > STATUS_LIMITS.daysPerAnswer.value) throw overLimit('daysPerAnswer');
    for (const reading of readings)
      for (const _ of reading(day)) {
        if (++steps % TOGETHER === 0 && work.slice.isOver) await work.slice.next();
      }
  }
};

/** Items of one level. Rows beyond `most` are counted but not kept. */
export class Items<Result extends DayResult, Value extends Measures> {
  private readonly items = new ByNames<ItemSeries<Value>>();
  private rows = 0;

  constructor(
    private readonly level: Level<Result, Value>,
    private readonly most: number,
  ) {}

  get areTooMany(): boolean {
    return this.rows > this.most;
  }

  find(names: readonly string[]): ItemSeries<Value> | undefined {
    return this.items.get(names);
  }

  /** Adds the rows of days. `isWanted`: filter of items; default all. */
  reading(isWanted?: (names: readonly string[]) => boolean): ResultReader<Result> {
    const { level, add } = this;
    return function* (result) {
      for (const row of level.rowsOf(result)) {
        if (!isWanted || isWanted(row.names)) add(result.day, row);
        yield;
      }
    };
  }

  /** In the order of their names. */
  async inOrder(slice: TimeSlice): Promise<readonly ItemSeries<Value>[]> {
    const items = [...this.items.all];
    await sortInSlices(items, (left, right) => byNames(left.names, right.names), slice);
    return items;
  }

  private readonly add = (day: Day, { names, value, info }: DayRow<Value>): void => {
    let item = this.items.get(names);
    if (!item) {
      item = { names, info, series: new Series(this.level.rule) };
      if (this.areTooMany) item.series.forget();
      this.items.add(item);
    }
    if (!item.series.add(day, value)) return;
    this.rows++;
    if (this.rows === this.most + 1) for (const { series } of this.items.all) series.forget();
  };
}

/** A level with all its items in an answer. @throws DomainError `OVER_LIMIT` during the read */
export class WholeLevel<Result extends DayResult, Value extends Measures> {
  private readonly items: Items<Result, Value>;
  readonly reading: ResultReader<Result>;

  constructor(level: Level<Result, Value>) {
    const items = new Items(level, MOST_ROWS);
    const reading = items.reading();
    this.items = items;
    this.reading = function* (result) {
      for (const step of reading(result)) {
        if (items.areTooMany) throw overLimit('resultsPerAnswer');
        yield step;
      }
    };
  }

  async inOrder(slice: TimeSlice): Promise<readonly ResultItem[]> {
    return (await this.items.inOrder(slice)).map(({ names, info, series }) => ({ names, info, rows: () => series.rows() }));
  }
}

/** All items of a level. @throws DomainError `OVER_LIMIT` */
export const allItems = async <Result extends DayResult, Value extends Measures>(
  days: AsyncIterable<Result>,
  level: Level<Result, Value>,
  work: Work,
): Promise<readonly ResultItem[]> => {
  const whole = new WholeLevel(level);
  await readDays(days, [whole.reading], work);
  return whole.inOrder(work.slice);
};
