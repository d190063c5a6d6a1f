import { storedObjectId } from '#domain/accounting/object-id.js';
import type { Day } from '#domain/shared/time.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { pagesOf, type Slice, type Work } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import {
  type DefinitionCounts,
  type InstallationRef,
  installations,
  METRICS_READ_MODEL,
  metricIndex,
  metrics,
  recordedOn,
  type SeriesOfInstallation,
  usedDefinitions,
} from './documents.js';
import type { MetricDocument } from './stored-metric.js';
import { WholeMetrics } from './whole-metrics.js';

export type { DefinitionCounts, InstallationRef, Series, SeriesOfInstallation, SeriesRef } from './documents.js';
export { EVERYBODY, groupMember, userMember } from './documents.js';
export type { MetricDocument } from './stored-metric.js';

/** An installation and its series by definition. */
export type MeasuredInstallation = InstallationRef & Readonly<{ definitions: SeriesOfInstallation }>;

/** Length of the day at the end of a key. */
const DAY_LENGTH = 10;

/** Single metrics and their numbers, without removed ones. `MetricListQueries` has the lists, `ReportQueries` the sums. */
export class MetricQueries extends queriesOf(METRICS_READ_MODEL) {
  /** The metric, if it belongs to the installation. `undefined` also if the text is not an id. */
  async find({ projectId, installationId }: InstallationRef, id: string): Promise<MetricDocument | undefined> {
    const metricId = storedObjectId(id);
    const indexed = metricId === undefined ? undefined : await metricIndex.get(this.view, { projectId, metricId });
    const metric = indexed && (await metrics.get(this.view, { projectId, sortKey: indexed[0] }));
    if (metric?.installationId !== installationId) return undefined;
    const [found] = await new WholeMetrics(this.view, projectId).of([metric]);
    return found;
  }

  /** Whether the read model has each of the metrics, in the given order, in one round trip. */
  async areShown(of: readonly Readonly<{ projectId: string; metricId: string }>[]): Promise<readonly boolean[]> {
    const stored = await this.view.getMany(metricIndex.name, of.map(metricIndex.key));
    return stored.map((bytes) => bytes !== null);
  }

  /** The series of the installations by definition, in the given order. */
  async seriesOfEach(of: readonly InstallationRef[]): Promise<readonly SeriesOfInstallation[]> {
    if (of.length === 0) return [];
    return (await installations.getMany(this.view, of)).map((installation) => installation?.definitions ?? {});
  }

  /** Numbers of a project's metrics by definition. */
  async countsOfProject(projectId: string, slice: Slice): Promise<DefinitionCounts> {
    const counts: Record<string, number> = {};
    for (const { definitions } of await this.measured(projectId, undefined, { slice, isPointless: false }))
      for (const [definitionId, { count }] of Object.entries(definitions)) counts[definitionId] = (counts[definitionId] ?? 0) + count;
    return counts;
  }

  async hasMetrics(installation: InstallationRef): Promise<boolean> {
    const [series = {}] = await this.seriesOfEach([installation]);
    return Object.keys(series).length > 0;
  }

  async isDefinitionUsed(definitionId: string): Promise<boolean> {
    return (await this.view.range(usedDefinitions.name, { ...keysUnder(definitionId), limit: 1 })).length > 0;
  }

  /** The installations of a project, or of one of its providers, that have metrics. */
  async measured(projectId: string, providerId: string | undefined, work: Work): Promise<readonly MeasuredInstallation[]> {
    const range = keysUnder(projectId);
    const { slice } = work;
    const measured: MeasuredInstallation[] = [];
    for await (const documents of pagesOf(this.view, installations.name, range, { slice })) {
      if (work.isPointless) break;
      for (const { key, value } of documents) {
        const { providerId: own, definitions } = installations.parse(value);
        const wanted = (providerId === undefined || providerId === own) && Object.keys(definitions).length > 0;
        if (wanted) measured.push({ projectId, installationId: key.slice(range.gte.length), definitions });
        if (slice.isOver) await slice.next();
      }
    }
    return measured;
  }

  /** Number of existing metrics of all projects that were recorded from day `from` to `before` (exclusive, UTC). */
  async recordedBetween(from: Day, before: Day, work: Work): Promise<number> {
    let sum = 0;
    for await (const days of pagesOf(this.view, recordedOn.name, {}, work)) {
      if (work.isPointless) break;
      const inside = days.filter(({ key }) => key.slice(-DAY_LENGTH) >= from && key.slice(-DAY_LENGTH) < before);
      sum += inside.reduce((total, { value }) => total + recordedOn.parse(value), 0);
    }
    return sum;
  }
}
