import { type Instant, isMidnight, lastDayBefore } from '#domain/accounting/metrics/instants.js';
import type { MetricCopies } from '#domain/accounting/metrics/metric-rules.js';
import { keyOf, keysUnder } from '#projections/shared/key-part.js';
import { PAGE, pagesOf, type Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import type { ReadView, StoredDocument } from '#projections/shared/read-store.js';
import {
  EVERYBODY,
  METRICS_READ_MODEL,
  memberCounts,
  memberKey,
  membersOf,
  metrics,
  metricsOfMembers,
  names,
  type SeriesRef,
  series,
} from './documents.js';
import { type MetricDocument, metricOf, type StoredMetric } from './stored-metric.js';
import { dayKey, measures } from './sums.js';

type ListPart = Readonly<{ offset: number; limit: number }>;

/** Selects metrics of a series. `from`: earliest start. `until`: latest end. Default: all. */
type MetricBounds = Readonly<{ from?: Instant; until?: Instant; member?: string }>;

/** Compares the days in a key with the bounds. `open`: on the first or the last day, unless all of that day is within the bounds. */
const daysWithin = (prefix: string, { from = '', until }: MetricBounds) => {
  const [firstDay, lastDay, lastFullDay] = [dayKey(from), until && dayKey(until), until && dayKey(lastDayBefore(until))];
  const [isWholeFirst, isWholeLast] = [isMidnight(from), until === undefined || isMidnight(until)];
  const isInside = (first: string, last: string): boolean =>
    (first > firstDay || isWholeFirst) && (lastFullDay === undefined || last < lastFullDay || (isWholeLast && last === lastFullDay));
  return (key: string): readonly [place: 'inside' | 'open' | 'outside', sortKey: string] => {
    const [first = '', last = '', sortKey = ''] = key.slice(prefix.length + 1).split('/');
    if (lastDay !== undefined && last > lastDay) return ['outside', sortKey];
    return [isInside(first, last) ? 'inside' : 'open', sortKey];
  };
};

const isWithin = ({ from, to, ...metric }: StoredMetric, bounds: MetricBounds): boolean =>
  (bounds.from === undefined || from >= bounds.from) &&
  (bounds.until === undefined || to <= bounds.until) &&
  (bounds.member === undefined || bounds.member === EVERYBODY || membersOf(metric).includes(bounds.member));

/** Metrics that are parsed without a pause. */
const PARSED_AT_ONCE = 100;

/** Reads copies of names for pages of metrics. Those of the page before are kept. */
class NamesRead {
  private readonly read = new Map<string, MetricCopies>();

  constructor(
    private readonly view: ReadView,
    private readonly projectId: string,
  ) {}

  /** Metrics whose installation was deleted meanwhile are left out. */
  async withNames(stored: readonly StoredMetric[]): Promise<readonly MetricDocument[]> {
    const ids = stored.map(({ installationId, names }) => ({ projectId: this.projectId, installationId, names }));
    const keys = ids.map(names.key);
    const wanted = new Set(keys);
    for (const key of this.read.keys()) if (!wanted.delete(key)) this.read.delete(key);
    const missing = ids.filter((_, index) => wanted.delete(keys[index] ?? ''));
    const found = missing.length > 0 ? await names.getMany(this.view, missing) : [];
    for (const [index, copies] of found.entries()) if (copies && missing[index]) this.read.set(names.key(missing[index]), copies);
    return stored.flatMap((metric, index) => {
      const copies = this.read.get(keys[index] ?? '');
      return copies ? [metricOf(this.projectId, metric, copies)] : [];
    });
  }
}

const sortKeyOf = ({ key }: StoredDocument): string => key.slice(key.lastIndexOf('/') + 1);

/**
 * Lists of metrics. A list is read first as sort keys, which are in the order in which the metrics were recorded, then as documents. Pages of several
 * series can thus be merged without reading documents outside the page.
 */
export class MetricListQueries extends queriesOf(METRICS_READ_MODEL) {
  ofProject(projectId: string, part: ListPart): Promise<readonly string[]> {
    return this.part(metrics.name, keysUnder(projectId), part);
  }

  ofSeries({ projectId, series: name }: SeriesRef, part: ListPart): Promise<readonly string[]> {
    return this.part(series.name, keysUnder(projectId, name), part);
  }

  /** The metrics of a group or user in a project. */
  ofMember(projectId: string, member: string, part: ListPart): Promise<readonly string[]> {
    return this.part(metricsOfMembers.name, keysUnder(projectId, member), part);
  }

  /** Number of metrics of a group or user in a project. */
  async countOfMember(projectId: string, member: string): Promise<number> {
    return (await memberCounts.get(this.view, memberKey(projectId, member))) ?? 0;
  }

  /** All metrics of a series, in pages of at most `most`. */
  async *allOfSeries(
    { projectId, series: name }: SeriesRef,
    options: Readonly<{ slice: Slice; most: number }>,
  ): AsyncGenerator<readonly string[], undefined> {
    for await (const page of pagesOf(this.view, series.name, keysUnder(projectId, name), options)) yield page.map(sortKeyOf);
  }

  /**
   * The metrics of a series within the bounds, unordered, in pages that may be empty. Documents are read only of metrics on the first and the last
   * day, or of all for the metrics of a group or user.
   */
  async *within(
    { projectId, series: name }: SeriesRef,
    { from = '', until, member = EVERYBODY }: MetricBounds,
    slice: Slice,
  ): AsyncGenerator<readonly string[]> {
    const prefix = keyOf(projectId, name);
    const [firstDay, lastDay] = [dayKey(from), until && dayKey(until)];
    // 0 is the character after the slash behind a day.
    const range = { gte: `${prefix}/${firstDay}`, lt: lastDay === undefined ? `${prefix}0` : `${prefix}/${lastDay}0` };
    const placeOf = daysWithin(prefix, { from, until });
    for await (const page of pagesOf(this.view, measures.name, range, { slice })) {
      const sure: string[] = [];
      const open: string[] = [];
      for (const { key } of page) {
        const [place, sortKey] = placeOf(key);
        if (place !== 'outside') (place === 'inside' && member === EVERYBODY ? sure : open).push(sortKey);
      }
      yield sure;
      for await (const metrics of this.storedPages(projectId, open))
        yield metrics.flatMap(([sortKey, metric]) => (isWithin(metric, { from, until, member }) ? [sortKey] : []));
    }
  }

  /** The metrics with these sort keys. Metrics that were removed meanwhile are skipped. */
  async documents(projectId: string, sortKeys: readonly string[]): Promise<readonly MetricDocument[]> {
    const documents: MetricDocument[] = [];
    for await (const page of this.documentPages(projectId, sortKeys)) documents.push(...page);
    return documents;
  }

  /** Like `documents`, for any number of sort keys, in pages. */
  async *documentPages(projectId: string, sortKeys: readonly string[]): AsyncGenerator<readonly MetricDocument[]> {
    const copies = new NamesRead(this.view, projectId);
    for await (const page of this.storedPages(projectId, sortKeys)) yield copies.withNames(page.map(([, metric]) => metric));
  }

  /** All metrics of a project in the order in which they were recorded, in pages. */
  async *allOfProject(projectId: string, slice: Slice): AsyncGenerator<readonly MetricDocument[]> {
    const copies = new NamesRead(this.view, projectId);
    for await (const page of pagesOf(this.view, metrics.name, keysUnder(projectId), { slice }))
      for (let first = 0; first < page.length; first += PARSED_AT_ONCE)
        yield copies.withNames(page.slice(first, first + PARSED_AT_ONCE).map(({ value }) => metrics.parse(value)));
  }

  /** Metrics with their sort keys, in pages. */
  private async *storedPages(
    projectId: string,
    sortKeys: readonly string[],
  ): AsyncGenerator<readonly (readonly [sortKey: string, metric: StoredMetric])[]> {
    for (let start = 0; start < sortKeys.length; start += PAGE.limit) {
      const asked = sortKeys.slice(start, start + PAGE.limit);
      const stored = await this.view.getMany(
        metrics.name,
        asked.map((sortKey) => metrics.key({ projectId, sortKey })),
      );
      for (let first = 0; first < stored.length; first += PARSED_AT_ONCE)
        yield stored
          .slice(first, first + PARSED_AT_ONCE)
          .flatMap((bytes, index) => (bytes === null ? [] : [[asked[first + index] ?? '', metrics.parse(bytes)] as const]));
    }
  }

  private async part(collection: string, range: Readonly<{ gte: string; lt: string }>, part: ListPart): Promise<readonly string[]> {
    return (await this.view.range(collection, { ...range, ...part })).map(sortKeyOf);
  }
}
