import { setImmediate as breathe } from 'node:timers/promises';
import { type Decimal, ZERO } from '#domain/accounting/decimal.js';
import { lastDayBefore } from '#domain/accounting/instants.js';
import { type Buckets, DAY, type Measure, MONTH, usageCollections } from '#projections/accounting/usage-documents.js';
import { judgeBuckets, judgeMeasures, type SumQuery } from '#projections/accounting/usage-sums.js';
import { keyOf } from '#projections/shared/key-part.js';
import type { KeyRange, ReadView, StoredDocument } from '#projections/shared/read-store.js';

/** Ranges asked for at a time: an embedded store answers them all in one event turn. */
const AT_ONCE = 256;

const parse = <T>({ value }: StoredDocument): T => JSON.parse(value.toString('utf8')) as T;

/** Everything under keys. */
const under = (key: string): KeyRange => ({ gte: `${key}/`, lt: `${key}0` });

const ranges = async (view: ReadView, collection: string, wanted: readonly KeyRange[]): Promise<readonly (readonly StoredDocument[])[]> => {
  const found: (readonly StoredDocument[])[] = [];
  for (let start = 0; start < wanted.length; start += AT_ONCE) {
    if (start > 0) await breathe();
    found.push(...(await view.ranges(collection, wanted.slice(start, start + AT_ONCE))));
  }
  return found;
};

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

/** For each of several lists of keys the documents under them, asked for together. */
const documentsUnder = async (
  view: ReadView,
  collection: string,
  lists: readonly (readonly KeyRange[])[],
): Promise<readonly (readonly StoredDocument[])[]> => {
  const found = await ranges(view, collection, lists.flat());
  let at = 0;
  return lists.map(({ length }) => {
    at += length;
    return found.slice(at - length, at).flat();
  });
};

/**
 * The sum of each span of each query, in at most three steps however many metrics there are: by months, by days where a span ends inside a
 * month, and one by one where it ends inside a day.
 */
export const totalsOf = async (view: ReadView, queries: readonly SumQuery[]): Promise<readonly (readonly Decimal[])[]> => {
  const { months, days, measures } = usageCollections;
  const nothing = queries.map(({ spans }) => ({ totals: spans.map(() => ZERO), open: [] as readonly string[] }));
  const judge = (before: typeof nothing, found: readonly (readonly StoredDocument[])[], unit: typeof MONTH | typeof DAY): typeof nothing =>
    queries.map(({ spans }, index) => {
      const documents = (found[index] ?? []).map((document) => ({ key: document.key, buckets: parse<Buckets>(document) }));
      const { totals, open } = judgeBuckets(spans, before[index]?.totals ?? [], documents, unit);
      return { totals: [...totals], open };
    });

  const byMonths = judge(nothing, await ranges(view, months, queries.map(monthsOf)), MONTH);
  const openMonths = queries.map((query, index) => (byMonths[index]?.open ?? []).map((key) => unitsUnder(key, query, DAY)));
  const byDays = judge(byMonths, await documentsUnder(view, days, openMonths), DAY);
  const openDays = queries.map((query, index) => (byDays[index]?.open ?? []).map((key) => measuresOf(query, key)));
  const single = await documentsUnder(view, measures, openDays);
  return queries.map((query, index) => judgeMeasures(query, byDays[index]?.totals ?? [], (single[index] ?? []).map(parse<Measure>)));
};
