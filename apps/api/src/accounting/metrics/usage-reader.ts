import { Inject, Injectable } from '@nestjs/common';
import { READ_STORE } from '#api/shared/tokens.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import { documentsIn } from '#projections/accounting/document-batches.js';
import {
  type CapacityDocument,
  capacitiesCodec,
  type DefinitionCounts,
  type MetricDocument,
  type MetricPlace,
  shortForm,
  USAGE_PROJECTION,
  type UsedInstallation,
  usageCollections,
} from '#projections/accounting/metrics/usage-documents.js';
import { keyOf, keysUnder } from '#projections/shared/key-part.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';

const { installations, capacities, metrics, ofProject } = usageCollections;

/** Where an installation hangs. */
export type UsagePlace = Readonly<{ projectId: string; installationId: string }>;
/** An installation and how many metrics it has of each definition. */
export type MeasuredInstallation = UsagePlace & Readonly<{ definitions: DefinitionCounts }>;

const keyOfPlace = ({ projectId, installationId }: UsagePlace): string => keyOf(projectId, installationId);
const parse = <T>(bytes: Buffer | null): T | undefined => (bytes === null ? undefined : (JSON.parse(bytes.toString('utf8')) as T));

/** Metrics and capacities for those who look them up; for sums see `totalsOf`, for lists `MetricLists`. */
@Injectable()
export class UsageReader {
  readonly view: ReadView;

  constructor(@Inject(READ_STORE) store: ReadStore) {
    this.view = store.view(USAGE_PROJECTION);
  }

  /** The short form of a metric of the installation. */
  async findMetric({ projectId, installationId }: UsagePlace, metricId: string): Promise<string | undefined> {
    const id = storedObjectId(metricId);
    const found = id === undefined ? undefined : parse<MetricPlace>(await this.view.get(metrics, keyOf(projectId, id)));
    const metric = found && parse<MetricDocument>(await this.view.get(ofProject, keyOf(projectId, found.place)));
    return metric?.installationId === installationId ? shortForm(metric) : undefined;
  }

  /** How many metrics of each definition the installations have, in the order asked. */
  async definitionCounts(places: readonly UsagePlace[]): Promise<readonly DefinitionCounts[]> {
    if (places.length === 0) return [];
    const found = await this.view.getMany(installations, places.map(keyOfPlace));
    return found.map((bytes) => parse<UsedInstallation>(bytes)?.definitions ?? {});
  }

  /** The installations of a project, or of one of its providers there, that have metrics. */
  async measured(projectId: string, providerId?: string): Promise<readonly MeasuredInstallation[]> {
    const range = keysUnder(projectId);
    const slice = new TimeSlice();
    const measured: MeasuredInstallation[] = [];
    for await (const documents of documentsIn(this.view, installations, range))
      for (const { key, value } of documents) {
        const { providerId: own, definitions } = JSON.parse(value.toString('utf8')) as UsedInstallation;
        const wanted = (providerId === undefined || providerId === own) && Object.keys(definitions).length > 0;
        if (wanted) measured.push({ projectId, installationId: key.slice(range.gte.length), definitions });
        if (slice.isOver) await slice.next();
      }
    return measured;
  }

  /** The capacities of an installation as the answer of their list, in the order of their creation. */
  async capacityList(place: UsagePlace): Promise<Buffer> {
    return (await this.view.get(capacities, keyOfPlace(place))) ?? Buffer.from('[]');
  }

  /** The capacities of each of the installations. */
  async capacities(places: readonly UsagePlace[], slice: TimeSlice): Promise<readonly (readonly CapacityDocument[])[]> {
    if (places.length === 0) return [];
    const found = await this.view.getMany(capacities, places.map(keyOfPlace));
    const lists: (readonly CapacityDocument[])[] = [];
    for (const bytes of found) {
      lists.push(bytes === null ? [] : capacitiesIn(bytes));
      if (slice.isOver) await slice.next();
    }
    return lists;
  }
}

/** The capacities in the answer of their list. */
export const capacitiesIn = (list: Buffer): readonly CapacityDocument[] => capacitiesCodec.decode(list.toString('utf8'));
