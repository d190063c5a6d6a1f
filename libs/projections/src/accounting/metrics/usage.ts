import {
  CATALOGUE_CATEGORY,
  type CatalogueEvent,
  installationSubject,
  PROJECT_CATEGORY,
  type ProjectEvent,
} from '#domain/accounting/catalogue/catalogue-events.js';
import { add, type Decimal, decimal, decimalText, negate, ZERO } from '#domain/accounting/decimal.js';
import type { MetricCopies } from '#domain/accounting/metrics/metric-rules.js';
import {
  CAPACITIES_CATEGORY,
  type CapacityEvent,
  METRIC_CATEGORY,
  type Metric,
  type MetricEvent,
} from '#domain/accounting/metrics/usage-events.js';
import { orderOf } from '#projections/accounting/log-order.js';
import { PROJECT } from '#projections/accounting/partitions.js';
import { defineProjection, type EventOf } from '#projections/shared/define.js';
import { Draft } from '#projections/shared/draft.js';
import { keyOf } from '#projections/shared/key-part.js';
import { byMember, firstPart, ownedBy } from '#projections/shared/partitions.js';
import {
  type DocumentChange,
  type DocumentKey,
  type Projection,
  put,
  type ReadDocument,
  remove,
  removePrefix,
} from '#projections/shared/projection.js';
import {
  type Bucket,
  type Buckets,
  bucketKeys,
  type CapacityDocument,
  capacitiesCodec,
  type DefinitionCounts,
  EVERYBODY,
  type Measure,
  type MetricDocument,
  type MetricPlace,
  measureKey,
  membersOf,
  recordedKey,
  type Units,
  USAGE_PROJECTION,
  type UsedInstallation,
  unitsOf,
  usageCollections,
} from './usage-documents.js';

type HierarchyEvent =
  | Extract<CatalogueEvent, { type: 'ProjectDeleted' }>
  | Extract<ProjectEvent, { type: 'InstallationCreated' | 'InstallationRevised' | 'InstallationDeleted' }>;
type UsageEvent = HierarchyEvent | MetricEvent | CapacityEvent;

const c = usageCollections;

const numberOf = (document: unknown): number => (typeof document === 'number' ? document : 0);
const countsOf = (document: unknown): DefinitionCounts => (document ?? {}) as DefinitionCounts;

/** So many more metrics of a definition; those that have none are left out. */
const counted = (counts: DefinitionCounts, definitionId: string, more: number): DefinitionCounts => {
  const after = (counts[definitionId] ?? 0) + more;
  return after > 0 ? { ...counts, [definitionId]: after } : without(counts, definitionId);
};

const without = <T>(record: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> => {
  const { [name]: _, ...others } = record;
  return others;
};

/** `undefined` where nothing is left. */
const unlessEmpty = <T extends object>(record: T): T | undefined => (Object.keys(record).length > 0 ? record : undefined);

const addTo = (draft: Draft, collection: string, key: string, more: 1 | -1): void =>
  draft.set(collection, key, numberOf(draft.get(collection, key)) + more || undefined);

const countInProject = (draft: Draft, projectId: string, definitionId: string, more: number): void => {
  const project = keyOf(projectId);
  const before = countsOf(draft.get(c.projects, project));
  const after = counted(before, definitionId, more);
  draft.set(c.projects, project, unlessEmpty(after));
  const used = definitionId in after;
  if (used !== definitionId in before) draft.set(c.definitions, keyOf(definitionId, projectId), used ? 1 : undefined);
};

const count = (draft: Draft, { projectId, installationId, definitionId }: Metric, more: 1 | -1): void => {
  countInProject(draft, projectId, definitionId, more);
  const key = keyOf(projectId, installationId);
  const installation = draft.get(c.installations, key) as UsedInstallation;
  draft.set(c.installations, key, { ...installation, definitions: counted(installation.definitions, definitionId, more) });
};

/** One more value, or less, in the bucket of what ended in a unit. */
const fill = (draft: Draft, collection: string, key: string, last: string, more: 1 | -1, value: Decimal): void => {
  const buckets = (draft.get(collection, key) ?? {}) as Buckets;
  const before = buckets[last];
  const after: Bucket = {
    count: (before?.count ?? 0) + more,
    sum: decimalText(add(before ? decimal(before.sum) : ZERO, more > 0 ? value : negate(value))),
  };
  draft.set(collection, key, after.count > 0 ? { ...buckets, [last]: after } : unlessEmpty(without(buckets, last)));
};

const fillBuckets = (draft: Draft, metric: Metric, units: Units, members: readonly string[], more: 1 | -1): void => {
  const value = decimal(metric.value);
  for (const member of [EVERYBODY, ...members]) {
    const { months, days } = bucketKeys(metric, member, units);
    fill(draft, c.months, months, units.lastMonth, more, value);
    fill(draft, c.days, days, units.lastDay, more, value);
  }
};

/** Counts a metric in, or out, everywhere but where the metric itself is kept. */
const tally = (draft: Draft, metric: Metric, place: string, more: 1 | -1): void => {
  const { projectId, installationId, definitionId, periodStart, periodEnd, groupId, userKey } = metric;
  const entry = more > 0 ? 1 : undefined;
  const [members, units] = [membersOf(metric), unitsOf(metric)];
  count(draft, metric, more);
  draft.set(c.ofDefinition, `${keyOf(projectId, installationId, definitionId)}/${place}`, entry);
  const measure: Measure = { start: periodStart, end: periodEnd, value: metric.value, groupId, userKey };
  draft.set(c.measures, measureKey(metric, units, place), more > 0 ? measure : undefined);
  fillBuckets(draft, metric, units, members, more);
  for (const member of members) {
    const key = keyOf(projectId, member);
    draft.set(c.ofMember, `${key}/${place}`, entry);
    addTo(draft, c.memberCounts, key, more);
  }
};

const keysOfTally = (metric: Metric): readonly DocumentKey[] => {
  const [members, units] = [membersOf(metric), unitsOf(metric)];
  const keys: DocumentKey[] = members.map((member) => ({ collection: c.memberCounts, key: keyOf(metric.projectId, member) }));
  for (const member of [EVERYBODY, ...members]) {
    const { months, days } = bucketKeys(metric, member, units);
    keys.push({ collection: c.months, key: months }, { collection: c.days, key: days });
  }
  return keys;
};

const keep = (draft: Draft, metric: MetricDocument, place: string): void =>
  draft.set(c.ofProject, `${keyOf(metric.projectId)}/${place}`, metric);

const copiesOf = ({ projectAcronym, installation, infrastructure, resource, creatorId }: MetricCopies): MetricCopies => ({
  projectAcronym,
  installation,
  infrastructure,
  resource,
  creatorId,
});

const changeMetric = (event: EventOf<MetricEvent>, read: ReadDocument): readonly DocumentChange[] => {
  const { projectId, installationId, metricId } = event.data;
  if (read(c.installations, keyOf(projectId, installationId)) === undefined) return []; // deleted in the meantime
  const draft = new Draft(read);
  if (event.type === 'MetricRecorded') {
    const place = orderOf(event);
    tally(draft, event.data, place, 1);
    addTo(draft, c.recorded, recordedKey(event.data), 1);
    keep(draft, event.data, place);
    draft.set(c.metrics, keyOf(projectId, metricId), { place, copies: copiesOf(event.data) } satisfies MetricPlace);
    return draft.changes();
  }
  const stored = read(c.metrics, keyOf(projectId, metricId)) as MetricPlace | undefined;
  if (!stored) return [];
  const { place, copies } = stored;
  if (event.type === 'MetricRemoved') {
    tally(draft, event.data, place, -1);
    addTo(draft, c.recorded, recordedKey(event.data), -1);
    draft.set(c.ofProject, `${keyOf(projectId)}/${place}`, undefined);
    draft.set(c.metrics, keyOf(projectId, metricId), undefined);
    return draft.changes();
  }
  const { before, ...after } = event.data;
  tally(draft, before, place, -1);
  tally(draft, after, place, 1);
  keep(draft, { ...after, ...copies }, place);
  return draft.changes();
};

const capacityDocument = ({
  capacityId,
  installationId,
  definitionId,
  value,
  registeredOn,
}: Extract<CapacityEvent, { type: 'CapacityRegistered' }>['data']): CapacityDocument => ({
  id: capacityId,
  installation_id: installationId,
  metric_definition_id: definitionId,
  value,
  registered_on: registeredOn,
});

const changeCapacity = (event: EventOf<CapacityEvent>, read: ReadDocument): readonly DocumentChange[] => {
  const key = keyOf(event.data.projectId, event.data.installationId);
  if (read(c.installations, key) === undefined) return []; // deleted in the meantime
  const before = (read(c.capacities, key) ?? []) as readonly CapacityDocument[];
  if (event.type === 'CapacityRegistered') return [put(c.capacities, key, [...before, capacityDocument(event.data)])];
  const { capacityId, value, registeredOn } = event.data;
  const after = before.map((capacity) => (capacity.id === capacityId ? { ...capacity, value, registered_on: registeredOn } : capacity));
  return [put(c.capacities, key, after)];
};

/** Collections whose keys begin with the project and the installation. */
const OF_INSTALLATION = [c.ofDefinition, c.months, c.days, c.measures];
const OF_PROJECT = [...OF_INSTALLATION, c.installations, c.metrics, c.capacities, c.ofProject, c.ofMember, c.memberCounts, c.recorded];

const changeHierarchy = (event: EventOf<HierarchyEvent>, read: ReadDocument): readonly DocumentChange[] => {
  const { projectId } = event.data;
  if (event.type === 'ProjectDeleted') {
    const used = Object.keys(countsOf(read(c.projects, keyOf(projectId))));
    return [
      ...OF_PROJECT.map((collection) => removePrefix(collection, `${keyOf(projectId)}/`)),
      ...used.map((definitionId) => remove(c.definitions, keyOf(definitionId, projectId))),
      remove(c.projects, keyOf(projectId)),
    ];
  }
  const key = keyOf(projectId, event.data.installationId);
  const before = read(c.installations, key) as UsedInstallation | undefined;
  if (event.type !== 'InstallationDeleted')
    return [put(c.installations, key, { providerId: event.data.organisation, definitions: before?.definitions ?? {} })];
  // Metrics that came between the decision to delete it and the deletion.
  const draft = new Draft(read);
  for (const [definitionId, metrics] of Object.entries(before?.definitions ?? {})) countInProject(draft, projectId, definitionId, -metrics);
  return [
    ...draft.changes(),
    ...OF_INSTALLATION.map((collection) => removePrefix(collection, `${key}/`)),
    remove(c.installations, key),
    remove(c.capacities, key),
  ];
};

const recordedOn = (metric: Metric): DocumentKey => ({ collection: c.recorded, key: recordedKey(metric) });

const keysOf = (event: EventOf<UsageEvent>): readonly DocumentKey[] => {
  const project = { collection: c.projects, key: keyOf(event.data.projectId) };
  if (event.type === 'ProjectDeleted') return [project];
  const { projectId, installationId } = event.data;
  const installation = { collection: c.installations, key: keyOf(projectId, installationId) };
  switch (event.type) {
    case 'InstallationCreated':
    case 'InstallationRevised':
    case 'InstallationDeleted':
      return [project, installation];
    case 'CapacityRegistered':
    case 'CapacityRevised':
      return [installation, { collection: c.capacities, key: keyOf(projectId, installationId) }];
    case 'MetricRecorded':
      return [project, installation, recordedOn(event.data), ...keysOfTally(event.data)];
    case 'MetricRevised':
    case 'MetricRemoved': {
      const metric = { collection: c.metrics, key: keyOf(projectId, event.data.metricId) };
      const before = event.type === 'MetricRevised' ? keysOfTally(event.data.before) : [];
      return [project, installation, metric, recordedOn(event.data), ...before, ...keysOfTally(event.data)];
    }
  }
};

/**
 * Metrics and capacities: each by itself, in lists, and summed up by the months and days in which they began and ended, so that a report
 * reads as much for a million metrics as for a thousand. Corrections follow from the events alone.
 */
export const usageProjection: Projection = defineProjection<UsageEvent>({
  name: USAGE_PROJECTION,
  version: 3,
  service: 'accounting',
  categories: [CATALOGUE_CATEGORY, PROJECT_CATEGORY, CAPACITIES_CATEGORY, METRIC_CATEGORY],
  handles: [
    'ProjectDeleted',
    'InstallationCreated',
    'InstallationRevised',
    'InstallationDeleted',
    'CapacityRegistered',
    'CapacityRevised',
    'MetricRecorded',
    'MetricRevised',
    'MetricRemoved',
  ],
  codecs: { [c.capacities]: capacitiesCodec },
  sealed: { [c.ofProject]: [{ path: 'userId', subject: ({ document }) => installationSubject(document.installationId), erased: 'null' }] },
  partitions: {
    ofEvent: (event) => byMember(event, { projectId: PROJECT }),
    owners: {
      ...ownedBy(firstPart(PROJECT), [...OF_PROJECT, c.projects]),
      [c.definitions]: { by: 'key', partition: (key) => `${PROJECT}:${key.slice(key.indexOf('/') + 1)}` },
    },
  },
  reads: keysOf,
  apply: (event, read) => {
    switch (event.type) {
      case 'MetricRecorded':
      case 'MetricRevised':
      case 'MetricRemoved':
        return changeMetric(event, read);
      case 'CapacityRegistered':
      case 'CapacityRevised':
        return changeCapacity(event, read);
      default:
        return changeHierarchy(event, read);
    }
  },
});
