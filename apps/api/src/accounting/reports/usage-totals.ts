import type { Decimal } from '#domain/accounting/decimal.js';
import { lastDayBefore } from '#domain/accounting/metrics/instants.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import { documentsInEach, parse } from '#projections/accounting/document-batches.js';
import { type Buckets, DAY, type Measure, MONTH, usageCollections } from '#projections/accounting/metrics/usage-documents.js';
import { SpanSums, type SumQuery } from '#projections/accounting/metrics/usage-sums.js';
import { keyOf } from '#projections/shared/key-part.js';
import type { KeyRange, ReadView, StoredDocument } from '#projections/shared/read-store.js';

/** Ranges asked for at a time, and documents of each that come with the first answer: five years of months. */
const AT_ONCE = 64;
const FIRST = 60;

/** Everything under keys. */
const under = (key: string): KeyRange => ({ gte: `${key}/`, lt: `${key}0` });

/** The units in which metrics of the query may have begun, of those under a key. */
const unitsUnder = (prefix: string, { spans }: SumQuery, unit: typeof MONTH | typeof DAY): KeyRange => {
  const [from, to] = [spans[0]?.from ?? '', spans.at(-1)?.to ?? ''];
  return { gte: `${prefix}/${from.slice(0, unit)}`, lte: `${prefix}/${lastDayBefore(to).slice(0, unit)}` };
};

const monthsOf = (query: SumQuery): KeyRange => {
  const { projectId, installationId, member, definitionId } = query;
  return unitsUnder(keyOf(projectId, installationId, member, definitionId), query, MONTH);
};

/** The metrics that a bucket of days is the sum of. */
const measuresOf = ({ projectId, installationId, definitionId }: SumQuery, dayKey: string): KeyRange =>
  under(keyOf(projectId, installationId, definitionId, ...dayKey.split('/').slice(-2)));

/** The sums whose documents lie in a range. */
type Wanted = Readonly<{ sums: SpanSums; range: KeyRange }>;

/** Hands over every document of the ranges to the sums that want it, a bounded number of them at a time. */
const each = async (
  view: ReadView,
  collection: string,
  wanted: readonly Wanted[],
  slice: TimeSlice,
  take: (sums: SpanSums, document: StoredDocument) => void,
): Promise<void> => {
  for (let start = 0; start < wanted.length; start += AT_ONCE) {
    const some = wanted.slice(start, start + AT_ONCE);
    const lists = await documentsInEach(
      view,
      collection,
      some.map(({ range }) => range),
      FIRST,
    );
    for (const [index, { sums }] of some.entries())
      for await (const documents of lists[index]?.() ?? [])
        for (const document of documents) {
          take(sums, document);
          if (slice.isOver) await slice.next();
        }
  }
};

/**
 * The sum of each span of each query, in at most three steps however many metrics there are: by months, by days where a span ends inside a
 * month, and one by one where it ends inside a day.
 */
export const totalsOf = async (
  view: ReadView,
  queries: readonly SumQuery[],
  slice = new TimeSlice(),
): Promise<readonly (readonly Decimal[])[]> => {
  const { months, days, measures } = usageCollections;
  const all = queries.map((query) => new SpanSums(query));
  const inDays: Wanted[] = [];
  const single: Wanted[] = [];
  const inMonths = all.map((sums) => ({ sums, range: monthsOf(sums.query) }));
  await each(view, months, inMonths, slice, (sums, { key, value }) => {
    for (const open of sums.addBuckets({ key, buckets: parse<Buckets>(value) }, MONTH))
      inDays.push({ sums, range: unitsUnder(open, sums.query, DAY) });
  });
  await each(view, days, inDays, slice, (sums, { key, value }) => {
    for (const open of sums.addBuckets({ key, buckets: parse<Buckets>(value) }, DAY))
      single.push({ sums, range: measuresOf(sums.query, open) });
  });
  await each(view, measures, single, slice, (sums, { value }) => sums.addMeasure(parse<Measure>(value)));
  return all.map(({ totals }) => totals);
};
