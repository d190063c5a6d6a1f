import { Injectable } from '@nestjs/common';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { CatalogueLists, type InstallationSource } from '#projections/accounting/catalogue/lists.js';
import { MetricListQueries } from '#projections/accounting/metrics/list-queries.js';
import { type MetricDocument, MetricQueries, type Series } from '#projections/accounting/metrics/queries.js';
import { canMatch } from './matching.js';
import type { Pace } from './pace.js';
import type { Search } from './search.js';
import { inOrder } from './search-pages.js';

/** The metrics of one definition of an installation. */
type SearchedSeries = Series & Readonly<{ installationId: string; definitionId: string }>;

/** Installations whose series are looked up together. */
const AT_ONCE = 256;
/** Minimum and maximum number of sort keys of one series per read. */
const [FEWEST, MOST] = [50, 1_000];

const countOf = (counts: Iterable<number>): number => {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
};

const seriesKey = (installationId: string, definitionId: string): string => `${installationId}/${definitionId}`;

/** Finds the metrics that a search may match. Metrics that the search itself rules out are not read. */
@Injectable()
export class MetricSearch {
  constructor(
    private readonly metrics: MetricQueries,
    private readonly lists: MetricListQueries,
    private readonly catalogue: CatalogueLists,
  ) {}

  /** The metrics of the installations that may match: by project, in the order in which they were recorded. */
  async *candidates(
    sources: readonly InstallationSource[],
    search: Search<MetricDocument>,
    pace: Pace,
  ): AsyncGenerator<readonly MetricDocument[]> {
    for (const [projectId, installationIds] of await this.installations(sources, search, pace)) {
      const series = await this.series(projectId, installationIds, search, pace);
      const count = countOf(series.map((one) => one.count));
      if (count === 0) continue;
      const inProject = countOf(Object.values(await this.metrics.countsOfProject(projectId, pace.slice)));
      yield* 2 * count >= inProject ? this.wholeProject(projectId, series, pace) : this.merged(projectId, series, pace);
    }
  }

  /** Ids of installations by project id, in the order of the sources. */
  private async installations(
    sources: readonly InstallationSource[],
    search: Search<MetricDocument>,
    pace: Pace,
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, string[]>();
    for await (const documents of this.catalogue.installationsIn(sources))
      for (const { id, project } of documents) {
        if (pace.slice.isOver) await pace.slice.next();
        if (!canMatch(search, { project_id: project, installation_id: id }, pace.effort)) continue;
        getOrInsert(found, project, () => []).push(id);
      }
    return found;
  }

  private async series(
    projectId: string,
    installationIds: readonly string[],
    search: Search<MetricDocument>,
    pace: Pace,
  ): Promise<readonly SearchedSeries[]> {
    const found: SearchedSeries[] = [];
    for (let start = 0; start < installationIds.length; start += AT_ONCE) {
      const some = installationIds.slice(start, start + AT_ONCE);
      const series = await this.metrics.seriesOfEach(some.map((installationId) => ({ projectId, installationId })));
      for (const [index, installationId] of some.entries())
        for (const [definitionId, one] of Object.entries(series[index] ?? {})) {
          if (pace.slice.isOver) await pace.slice.next();
          const known = { project_id: projectId, installation_id: installationId, metric_definition_id: definitionId };
          if (canMatch(search, known, pace.effort)) found.push({ installationId, definitionId, ...one });
        }
    }
    return found;
  }

  /** If the series are most of a project, all of the project is read. */
  private async *wholeProject(
    projectId: string,
    series: readonly SearchedSeries[],
    { slice }: Pace,
  ): AsyncGenerator<readonly MetricDocument[]> {
    const wanted = new Set(series.map(({ installationId, definitionId }) => seriesKey(installationId, definitionId)));
    for await (const metrics of this.lists.allOfProject(projectId, slice))
      yield metrics.filter(({ installationId, definitionId }) => wanted.has(seriesKey(installationId, definitionId)));
  }

  /** If the series are a small part of a project, only they are read. */
  private async *merged(projectId: string, series: readonly SearchedSeries[], { slice }: Pace): AsyncGenerator<readonly MetricDocument[]> {
    const most = Math.max(FEWEST, Math.ceil(MOST / series.length));
    const sources = series.map((one) => this.lists.allOfSeries({ projectId, ...one }, { slice, most }));
    for await (const sortKeys of inOrder(sources, slice)) yield* this.lists.documentPages(projectId, sortKeys);
  }
}
