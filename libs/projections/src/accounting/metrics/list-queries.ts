import type { Instant } from '#domain/accounting/metrics/instants.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { PAGE, pagesOf, type Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import type { StoredDocument } from '#projections/shared/read-store.js';
import {
  EVERYBODY,
  METRICS_READ_MODEL,
  type MetricDocument,
  memberCounts,
  memberKey,
  membersOf,
  metrics,
  metricsOfMembers,
  type SeriesRef,
  series,
} from './documents.js';
import { DAY, measures, seriesKey } from './sums.js';

type ListPart = Readonly<{ offset: number; limit: number }>;

/** Selects metrics of a series. `from`: earliest start. `until`: latest end. Default: all. */
type MetricBounds = Readonly<{ from?: Instant; until?: Instant; member?: string }>;

/** Metrics that are parsed without a pause. */
const PARSED_AT_ONCE = 100;

const sortKeyOf = ({ key }: StoredDocument): string => key.slice(key.lastIndexOf('/') + 1);

/**
 * Lists of metrics. A list is read first as sort keys, which are in the order in which the metrics were recorded, then as documents. Pages of several
 * series can thus be merged without reading documents outside the page.
 */
export class MetricListQueries extends queriesOf(METRICS_READ_MODEL) {
  ofProject(projectId: string, part: ListPart): Promise<readonly string[]> {
    return this.part(metrics.name, keysUnder(projectId), part);
  }

  ofSeries({ projectId, installationId, definitionId }: SeriesRef, part: ListPart): Promise<readonly string[]> {
    return this.part(series.name, keysUnder(projectId, installationId, definitionId), part);
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
    { projectId, installationId, definitionId }: SeriesRef,
    options: Readonly<{ slice: Slice; most: number }>,
  ): AsyncGenerator<readonly string[], undefined> {
    for await (const page of pagesOf(this.view, series.name, keysUnder(projectId, installationId, definitionId), options))
      yield page.map(sortKeyOf);
  }

  /** The metrics of a series within the bounds, unordered, in pages that may be empty. Metrics that begin on days outside the bounds are not read. */
  async *within(
    { projectId, installationId, definitionId }: SeriesRef,
    { from = '', until, member = EVERYBODY }: MetricBounds,
    slice: Slice,
  ): AsyncGenerator<readonly string[]> {
    const prefix = seriesKey({ projectId, installationId, definitionId });
    // 0 is the character after the slash behind a day.
    const range = { gte: `${prefix}/${from.slice(0, DAY)}`, lt: until === undefined ? `${prefix}0` : `${prefix}/${until.slice(0, DAY)}0` };
    for await (const page of pagesOf(this.view, measures.name, range, { slice }))
      yield page.flatMap((document) => {
        const measure = measures.parse(document.value);
        const isInside = measure.start >= from && (until === undefined || measure.end <= until);
        return isInside && (member === EVERYBODY || membersOf(measure).includes(member)) ? [sortKeyOf(document)] : [];
      });
  }

  /** The metrics with these sort keys, in one round trip. Metrics that were removed meanwhile are skipped. */
  async documents(projectId: string, sortKeys: readonly string[]): Promise<readonly MetricDocument[]> {
    if (sortKeys.length === 0) return [];
    const found = await metrics.getMany(
      this.view,
      sortKeys.map((sortKey) => ({ projectId, sortKey })),
    );
    return found.filter((metric) => metric !== undefined);
  }

  /** Like `documents`, for any number of sort keys, in pages. */
  async *documentPages(projectId: string, sortKeys: readonly string[]): AsyncGenerator<readonly MetricDocument[]> {
    for (let start = 0; start < sortKeys.length; start += PAGE.limit) {
      const keys = sortKeys.slice(start, start + PAGE.limit).map((sortKey) => metrics.key({ projectId, sortKey }));
      const stored = await this.view.getMany(metrics.name, keys);
      for (let first = 0; first < stored.length; first += PARSED_AT_ONCE)
        yield stored.slice(first, first + PARSED_AT_ONCE).flatMap((bytes) => (bytes === null ? [] : [metrics.parse(bytes)]));
    }
  }

  /** All metrics of a project in the order in which they were recorded, in pages. */
  async *allOfProject(projectId: string, slice: Slice): AsyncGenerator<readonly MetricDocument[]> {
    for await (const page of pagesOf(this.view, metrics.name, keysUnder(projectId), { slice }))
      yield page.map(({ value }) => metrics.parse(value));
  }

  private async part(collection: string, range: Readonly<{ gte: string; lt: string }>, part: ListPart): Promise<readonly string[]> {
    return (await this.view.range(collection, { ...range, ...part })).map(sortKeyOf);
  }
}
