import { Injectable } from '@nestjs/common';
import * as errors from '#api/accounting/errors.js';
import { existing } from '#api/accounting/existing.js';
import { offsetOf, type PageOf, type Paging } from '#api/accounting/paging.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import { MetricListQueries } from '#projections/accounting/metrics/list-queries.js';
import { EVERYBODY, type MeasuredInstallation, type MetricDocument, type SeriesRef } from '#projections/accounting/metrics/queries.js';
import type { Work } from '#projections/shared/pages.js';
import { FirstKeys } from './first-keys.js';
import { boundsIn, type GivenFilters, type MetricListFilter } from './parameters.js';
import { listForm } from './views.js';

/** Scope of a list of metrics: these installations of a project, or a group or user of the project. */
type MetricListScope = Readonly<{
  projectId: string;
  installations: readonly MeasuredInstallation[];
  /** Set if the installations are all of the project. */
  wholeProject: boolean;
  /** Default {@link EVERYBODY}. */
  member?: string;
}>;

/** The metrics of one definition of an installation, and their number. */
type ListedSeries = SeriesRef & Readonly<{ count: number }>;

/** Sort keys of the metrics on a page, and the number of metrics on all pages. */
type Found = Readonly<{ sortKeys: readonly string[]; total: number }>;

/** Maximum number of sort keys of one series per read. */
const AT_ONCE = 1_000;

const seriesOf = ({ projectId, installations }: MetricListScope, wanted: string | undefined): readonly ListedSeries[] =>
  installations.flatMap(({ definitions }) =>
    Object.entries(definitions).flatMap(([definitionId, series]) =>
      wanted === undefined || wanted === definitionId ? [{ projectId, ...series }] : [],
    ),
  );

const countOf = (series: readonly ListedSeries[]): number => series.reduce((sum, { count }) => sum + count, 0);

/** Pages of metrics in the list form, in the order in which they were recorded (accounting contract 3.4). */
@Injectable()
export class MetricLists {
  constructor(
    private readonly metrics: MetricListQueries,
    private readonly definitions: DefinitionQueries,
  ) {}

  async page(scope: MetricListScope, filter: MetricListFilter, paging: Paging, work: Work): Promise<PageOf> {
    const { sortKeys, total } = await this.find(scope, filter, paging, work);
    return { content: await this.texts(await this.metrics.documents(scope.projectId, sortKeys)), total };
  }

  /** The filter of a call: its definition is checked first, then its days. @throws AccountingError 404, 400 */
  async filterOf(given: GivenFilters): Promise<MetricListFilter> {
    const { definition } = given;
    if (!definition) return boundsIn(given);
    const { document } = await existing(this.definitions.definition(definition), errors.definitionNotFound, definition);
    return { definitionId: document.metric_definition_id, ...boundsIn(given) };
  }

  /** Metrics in the list form. */
  async texts(metrics: readonly MetricDocument[]): Promise<readonly string[]> {
    const definitions = await this.definitions.definitionsById(metrics.map(({ definitionId }) => definitionId));
    const texts = new Map([...definitions].map(([id, definition]) => [id, JSON.stringify(definition)]));
    return metrics.map((metric) => listForm(metric, texts.get(metric.definitionId) ?? 'null'));
  }

  private async find(scope: MetricListScope, filter: MetricListFilter, paging: Paging, work: Work): Promise<Found> {
    const { projectId, member = EVERYBODY, wholeProject } = scope;
    const { definitionId, from, until } = filter;
    const series = seriesOf(scope, definitionId);
    if (from !== undefined || until !== undefined) return this.within(scope, series, filter, paging, work);
    const part = { offset: offsetOf(paging), limit: paging.size };
    if (member !== EVERYBODY) return this.metrics.ofMember(projectId, member, part);
    const total = countOf(series);
    if (part.offset >= total) return { sortKeys: [], total };
    if (wholeProject && definitionId === undefined) return { sortKeys: await this.metrics.ofProject(projectId, part), total };
    const [only] = series;
    if (only && series.length === 1) return { sortKeys: await this.metrics.ofSeries(only, part), total };
    return { sortKeys: await this.merged(series, paging, work), total };
  }

  /** Merges several series in the order in which their metrics were recorded. */
  private async merged(series: readonly ListedSeries[], paging: Paging, work: Work): Promise<readonly string[]> {
    const offset = offsetOf(paging);
    const first = new FirstKeys(offset + paging.size);
    const { slice } = work;
    for (const one of series) {
      if (work.isPointless) break;
      let left = offset + paging.size;
      for await (const sortKeys of this.metrics.allOfSeries(one, { slice, most: Math.min(left, AT_ONCE) })) {
        await first.add(sortKeys);
        left -= sortKeys.length;
        if (left <= 0 || work.isPointless) break;
      }
      if (slice.isOver) await slice.next();
    }
    return first.from(offset);
  }

  /** The metrics of the series within the bounds of the filter. For a page behind all of them they are only counted. */
  private async within(
    { member }: MetricListScope,
    series: readonly ListedSeries[],
    { from, until }: MetricListFilter,
    paging: Paging,
    work: Work,
  ): Promise<Found> {
    const [offset, most] = [offsetOf(paging), countOf(series)];
    const first = new FirstKeys(offset < most ? Math.min(offset + paging.size, most) : 0);
    const { slice } = work;
    for (const one of series) {
      if (work.isPointless) break;
      for await (const sortKeys of this.metrics.within(one, { from, until, member }, slice)) {
        await first.add(sortKeys);
        if (work.isPointless) break;
        if (slice.isOver) await slice.next();
      }
      if (slice.isOver) await slice.next();
    }
    return { sortKeys: await first.from(offset), total: first.total };
  }
}
