import { Injectable } from '@nestjs/common';
import { UsageReader } from '#api/accounting/metrics/usage-reader.js';
import { CatalogueLists, type InstallationSource } from '#projections/accounting/catalogue/lists.js';
import { documentsIn, parse, recordsIn, STEP } from '#projections/accounting/document-batches.js';
import { type DefinitionCounts, type MetricDocument, usageCollections } from '#projections/accounting/metrics/usage-documents.js';
import { keyOf, keysUnder } from '#projections/shared/key-part.js';
import { canMatch, type Search } from './search.js';
import { inOrder, type Pace } from './search-pages.js';

/** The metrics of one definition of an installation. */
type Series = Readonly<{ installationId: string; definitionId: string; count: number }>;

const { ofProject, ofDefinition, projects } = usageCollections;

/** Installations whose series are looked up at a time. */
const AT_ONCE = 256;
/** Metrics that are parsed at a time. */
const PARSED_AT_ONCE = 100;
/** Fewest keys of one series that are read at a time. */
const LEAST = 50;

const countOf = (counts: Iterable<number>): number => {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
};

const seriesKey = (installationId: string, definitionId: string): string => `${installationId}/${definitionId}`;

/** Where the metrics of a search may be: what the search itself rules out is not read. */
@Injectable()
export class MetricSearch {
  constructor(
    private readonly usage: UsageReader,
    private readonly catalogue: CatalogueLists,
  ) {}

  /** The metrics of the installations that may match: project by project, in the order in which they were recorded there. */
  async *candidates(
    sources: readonly InstallationSource[],
    search: Search<MetricDocument>,
    pace: Pace,
  ): AsyncGenerator<readonly MetricDocument[]> {
    for (const [projectId, installationIds] of await this.installations(sources, search, pace)) {
      const series = await this.series(projectId, installationIds, search, pace);
      const count = countOf(series.map((one) => one.count));
      if (count === 0) continue;
      const most = 2 * count >= (await this.countIn(projectId));
      yield* most ? this.wholeProject(projectId, series) : this.merged(projectId, series, pace);
    }
  }

  /** Ids by the id of the project, in the order of the sources. */
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
        const known = found.get(project);
        if (known) known.push(id);
        else found.set(project, [id]);
      }
    return found;
  }

  private async series(
    projectId: string,
    installationIds: readonly string[],
    search: Search<MetricDocument>,
    pace: Pace,
  ): Promise<readonly Series[]> {
    const found: Series[] = [];
    for (let start = 0; start < installationIds.length; start += AT_ONCE) {
      const some = installationIds.slice(start, start + AT_ONCE);
      const counts = await this.usage.definitionCounts(some.map((installationId) => ({ projectId, installationId })));
      for (const [index, installationId] of some.entries())
        for (const [definitionId, count] of Object.entries(counts[index] ?? {})) {
          if (pace.slice.isOver) await pace.slice.next();
          const known = { project_id: projectId, installation_id: installationId, metric_definition_id: definitionId };
          if (canMatch(search, known, pace.effort)) found.push({ installationId, definitionId, count });
        }
    }
    return found;
  }

  private async countIn(projectId: string): Promise<number> {
    const bytes = await this.usage.view.get(projects, keyOf(projectId));
    return bytes === null ? 0 : countOf(Object.values(JSON.parse(bytes.toString('utf8')) as DefinitionCounts));
  }

  /** The series are most of the project: it is read as it stands. */
  private async *wholeProject(projectId: string, series: readonly Series[]): AsyncGenerator<readonly MetricDocument[]> {
    const wanted = new Set(series.map(({ installationId, definitionId }) => seriesKey(installationId, definitionId)));
    for await (const metrics of recordsIn<MetricDocument>(this.usage.view, ofProject, keysUnder(projectId)))
      yield metrics.filter(({ installationId, definitionId }) => wanted.has(seriesKey(installationId, definitionId)));
  }

  /** The series are a small part of the project: nothing else is read. */
  private async *merged(projectId: string, series: readonly Series[], pace: Pace): AsyncGenerator<readonly MetricDocument[]> {
    const step = Math.max(LEAST, Math.ceil(STEP / series.length));
    for await (const places of inOrder(
      series.map((one) => this.places(projectId, one, step)),
      pace.slice,
    ))
      for (let start = 0; start < places.length; start += STEP) {
        const keys = places.slice(start, start + STEP).map((place) => keyOf(projectId, place));
        const stored = await this.usage.view.getMany(ofProject, keys);
        for (let first = 0; first < stored.length; first += PARSED_AT_ONCE)
          yield stored.slice(first, first + PARSED_AT_ONCE).flatMap((bytes) => (bytes === null ? [] : [parse<MetricDocument>(bytes)]));
      }
  }

  private async *places(
    projectId: string,
    { installationId, definitionId }: Series,
    step: number,
  ): AsyncGenerator<readonly string[], undefined> {
    const range = keysUnder(projectId, installationId, definitionId);
    for await (const documents of documentsIn(this.usage.view, ofDefinition, range, step))
      yield documents.map(({ key }) => key.slice(range.gte.length));
  }
}
