import { add, type Decimal, decimal, decimalText, negate } from '#domain/accounting/decimal.js';
import type { Metric } from '#domain/accounting/metrics/metric-events.js';
import { known } from '#projections/accounting/known.js';
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
  type SeriesRef,
  series,
  usedDefinitions,
} from './documents.js';
import { type Bucket, type Buckets, changedLines, days, measures, memberSeriesKey, months, type Units, unitsOf } from './sums.js';

const without = <T>(record: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> => {
  const { [name]: _, ...others } = record;
  return others;
};

/** `undefined` for an empty record, so that the document is removed. */
const unlessEmpty = <T extends object>(record: T): T | undefined => (Object.keys(record).length > 0 ? record : undefined);

/** Adds to a count, which is removed at zero. */
export const addTo = (documents: DocumentChanges, count: DocumentRef<number>, more: 1 | -1): void =>
  documents.set(count, (documents.get(count) ?? 0) + more || undefined);

/** Adds `more` metrics of a definition to the counts of a project. A negative number subtracts. A definition without metrics is removed. */
export const countInProject = (documents: DocumentChanges, projectId: string, definitionId: string, more: number): void => {
  const project = projects.at(projectId);
  const before = documents.get(project) ?? {};
  const count = (before[definitionId] ?? 0) + more;
  const after: DefinitionCounts = count > 0 ? { ...before, [definitionId]: count } : without(before, definitionId);
  documents.set(project, unlessEmpty(after));
  const used = definitionId in after;
  if (used !== definitionId in before) documents.set(usedDefinitions.at({ definitionId, projectId }), used ? true : undefined);
};

/** Counts a metric of an installation that is known, and returns its series. `place`: the name of the series if this is its first metric. */
const countInSeries = (documents: DocumentChanges, metric: Metric, more: 1 | -1, place: string): SeriesRef => {
  const { projectId, definitionId } = metric;
  countInProject(documents, projectId, definitionId, more);
  const reference = installations.at(metric);
  const installation = known(documents.get(reference), 'installation');
  const { count, series } = installation.definitions[definitionId] ?? { count: 0, series: place };
  const after = count + more;
  const definitions =
    after > 0 ? { ...installation.definitions, [definitionId]: { count: after, series } } : without(installation.definitions, definitionId);
  documents.set(reference, { ...installation, definitions });
  return { projectId, series };
};

/** Adds (`1`) or subtracts (`-1`) a value. `undefined` if no metrics are left. */
const changed = (before: Bucket | undefined, more: 1 | -1, value: Decimal): Bucket | undefined => {
  const [count, sum] = before ?? [0, '0'];
  return count + more > 0 ? [count + more, decimalText(add(decimal(sum), more > 0 ? value : negate(value)))] : undefined;
};

const withBucket = (buckets: Buckets, last: string, bucket: Bucket | undefined): Buckets =>
  bucket ? { ...buckets, [last]: bucket } : without(buckets, last);

/** The sums that include a metric for a member. */
const sumsOf = ({ projectId, installationId, definitionId }: Metric, member: string, { firstMonth, lastMonth }: Units) => {
  const of = memberSeriesKey({ projectId, installationId, definitionId, member });
  return { months: months.at({ of, firstMonth }), days: days.at({ of, firstMonth, lastMonth }) };
};

/** Adds (`1`) or subtracts (`-1`) a metric in the sums of a member. */
const addToSums = (documents: DocumentChanges, metric: Metric, member: string, more: 1 | -1): void => {
  const units = unitsOf(metric);
  const value = decimal(metric.value);
  const sums = sumsOf(metric, member, units);
  const inMonths = documents.get(sums.months) ?? {};
  documents.set(sums.months, unlessEmpty(withBucket(inMonths, units.lastMonth, changed(inMonths[units.lastMonth], more, value))));
  documents.set(
    sums.days,
    changedLines(documents.get(sums.days) ?? '', units, (before) => changed(before, more, value)),
  );
};

/** Where a metric is in the lists. `now`: the place of the event that changes it. */
type Places = Readonly<{ sortKey: string; now: string }>;

/** Adds (`1`) or subtracts (`-1`) a metric everywhere except in its own document. Its installation is known. */
export const tally = (documents: DocumentChanges, metric: Metric, more: 1 | -1, { sortKey, now }: Places): void => {
  const { projectId } = metric;
  const [members, { firstDay, lastDay }] = [membersOf(metric), unitsOf(metric)];
  const entry = more > 0 ? (true as const) : undefined;
  const ofSeries = countInSeries(documents, metric, more, now);
  documents.set(series.at({ ...ofSeries, sortKey }), entry);
  documents.set(measures.at({ ...ofSeries, firstDay, lastDay, sortKey }), entry);
  for (const member of [EVERYBODY, ...members]) addToSums(documents, metric, member, more);
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
    const sums = sumsOf(metric, member, units);
    references.push(sums.months, sums.days);
  }
  return references;
};
