import { CAPACITIES_CATEGORY, type CapacityEvent } from '#domain/accounting/capacities/capacity-events.js';
import {
  CATALOGUE_CATEGORY,
  type CatalogueEvent,
  PROJECT_CATEGORY,
  type ProjectEvent,
} from '#domain/accounting/catalogue/catalogue-events.js';
import { DEFINITIONS_CATEGORY } from '#domain/accounting/definitions/definition-events.js';
import { METRIC_CATEGORY, type Metric, type MetricEvent } from '#domain/accounting/metrics/metric-events.js';
import { dayMade } from '#domain/accounting/object-id.js';
import type { AnyCollection, DocumentRef } from '#projections/shared/collection.js';
import { changing, DocumentChanges } from '#projections/shared/document-changes.js';
import { keyOf } from '#projections/shared/key-part.js';
import type { ReadDocument } from '#projections/shared/projection.js';
import { type EventOf, type Handlers, reading, readModel } from '#projections/shared/read-model.js';
import { capacities } from './capacities/documents.js';
import { capacityHandlers } from './capacities/handlers.js';
import { known } from './known.js';
import { placeOf } from './log-order.js';
import { closingHandlers, isVoid, readByVoid, type UsageClosing } from './metrics/closings.js';
import {
  closedDefinitions,
  type InstallationRef,
  installationKey,
  installations,
  METRICS_READ_MODEL,
  type MetricIndexDocument,
  members,
  metricIndex,
  metrics,
  metricsOfMembers,
  projects,
  recordedOn,
  repeatedKey,
  repeatedMembers,
  series,
  usedDefinitions,
  users,
} from './metrics/documents.js';
import { type RepeatedMembers, storedMetric } from './metrics/stored-metric.js';
import { days, measures, months } from './metrics/sums.js';
import { addTo, countInProject, readByTally, tally } from './metrics/tally.js';
import { ofUsageEvent } from './partitions.js';

type ProjectDeleted = Extract<CatalogueEvent, { type: 'ProjectDeleted' }>;
type InstallationWritten = Extract<ProjectEvent, { type: 'InstallationCreated' | 'InstallationRevised' }>;
type InstallationDeleted = Extract<ProjectEvent, { type: 'InstallationDeleted' }>;
type HierarchyEvent = ProjectDeleted | InstallationWritten | InstallationDeleted;
type OfType<Type extends MetricEvent['type']> = EventOf<Extract<MetricEvent, { type: Type }>>;

/** Collections with keys that start with the project and the installation. */
const ofInstallation = [months, days, repeatedMembers, users] as const;
/** Collections with keys that start with the project and the series. */
const ofSeries = [series, measures] as const;
/** Collections with keys that start with the project. */
const ofProject = [
  ...ofInstallation,
  ...ofSeries,
  installations,
  metricIndex,
  capacities,
  metrics,
  metricsOfMembers,
  members,
  recordedOn,
] as const;

export const metricsCollections: readonly AnyCollection[] = [...ofProject, projects, usedDefinitions, closedDefinitions];

/** Documents that every change of a metric reads, because events about an installation that was deleted meanwhile are ignored. */
const placesOf = (data: InstallationRef): readonly DocumentRef<unknown>[] => [projects.at(data.projectId), installations.at(data)];

const recordedOnDayOf = ({ projectId, metricId }: Metric) => recordedOn.at({ projectId, day: dayMade(metricId) });

const repeatedOf = (members: RepeatedMembers): RepeatedMembers => {
  const { definitionId, providerId, projectAcronym, installation, infrastructure, resource, creatorId } = members;
  return { definitionId, providerId, projectAcronym, installation, infrastructure, resource, creatorId };
};

/** Reference to the repeated members of a metric. */
const repeatedAt = ({ projectId, installationId }: InstallationRef, repeated: string) =>
  repeatedMembers.at({ projectId, installationId, repeated });

/** Keeps the repeated members of a metric that has another definition now. Returns their key. */
const keepRedefined = (documents: DocumentChanges, metric: Metric, [place, before]: MetricIndexDocument): string => {
  const repeated = { ...known(documents.get(repeatedAt(metric, before)), 'repeated members'), definitionId: metric.definitionId };
  const key = repeatedKey(repeated);
  documents.set(repeatedAt(metric, key), repeated);
  documents.set(metricIndex.at(metric), [place, key]);
  return key;
};

const metricHandlers: Handlers<MetricEvent> = {
  MetricRecorded: changing(
    (event: OfType<'MetricRecorded'>) => [
      projects.at(event.data.projectId),
      ...readByVoid(event),
      recordedOnDayOf(event.data),
      repeatedAt(event.data, repeatedKey(event.data)),
      ...readByTally(event.data),
    ],
    (event, documents) => {
      if (isVoid(event, documents)) return;
      const { data } = event;
      const sortKey = placeOf(event);
      tally(documents, data, 1, { sortKey, now: sortKey });
      addTo(documents, recordedOnDayOf(data), 1);
      const key = repeatedKey(data);
      const repeated = repeatedAt(data, key);
      if (!documents.get(repeated)) documents.set(repeated, repeatedOf(data));
      documents.set(metrics.at({ projectId: data.projectId, sortKey }), storedMetric(data, key));
      documents.set(metricIndex.at(data), [sortKey, key]);
    },
  ),
  MetricRevised: {
    ...changing(
      ({ data }: OfType<'MetricRevised'>) => [...placesOf(data), metricIndex.at(data), ...readByTally(data.before), ...readByTally(data)],
      (event, documents) => {
        const { before, ...after } = event.data;
        const indexed = documents.get(metricIndex.at(after));
        if (!indexed || !documents.get(installations.at(after))) return;
        const [sortKey, repeated] = indexed;
        const places = { sortKey, now: placeOf(event) };
        tally(documents, before, -1, places);
        tally(documents, after, 1, places);
        const key = before.definitionId === after.definitionId ? repeated : keepRedefined(documents, after, indexed);
        documents.set(metrics.at({ projectId: after.projectId, sortKey }), storedMetric(after, key));
      },
    ),
    readsNext: ({ data }: OfType<'MetricRevised'>, read: ReadDocument) => {
      const { collection, key } = metricIndex.at(data);
      const indexed = read(collection, key) as MetricIndexDocument | undefined;
      return indexed && data.before.definitionId !== data.definitionId ? [repeatedAt(data, indexed[1])] : [];
    },
  },
  MetricRemoved: changing(
    ({ data }: OfType<'MetricRemoved'>) => [...placesOf(data), metricIndex.at(data), recordedOnDayOf(data), ...readByTally(data)],
    (event, documents) => {
      const { data } = event;
      const indexed = documents.get(metricIndex.at(data));
      if (!indexed || !documents.get(installations.at(data))) return;
      const [sortKey] = indexed;
      tally(documents, data, -1, { sortKey, now: placeOf(event) });
      addTo(documents, recordedOnDayOf(data), -1);
      documents.set(metrics.at({ projectId: data.projectId, sortKey }), undefined);
      documents.set(metricIndex.at(data), undefined);
    },
  ),
};

const installationWritten = reading(
  ({ data }: EventOf<InstallationWritten>) => ({ before: installations.at(data) }),
  // This ends any closing of the installation.
  ({ data }, { before }) => [installations.put(data, { providerId: data.organisation, definitions: before?.definitions ?? {} })],
);

const hierarchyHandlers: Handlers<HierarchyEvent> = {
  ProjectDeleted: reading(
    ({ data: { projectId } }: EventOf<ProjectDeleted>) => ({ counts: projects.at(projectId) }),
    ({ data: { projectId } }, { counts = {} }) => [
      ...ofProject.map((one) => one.removeUnder(`${keyOf(projectId)}/`)),
      ...Object.keys(counts).map((definitionId) => usedDefinitions.remove({ definitionId, projectId })),
      projects.remove(projectId),
    ],
  ),
  InstallationCreated: installationWritten,
  InstallationRevised: installationWritten,
  InstallationDeleted: {
    reads: ({ data }: EventOf<InstallationDeleted>) => placesOf(data),
    apply: ({ data }: EventOf<InstallationDeleted>, read: ReadDocument) => {
      const documents = new DocumentChanges(read);
      const { definitions = {} } = documents.get(installations.at(data)) ?? {};
      // Metrics may have been recorded between the decision to delete the installation and its deletion.
      for (const definitionId of Object.keys(definitions)) countInProject(documents, data.projectId, definitionId, -1);
      return [
        ...documents.all,
        ...Object.values(definitions).flatMap((one) => ofSeries.map((list) => list.removeUnder(`${keyOf(data.projectId, one.series)}/`))),
        ...ofInstallation.map((one) => one.removeUnder(`${installationKey(data)}/`)),
        installations.remove(data),
        capacities.remove(data),
      ];
    },
  },
};

/**
 * Metrics and capacities: singly, in lists, and as sums by the months and days in which metrics began and ended. A report therefore reads as many
 * documents for a million metrics as for a thousand. Corrections are computed from the events alone.
 */
export const metricsProjection = readModel<HierarchyEvent | MetricEvent | CapacityEvent | UsageClosing>(
  {
    name: METRICS_READ_MODEL,
    version: 7,
    readsFrom: 6, // metrics are without the members that they repeat
    service: 'accounting',
    categories: [CATALOGUE_CATEGORY, PROJECT_CATEGORY, DEFINITIONS_CATEGORY, CAPACITIES_CATEGORY, METRIC_CATEGORY],
    collections: metricsCollections,
    partitionsOf: ofUsageEvent,
  },
  { ...hierarchyHandlers, ...closingHandlers, ...metricHandlers, ...capacityHandlers },
);
