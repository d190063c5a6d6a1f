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

/** Part of a list. */
type ListPart = Readonly<{ offset: number; limit: number }>;

/** Which metrics of a series: `from`: those that begin then or later; `until`: those that end then or earlier. Default: all. */
type MetricBounds = Readonly<{ from?: Instant; until?: Instant; member?: string }>;

/** Metrics that are parsed in one go. */
const PARSED_AT_ONCE = 100;

const sortKeyOf = ({ key }: StoredDocument): string => key.slice(key.lastIndexOf('/') + 1);

/**
 * Lists of metrics. A list is found as sort keys first, which are in the order in which the metrics were recorded, and then as documents: so pages of
 * several series can be merged without reading a document that is not on the page.
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

  /** How many metrics a group or user has in a project. */
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

  /** The metrics of a series within the bounds, in pages that may be empty, in no order. Metrics that begin on days outside of the bounds are not read. */
  async *within(
    { projectId, installationId, definitionId }: SeriesRef,
    { from = '', until, member = EVERYBODY }: MetricBounds,
    slice: Slice,
  ): AsyncGenerator<readonly string[]> {
    const prefix = seriesKey({ projectId, installationId, definitionId });
    // 0 follows the slash after a day.
    const range = { gte: `${prefix}/${from.slice(0, DAY)}`, lt: until === undefined ? `${prefix}0` : `${prefix}/${until.slice(0, DAY)}0` };
    for await (const page of pagesOf(this.view, measures.name, range, { slice }))
      yield page.flatMap((document) => {
        const measure = measures.parse(document.value);
        const isInside = measure.start >= from && (until === undefined || measure.end <= until);
        return isInside && (member === EVERYBODY || membersOf(measure).includes(member)) ? [sortKeyOf(document)] : [];
      });
  }

  /** The metrics with these sort keys; metrics that were removed in the meantime are left out. One round trip. */
  async documents(projectId: string, sortKeys: readonly string[]): Promise<readonly MetricDocument[]> {
    if (sortKeys.length === 0) return [];
    const found = await metrics.getMany(
      this.view,
      sortKeys.map((sortKey) => ({ projectId, sortKey })),
    );
    return found.filter((metric) => metric !== undefined);
  }

  /** The same of any number of sort keys, some at a time. */
  async *documentPages(projectId: string, sortKeys: readonly string[]): AsyncGenerator<readonly MetricDocument[]> {
    for (let start = 0; start < sortKeys.length; start += PAGE.limit) {
      const keys = sortKeys.slice(start, start + PAGE.limit).map((sortKey) => metrics.key({ projectId, sortKey }));
      const stored = await this.view.getMany(metrics.name, keys);
      for (let first = 0; first < stored.length; first += PARSED_AT_ONCE)
        yield stored.slice(first, first + PARSED_AT_ONCE).flatMap((bytes) => (bytes === null ? [] : [metrics.parse(bytes)]));
    }
  }

  /** All metrics of a project in the order in which they were recorded, some at a time. */
  async *allOfProject(projectId: string, slice: Slice): AsyncGenerator<readonly MetricDocument[]> {
    for await (const page of pagesOf(this.view, metrics.name, keysUnder(projectId), { slice }))
      yield page.map(({ value }) => metrics.parse(value));
  }

  private async part(collection: string, range: Readonly<{ gte: string; lt: string }>, part: ListPart): Promise<readonly string[]> {
    return (await this.view.range(collection, { ...range, ...part })).map(sortKeyOf);
  }
}
