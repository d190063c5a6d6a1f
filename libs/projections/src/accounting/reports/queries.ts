import type { Decimal } from '#domain/accounting/decimal.js';
import { lastDayBefore } from '#domain/accounting/metrics/instants.js';
import { documentsInEach } from '#projections/accounting/document-batches.js';
import { METRICS_READ_MODEL } from '#projections/accounting/metrics/documents.js';
import { DAY, days, MONTH, measures, memberSeriesKey, months, seriesKey } from '#projections/accounting/metrics/sums.js';
import type { Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import type { KeyRange, StoredDocument } from '#projections/shared/read-store.js';
import { SpanSums, type SumQuery } from './span-sums.js';

export type { Span, SumQuery } from './span-sums.js';

/** Ranges that are read together, and documents of each in the first read: five years of months. */
const AT_ONCE = 64;
const FIRST = 60;

/** Sums and the key range of their documents. */
type SumsRequest = Readonly<{ sums: SpanSums; range: Pick<KeyRange, 'gte' | 'lte' | 'lt'> }>;

/** Key range of the units under a prefix in which metrics of the query may have begun. */
const unitsUnder = (prefix: string, { spans }: SumQuery, unit: typeof MONTH | typeof DAY): SumsRequest['range'] => {
  const [from, to] = [spans[0]?.from ?? '', spans.at(-1)?.to ?? ''];
  return { gte: `${prefix}/${from.slice(0, unit)}`, lte: `${prefix}/${lastDayBefore(to).slice(0, unit)}` };
};

/** Sums of metrics for reports. */
export class ReportQueries extends queriesOf(METRICS_READ_MODEL) {
  /**
   * The exact sum of each span of each query. It takes at most three steps for any number of metrics: by months, by days if a span ends within a
   * month, and by single metrics if a span ends within a day.
   */
  async totals(queries: readonly SumQuery[], slice: Slice): Promise<readonly (readonly Decimal[])[]> {
    const all = queries.map((query) => new SpanSums(query));
    const inMonths = all.map((sums): SumsRequest => ({ sums, range: unitsUnder(memberSeriesKey(sums.query), sums.query, MONTH) }));
    const inDays: SumsRequest[] = [];
    const single: SumsRequest[] = [];
    await this.each(months.name, inMonths, slice, (sums, { key, value }) => {
      const firstMonth = key.slice(-MONTH);
      for (const lastMonth of sums.addBuckets(firstMonth, months.parse(value), MONTH)) {
        const prefix = `${memberSeriesKey(sums.query)}/${firstMonth}/${lastMonth}`;
        inDays.push({ sums, range: unitsUnder(prefix, sums.query, DAY) });
      }
    });
    await this.each(days.name, inDays, slice, (sums, { key, value }) => {
      const firstDay = key.slice(-DAY);
      for (const lastDay of sums.addBuckets(firstDay, days.parse(value), DAY)) {
        const prefix = `${seriesKey(sums.query)}/${firstDay}/${lastDay}`;
        single.push({ sums, range: { gte: `${prefix}/`, lt: `${prefix}0` } }); // 0 is the character after /
      }
    });
    await this.each(measures.name, single, slice, (sums, { value }) => sums.addMeasure(measures.parse(value)));
    return all.map(({ totals }) => totals);
  }

  /** Passes every document of the ranges to its sums, a limited number at a time. */
  private async each(
    collection: string,
    wanted: readonly SumsRequest[],
    slice: Slice,
    take: (sums: SpanSums, document: StoredDocument) => void,
  ): Promise<void> {
    for (let start = 0; start < wanted.length; start += AT_ONCE) {
      const some = wanted.slice(start, start + AT_ONCE);
      const ranges = some.map(({ range }) => range);
      const lists = await documentsInEach(this.view, collection, ranges, FIRST);
      for (const [index, { sums }] of some.entries()) {
        for await (const documents of lists[index]?.() ?? []) await inSlices(documents, slice, (document) => take(sums, document));
      }
    }
  }
}

const inSlices = async (documents: readonly StoredDocument[], slice: Slice, take: (document: StoredDocument) => void): Promise<void> => {
  for (const document of documents) {
    take(document);
    if (slice.isOver) await slice.next();
  }
};
