import type { Day } from '#domain/shared/time.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { GroupDay, GroupSummary, ResultsDay } from '#domain/status/results/results.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import { byNames } from './names.js';
import type { Measures, PeriodRow, Series } from './series.js';

export type Info = Readonly<Record<string, string>>;

/** What one item of a level has on a day. `names`: what the level is ordered by; they identify the item. */
export type DayRow<Value> = Readonly<{ names: readonly string[]; value: Value; info?: Info | undefined }>;

/** What an item has in the periods of a call; `info` of its first day. */
export type Item = Readonly<{ names: readonly string[]; info: Info | undefined; rows: () => readonly PeriodRow[] }>;

/** Rows between two looks at the clock. */
const TOGETHER = 32;

/** Days with results, as {@link ReportReader} gives them. @throws DomainError `OVER_LIMIT` for more than an answer may take */
export async function* fewDays<Each>(days: AsyncIterable<Each>): AsyncGenerator<Each> {
  let count = 0;
  for await (const day of days) {
    if (++count > STATUS_LIMITS.daysPerAnswer.value) throw overLimit('daysPerAnswer');
    yield day;
  }
}

/** The items of a call, each with its series. */
class Items<Value extends Measures> {
  private readonly byKey = new Map<string, Readonly<{ names: readonly string[]; info: Info | undefined; series: Series<Value> }>>();
  private rows = 0;

  constructor(private readonly newSeries: () => Series<Value>) {}

  /** @throws DomainError `OVER_LIMIT` */
  add(day: Day, { names, value, info }: DayRow<Value>): void {
    const key = names.length === 1 ? (names[0] as string) : JSON.stringify(names);
    let item = this.byKey.get(key);
    if (!item) {
      item = { names, info, series: this.newSeries() };
      this.byKey.set(key, item);
    }
    if (item.series.add(day, value) && ++this.rows > STATUS_LIMITS.resultsPerAnswer.value) throw overLimit('resultsPerAnswer');
  }

  async inOrder(slice: TimeSlice): Promise<readonly Item[]> {
    const items = [...this.byKey.values()];
    await sortInSlices(items, byNames, slice);
    return items.map(({ names, info, series }) => ({ names, info, rows: series.rows }));
  }
}
