import { type Instant, isMidnight, lastDayBefore } from '#domain/accounting/metrics/instants.js';
import { keyOf, keysUnder } from '#projections/shared/key-part.js';
import { PAGE, pagesOf, type Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import type { StoredDocument } from '#projections/shared/read-store.js';
import {
  EVERYBODY,
  METRICS_READ_MODEL,
  members,
  membersOf,
  metrics,
  metricsOfMembers,
  type Series,
  type SeriesRef,
  series,
} from './documents.js';
import type { MetricDocument, StoredMetric } from './stored-metric.js';
import { DAY_KEY, dayKey, measures } from './sums.js';
import { WholeMetrics } from './whole-metrics.js';

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
    const [days = '', sortKey = ''] = key.slice(prefix.length + 1).split('/');
    const [first, last] = [days.slice(0, DAY_KEY), days.slice(-DAY_KEY)];
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

const NO_SERIES: Series = { count: 0, series: '' };

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

  /** The metrics of a group or user in a project, and the number of all of them. */
  async ofMember(projectId: string, member: string, part: ListPart): Promise<Readonly<{ sortKeys: readonly string[]; total: number }>> {
    const { count, series } = (await members.get(this.view, { projectId, member })) ?? NO_SERIES;
    const isEmpty = part.offset >= count;
    return { sortKeys: isEmpty ? [] : await this.part(metricsOfMembers.name, keysUnder(projectId, series), part), total: count };
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
    // A colon is behind all digits, and 0 behind the slash.
    const range = { gte: `${prefix}/${firstDay}`, lt: lastDay === undefined ? `${prefix}0` : `${prefix}/${lastDay}:` };
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
    const whole = new WholeMetrics(this.view, projectId);
    for await (const page of this.storedPages(projectId, sortKeys)) yield whole.of(page.map(([, metric]) => metric));
  }

  /** All metrics of a project in the order in which they were recorded, in pages. */
  async *allOfProject(projectId: string, slice: Slice): AsyncGenerator<readonly MetricDocument[]> {
    const whole = new WholeMetrics(this.view, projectId);
    for await (const page of pagesOf(this.view, metrics.name, keysUnder(projectId), { slice }))
      for (let first = 0; first < page.length; first += PARSED_AT_ONCE)
        yield whole.of(page.slice(first, first + PARSED_AT_ONCE).map(({ value }) => metrics.parse(value)));
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
