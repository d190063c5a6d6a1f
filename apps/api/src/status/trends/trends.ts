import { type DayResult, type ResultReader, readDays } from '#api/status/results/items.js';
import { byNames } from '#api/status/results/names.js';
import { monthOf } from '#api/status/results/series.js';
import type { Work } from '#api/status/work.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { byBytes } from '#domain/shared/text/text-order.js';
import type { TimeSlice } from '#domain/shared/time-slice.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { ListedMetric } from '#domain/status/metric-list/metric-list.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import type { TrendRow } from './trend-rows.js';

/** Sum of an item over the requested days. */
type TrendItem = { readonly names: readonly string[]; sum: number };

/** Items of one list, the largest sums first. Members by which the lists do not differ are `undefined`. */
export type TrendList = Readonly<{
  date: string | undefined;
  status: string | undefined;
  tag: string | undefined;
  items: readonly TrendItem[];
}>;

type Section = Readonly<{ date: string | undefined; status: string | undefined; byKey: Map<string, TrendItem> }>;

const MOST = STATUS_LIMITS.resultsPerAnswer.value;

const bySum = (left: TrendItem, right: TrendItem): number => right.sum - left.sum || byNames(left.names, right.names);

/** Sums of the rows of days by status and, if requested, by month. Sums of 0 are omitted. */
class TrendSums {
  private readonly sections = new Map<string, Section>();
  private items = 0;

  constructor(private readonly monthly: boolean) {}

  /** @throws DomainError `OVER_LIMIT` */
  add(day: string, { names, status, amount }: TrendRow): void {
    if (amount === 0) return;
    const items = this.sectionOf(this.monthly ? monthOf(day) : undefined, status);
    const key = JSON.stringify(names);
    const item = items.get(key);
    if (item) item.sum += amount;
    else if (++this.items > MOST) throw overLimit('resultsPerAnswer');
    else items.set(key, { names, sum: amount });
  }

  /** By month and status. */
  inOrder(): readonly Section[] {
    return [...this.sections.values()].sort(
      (left, right) => byBytes(left.date ?? '', right.date ?? '') || byBytes(left.status ?? '', right.status ?? ''),
    );
  }

  private sectionOf(date: string | undefined, status: string | undefined): Map<string, TrendItem> {
    const key = JSON.stringify([date, status]);
    return getOrInsert(this.sections, key, () => ({ date, status, byKey: new Map() })).byKey;
  }
}

/** Tags by metric, without duplicates. */
const tagsByMetric = (metrics: readonly ListedMetric[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const tags = new Map<string, Set<string>>();
  for (const metric of metrics) {
    const known = tags.get(metric.name) ?? new Set();
    for (const tag of metric.tags) known.add(tag);
    tags.set(metric.name, known);
  }
  return tags;
};

/** Divides items by the tags of their metrics; the order stays the same. @throws DomainError `OVER_LIMIT` */
const byTag = async (
  items: readonly TrendItem[],
  tags: ReadonlyMap<string, ReadonlySet<string>>,
  slice: TimeSlice,
  counted: { rows: number },
): Promise<readonly (readonly [tag: string, items: readonly TrendItem[]])[]> => {
  const lists = new Map<string, TrendItem[]>();
  for (const item of items) {
    for (const tag of tags.get(item.names.at(-1) ?? '') ?? []) {
      if (++counted.rows > MOST) throw overLimit('resultsPerAnswer');
      getOrInsert(lists, tag, () => []).push(item);
    }
    if (slice.isOver) await slice.next();
  }
  const sorted = [...lists];
  await sortInSlices(sorted, ([left], [right]) => byBytes(left, right), slice);
  return sorted;
};

/** Grouping of the rows of days. `metrics`: their tags divide the lists; absent if lists are not divided. */
type TrendOptions = Readonly<{ monthly: boolean; top: number | undefined; metrics?: readonly ListedMetric[] | undefined }>;

/** Trends over days, in lists by date, status and tag (results contract 12.7). @throws DomainError `OVER_LIMIT` */
export const trendLists = async <Result extends DayResult>(
  days: AsyncIterable<Result>,
  rowsOf: (day: Result) => Iterable<TrendRow>,
  { monthly, top, metrics }: TrendOptions,
  work: Work,
): Promise<readonly TrendList[]> => {
  const { slice } = work;
  const sums = new TrendSums(monthly);
  const reading: ResultReader<Result> = function* (result) {
    for (const row of rowsOf(result)) yield sums.add(result.day, row);
  };
  await readDays(days, [reading], work);
  const tags = metrics && tagsByMetric(metrics);
  const counted = { rows: 0 };
  const lists: TrendList[] = [];
  for (const { date, status, byKey } of sums.inOrder()) {
    const items = [...byKey.values()];
    await sortInSlices(items, bySum, slice);
    const divided = tags ? await byTag(items, tags, slice, counted) : ([[undefined, items]] as const);
    for (const [tag, list] of divided) lists.push({ date, status, tag, items: list.slice(0, top) });
  }
  return lists;
};
