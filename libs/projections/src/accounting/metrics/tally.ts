import { add, type Decimal, decimal, decimalText, negate, ZERO } from '#domain/accounting/decimal.js';
import type { Metric } from '#domain/accounting/metrics/metric-events.js';
import type { DocumentRef } from '#projections/shared/collection.js';
import type { DocumentChanges } from '#projections/shared/document-changes.js';
import {
  type DefinitionCounts,
  EVERYBODY,
  installations,
  memberCounts,
  memberKey,
  membersOf,
  metricsOfMembers,
  projects,
  series,
  usedDefinitions,
} from './documents.js';
import { type Bucket, type Buckets, days, type Measure, measures, memberSeriesKey, months, type Units, unitsOf } from './sums.js';

const without = <T>(record: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> => {
  const { [name]: _, ...others } = record;
  return others;
};

/** `undefined` for an empty record, so that the document is removed. */
const unlessEmpty = <T extends object>(record: T): T | undefined => (Object.keys(record).length > 0 ? record : undefined);

/** The counts after `more` metrics of a definition are added. A definition without metrics is removed. */
const counted = (counts: DefinitionCounts, definitionId: string, more: number): DefinitionCounts => {
  const after = (counts[definitionId] ?? 0) + more;
  return after > 0 ? { ...counts, [definitionId]: after } : without(counts, definitionId);
};

/** Adds to a count, which is removed at zero. */
export const addTo = (documents: DocumentChanges, count: DocumentRef<number>, more: 1 | -1): void =>
  documents.set(count, (documents.get(count) ?? 0) + more || undefined);

/** Adds `more` metrics of a definition to the counts of a project. A negative number subtracts. */
export const countInProject = (documents: DocumentChanges, projectId: string, definitionId: string, more: number): void => {
  const project = projects.at(projectId);
  const before = documents.get(project) ?? {};
  const after = counted(before, definitionId, more);
  documents.set(project, unlessEmpty(after));
  const used = definitionId in after;
  if (used !== definitionId in before) documents.set(usedDefinitions.at({ definitionId, projectId }), used ? 1 : undefined);
};

const count = (documents: DocumentChanges, metric: Metric, more: 1 | -1): void => {
  const { projectId, definitionId } = metric;
  countInProject(documents, projectId, definitionId, more);
  const reference = installations.at(metric);
  const installation = documents.get(reference);
  if (installation) documents.set(reference, { ...installation, definitions: counted(installation.definitions, definitionId, more) });
};

/** Adds (`1`) or subtracts (`-1`) a value in the bucket of the metrics that ended in the unit `last`. */
const fill = (documents: DocumentChanges, reference: DocumentRef<Buckets>, last: string, more: 1 | -1, value: Decimal): void => {
  const buckets = documents.get(reference) ?? {};
  const before = buckets[last];
  const after: Bucket = {
    count: (before?.count ?? 0) + more,
    sum: decimalText(add(before ? decimal(before.sum) : ZERO, more > 0 ? value : negate(value))),
  };
  documents.set(reference, after.count > 0 ? { ...buckets, [last]: after } : unlessEmpty(without(buckets, last)));
};

/** The sums that include a metric for a member. */
const bucketsOf = ({ projectId, installationId, definitionId }: Metric, member: string, { firstMonth, lastMonth, firstDay }: Units) => {
  const series = memberSeriesKey({ projectId, installationId, definitionId, member });
  return { months: months.at({ series, firstMonth }), days: days.at({ series, firstMonth, lastMonth, firstDay }) };
};

/** Adds (`1`) or subtracts (`-1`) a metric everywhere except in its own document. */
export const tally = (documents: DocumentChanges, metric: Metric, sortKey: string, more: 1 | -1): void => {
  const { projectId, installationId, definitionId, periodStart, periodEnd, groupId, userKey } = metric;
  const [members, units] = [membersOf(metric), unitsOf(metric)];
  const ofDefinition = { projectId, installationId, definitionId };
  const [entry, value] = [more > 0 ? (1 as const) : undefined, decimal(metric.value)];
  count(documents, metric, more);
  documents.set(series.at({ ...ofDefinition, sortKey }), entry);
  const measure: Measure = { start: periodStart, end: periodEnd, value: metric.value, groupId, userKey };
  const { firstDay, lastDay } = units;
  documents.set(measures.at({ series: ofDefinition, firstDay, lastDay, sortKey }), more > 0 ? measure : undefined);
  for (const member of [EVERYBODY, ...members]) {
    const buckets = bucketsOf(metric, member, units);
    fill(documents, buckets.months, units.lastMonth, more, value);
    fill(documents, buckets.days, units.lastDay, more, value);
  }
  for (const member of members) {
    const key = memberKey(projectId, member);
    documents.set(metricsOfMembers.at({ member: key, sortKey }), entry);
    addTo(documents, memberCounts.at(key), more);
  }
};

/** Documents that {@link tally} reads, besides those of the project and the installation. */
export const readByTally = (metric: Metric): readonly DocumentRef<unknown>[] => {
  const [members, units] = [membersOf(metric), unitsOf(metric)];
  const references: DocumentRef<unknown>[] = members.map((member) => memberCounts.at(memberKey(metric.projectId, member)));
  for (const member of [EVERYBODY, ...members]) {
    const buckets = bucketsOf(metric, member, units);
    references.push(buckets.months, buckets.days);
  }
  return references;
};
