import type { Decimal } from '#domain/accounting/decimal.js';
import { lastDayBefore } from '#domain/accounting/metrics/instants.js';
import { documentsInEach } from '#projections/accounting/document-batches.js';
import { METRICS_READ_MODEL, metrics } from '#projections/accounting/metrics/documents.js';
import {
  bucketsByDay,
  bucketsByMonth,
  DAY,
  days,
  daysKey,
  MONTH,
  measures,
  memberSeriesKey,
  monthIn,
  monthKey,
  months,
} from '#projections/accounting/metrics/sums.js';
import { keyOf } from '#projections/shared/key-part.js';
import { PAGE, type Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import type { KeyRange, StoredDocument } from '#projections/shared/read-store.js';
import { SpanSums, type SumQuery } from './span-sums.js';

export type { Span, SumQuery } from './span-sums.js';

/** Ranges that are read together, and documents of each in the first read: five years of months. */
const AT_ONCE = 64;
const FIRST = 60;
/** Documents that are taken without a pause. */
const TAKEN_AT_ONCE = 100;

/** Sums and the key range of their documents. */
type SumsRequest = Readonly<{ sums: SpanSums; range: Pick<KeyRange, 'gte' | 'lte' | 'lt'> }>;
/** Sums and the months in which metrics began and ended that have to be read by days. */
type DaysRequest = Readonly<{ sums: SpanSums; firstMonth: string; lastMonth: string }>;

/** Range of the months in which metrics of the query may have begun. */
const monthsOf = (query: SumQuery): SumsRequest['range'] => {
  const { spans } = query;
  const [from, to] = [spans[0]?.from ?? '', spans.at(-1)?.to ?? ''];
  const prefix = memberSeriesKey(query);
  return { gte: `${prefix}/${monthKey(from.slice(0, MONTH))}`, lte: `${prefix}/${monthKey(lastDayBefore(to).slice(0, MONTH))}` };
};

/** Adds the sums of days. `single`: gets the days whose metrics have to be read one by one. */
const addDays = ({ sums, firstMonth, lastMonth }: DaysRequest, lines: string, single: SumsRequest[]): void => {
  const { projectId, series } = sums.query;
  for (const [firstDay, buckets] of bucketsByDay(lines, { firstMonth, lastMonth }))
    for (const lastDay of sums.addBuckets(firstDay, buckets, DAY)) {
      const prefix = `${keyOf(projectId, series)}/${daysKey(firstDay, lastDay)}`;
      single.push({ sums, range: { gte: `${prefix}/`, lt: `${prefix}0` } }); // 0 is the character after /
    }
};

/** Sums of metrics for reports. */
export class ReportQueries extends queriesOf(METRICS_READ_MODEL) {
  /**
   * The exact sum of each span of each query. It takes at most four steps for any number of metrics: by months, by days if a span ends within a
   * month, and by single metrics if a span ends within a day.
   */
  async totals(queries: readonly SumQuery[], slice: Slice): Promise<readonly (readonly Decimal[])[]> {
    const all = queries.map((query) => new SpanSums(query));
    const inDays: DaysRequest[] = [];
    const single: SumsRequest[] = [];
    await this.each(
      months.name,
      all.map((sums): SumsRequest => ({ sums, range: monthsOf(sums.query) })),
      slice,
      (sums, documents) => {
        for (const { key, value } of documents) {
          const firstMonth = monthIn(key);
          const lines = months.parse(value);
          for (const lastMonth of sums.addBuckets(firstMonth, bucketsByMonth(lines), MONTH)) {
            const open = { sums, firstMonth, lastMonth };
            if (firstMonth === lastMonth) addDays(open, lines, single);
            else inDays.push(open);
          }
        }
      },
    );
    for (let start = 0; start < inDays.length; start += AT_ONCE) await this.readDays(inDays.slice(start, start + AT_ONCE), single, slice);
    await this.addSingle(single, slice);
    return all.map(({ totals }) => totals);
  }

  private async readDays(requests: readonly DaysRequest[], single: SumsRequest[], slice: Slice): Promise<void> {
    const found = await days.getMany(
      this.view,
      requests.map(({ sums, firstMonth, lastMonth }) => ({ of: memberSeriesKey(sums.query), firstMonth, lastMonth })),
    );
    for (const [index, request] of requests.entries()) {
      const lines = found[index];
      if (lines !== undefined) addDays(request, lines, single);
      if (slice.isOver) await slice.next();
    }
  }

  /** Adds metrics one by one, as many in a read as a page has. */
  private async addSingle(requests: readonly SumsRequest[], slice: Slice): Promise<void> {
    let open: Readonly<{ sums: SpanSums; projectId: string; sortKey: string }>[] = [];
    const add = async (): Promise<void> => {
      const found = await metrics.getMany(this.view, open);
      for (const [index, { sums }] of open.entries()) {
        const metric = found[index];
        if (metric) sums.addMetric(metric);
      }
      open = [];
    };
    await this.each(measures.name, requests, slice, async (sums, documents) => {
      const { projectId } = sums.query;
      for (const { key } of documents) open.push({ sums, projectId, sortKey: key.slice(key.lastIndexOf('/') + 1) });
      if (open.length >= PAGE.limit) await add();
    });
    if (open.length > 0) await add();
  }

  /** Passes the documents of the ranges to their sums, a limited number at a time. */
  private async each(
    collection: string,
    wanted: readonly SumsRequest[],
    slice: Slice,
    take: (sums: SpanSums, documents: readonly StoredDocument[]) => Promise<void> | void,
  ): Promise<void> {
    for (let start = 0; start < wanted.length; start += AT_ONCE) {
      const some = wanted.slice(start, start + AT_ONCE);
      const ranges = some.map(({ range }) => range);
      const lists = await documentsInEach(this.view, collection, ranges, FIRST);
      for (const [index, { sums }] of some.entries())
        for await (const documents of lists[index]?.() ?? []) await inParts(documents, slice, (part) => take(sums, part));
    }
  }
}

const inParts = async (
  documents: readonly StoredDocument[],
  slice: Slice,
  take: (documents: readonly StoredDocument[]) => Promise<void> | void,
): Promise<void> => {
  for (let first = 0; first < documents.length; first += TAKEN_AT_ONCE) {
    await take(documents.slice(first, first + TAKEN_AT_ONCE));
    if (slice.isOver) await slice.next();
  }
};
