import { Injectable } from '@nestjs/common';
import { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { offsetOf, type PageOf, type Paging } from '#api/accounting/paging.js';
import type { Instant } from '#domain/accounting/metrics/instants.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import { documentsIn, parse, STEP } from '#projections/accounting/document-batches.js';
import {
  DAY,
  EVERYBODY,
  listForm,
  type Measure,
  type MetricDocument,
  membersOf,
  usageCollections,
} from '#projections/accounting/metrics/usage-documents.js';
import { keyOf, keysUnder } from '#projections/shared/key-part.js';
import type { KeyRange, StoredDocument } from '#projections/shared/read-store.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import { type MeasuredInstallation, UsageReader } from './usage-reader.js';

/** Which metrics a list holds: those of these installations of a project, or of a group or user of the project. */
export type MetricListScope = Readonly<{
  projectId: string;
  installations: readonly MeasuredInstallation[];
  /** The installations are all of the project. */
  wholeProject: boolean;
  /** Default {@link EVERYBODY}. */
  member?: string;
}>;

/** `from`: begins then or later; `until`: ends then or earlier. */
export type MetricListFilter = Readonly<{ definitionId?: string; from?: Instant; until?: Instant }>;

/** Metrics of one definition of an installation, in the order of their age. */
type Series = Readonly<{ installationId: string; definitionId: string; count: number }>;

/** The places of some metrics in the order of their age, and how many there are in all. */
type Found = Readonly<{ places: readonly string[]; total: number }>;

const { ofProject, ofDefinition, ofMember, memberCounts, measures } = usageCollections;

const lastPart = ({ key }: StoredDocument): string => key.slice(key.lastIndexOf('/') + 1);

const seriesOf = ({ installations }: MetricListScope, definitionId: string | undefined): readonly Series[] =>
  installations.flatMap(({ installationId, definitions }) =>
    Object.entries(definitions).flatMap(([id, count]) =>
      definitionId === undefined || definitionId === id ? [{ installationId, definitionId: id, count }] : [],
    ),
  );

/** Keeps the places that come first, however many it is given. */
class FirstPlaces {
  private places: string[] = [];
  private total = 0;

  constructor(private readonly limit: number) {}

  add(place: string): void {
    this.total += 1;
    this.places.push(place);
  }

  /** To be called every thousand places or so: forgets those that came too late, once they are many. */
  async cut(): Promise<void> {
    if (this.places.length >= 2 * this.limit + STEP) await this.sort();
  }

  async found(offset: number): Promise<Found> {
    await this.sort();
    return { places: this.places.slice(offset), total: this.total };
  }

  private async sort(): Promise<void> {
    await sortInSlices(this.places, (a, b) => (a < b ? -1 : 1), new TimeSlice());
    this.places = this.places.slice(0, this.limit);
  }
}

/** Pages of metrics in the list form, in the order in which they were recorded (accounting contract 3.4). */
@Injectable()
export class MetricLists {
  constructor(
    private readonly usage: UsageReader,
    private readonly catalogue: CatalogueReader,
  ) {}

  async page(scope: MetricListScope, filter: MetricListFilter, paging: Paging): Promise<PageOf> {
    const { places, total } = await this.find(scope, filter, paging);
    const keys = places.map((place) => keyOf(scope.projectId, place));
    const stored = keys.length === 0 ? [] : await this.usage.view.getMany(ofProject, keys);
    const metrics = stored.flatMap((bytes) => (bytes === null ? [] : [JSON.parse(bytes.toString('utf8')) as MetricDocument]));
    return { content: await this.texts(metrics), total };
  }

  /** The metrics in the list form. */
  async texts(metrics: readonly MetricDocument[]): Promise<readonly string[]> {
    const definitions = await this.catalogue.definitionsOf(metrics.map(({ definitionId }) => definitionId));
    const texts = new Map([...definitions].map(([id, definition]) => [id, JSON.stringify(definition)]));
    return metrics.map((metric) => listForm(metric, texts.get(metric.definitionId) ?? 'null'));
  }

  private find(scope: MetricListScope, filter: MetricListFilter, paging: Paging): Promise<Found> {
    const { projectId, member = EVERYBODY, wholeProject } = scope;
    const { definitionId, from, until } = filter;
    const series = seriesOf(scope, definitionId);
    if (from !== undefined || until !== undefined) return this.within(scope, series, filter, paging);
    if (member !== EVERYBODY) return this.ofMember(projectId, member, paging);
    const total = series.reduce((sum, { count }) => sum + count, 0);
    if (wholeProject && definitionId === undefined) return this.slice(ofProject, keysUnder(projectId), total, paging);
    const [only] = series;
    if (only && series.length === 1)
      return this.slice(ofDefinition, keysUnder(projectId, only.installationId, only.definitionId), total, paging);
    return this.merged(projectId, series, total, paging);
  }

  private async ofMember(projectId: string, member: string, paging: Paging): Promise<Found> {
    const count = await this.usage.view.get(memberCounts, keyOf(projectId, member));
    return this.slice(ofMember, keysUnder(projectId, member), Number(count ?? 0), paging);
  }

  private async slice(collection: string, range: KeyRange, total: number, paging: Paging): Promise<Found> {
    const offset = offsetOf(paging);
    if (offset >= total) return { places: [], total };
    const found = await this.usage.view.range(collection, { ...range, offset, limit: paging.size });
    return { places: found.map(lastPart), total };
  }

  /** Several series in the order of their metrics' age. */
  private async merged(projectId: string, series: readonly Series[], total: number, paging: Paging): Promise<Found> {
    const offset = offsetOf(paging);
    if (offset >= total) return { places: [], total };
    const first = new FirstPlaces(offset + paging.size);
    const slice = new TimeSlice();
    for (const { installationId, definitionId } of series) {
      const range = keysUnder(projectId, installationId, definitionId);
      let left = offset + paging.size;
      for await (const documents of documentsIn(this.usage.view, ofDefinition, range, Math.min(left, STEP))) {
        for (const document of documents) first.add(lastPart(document));
        await first.cut();
        left -= documents.length;
        if (left <= 0) break;
      }
      if (slice.isOver) await slice.next();
    }
    return { places: (await first.found(offset)).places, total };
  }

  /** Those of the series that lie within the bounds: what begins on days outside of them is not read. */
  private async within(
    { projectId, member = EVERYBODY }: MetricListScope,
    series: readonly Series[],
    { from = '', until }: MetricListFilter,
    paging: Paging,
  ): Promise<Found> {
    const offset = offsetOf(paging);
    const first = new FirstPlaces(offset + paging.size);
    const slice = new TimeSlice();
    for (const { installationId, definitionId } of series) {
      const { gte, lt } = keysUnder(projectId, installationId, definitionId);
      const range = { gte: `${gte}${from.slice(0, DAY)}`, lt: until === undefined ? lt : `${gte}${until.slice(0, DAY)}0` };
      for await (const documents of documentsIn(this.usage.view, measures, range)) {
        for (const document of documents) {
          const measure = parse<Measure>(document.value);
          const isInside = measure.start >= from && (until === undefined || measure.end <= until);
          if (isInside && (member === EVERYBODY || membersOf(measure).includes(member))) first.add(lastPart(document));
        }
        await first.cut();
        if (slice.isOver) await slice.next();
      }
      if (slice.isOver) await slice.next();
    }
    return first.found(offset);
  }
}
