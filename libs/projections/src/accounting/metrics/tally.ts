import { add, type Decimal, decimal, decimalText, negate } from '#domain/accounting/decimal.js';
import type { Metric } from '#domain/accounting/metrics/metric-events.js';
import { known } from '#projections/accounting/known.js';
import { shortId } from '#projections/accounting/short-id.js';
import type { DocumentRef } from '#projections/shared/collection.js';
import type { DocumentChanges } from '#projections/shared/document-changes.js';
import {
  type DefinitionCounts,
  EVERYBODY,
  installations,
  members,
  membersOf,
  metricsOfMembers,
  projects,
  type SeriesRef,
  series,
  usedDefinitions,
  users,
} from './documents.js';
import { userKeyOf } from './stored-metric.js';
import { type Bucket, changedLines, days, daysLine, measures, memberSeriesKey, months, type Units, unitsOf } from './sums.js';

const without = <T>(record: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> => {
  const { [name]: _, ...others } = record;
  return others;
};

/** `undefined` for an empty record, so that the document is removed. */
const unlessEmpty = <T extends object>(record: T): T | undefined => (Object.keys(record).length > 0 ? record : undefined);

/** Adds to a count, which is removed at zero. */
export const addTo = (documents: DocumentChanges, count: DocumentRef<number>, more: 1 | -1): void =>
  documents.set(count, (documents.get(count) ?? 0) + more || undefined);

/** Adds or subtracts an installation of a project with metrics of a definition. A definition without any is removed. */
export const countInProject = (documents: DocumentChanges, projectId: string, definitionId: string, more: 1 | -1): void => {
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
  const reference = installations.at(metric);
  const installation = known(documents.get(reference), 'installation');
  const { count, series } = installation.definitions[definitionId] ?? { count: 0, series: place };
  const after = count + more;
  if (count === 0 || after === 0) countInProject(documents, projectId, definitionId, more);
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

/** The sums that include a metric for a member: by months, and by days in the same document or in one of its own. */
const sumsOf = (
  { projectId, installationId, definitionId }: Metric,
  member: string,
  { firstMonth, lastMonth }: Units,
): readonly [months: DocumentRef<string>, days: DocumentRef<string>] => {
  const of = memberSeriesKey({ projectId, installationId, definitionId, member });
  const ofMonths = months.at({ of, firstMonth });
  return [ofMonths, firstMonth === lastMonth ? ofMonths : days.at({ of, firstMonth, lastMonth })];
};

/** Adds (`1`) or subtracts (`-1`) a metric in the sums of a member. Returns whether it is the first of its month. */
const addToSums = (documents: DocumentChanges, metric: Metric, member: string, more: 1 | -1): boolean => {
  const units = unitsOf(metric);
  const value = decimal(metric.value);
  const [ofMonths, ofDays] = sumsOf(metric, member, units);
  const before = documents.get(ofMonths);
  const change = (bucket: Bucket | undefined): Bucket | undefined => changed(bucket, more, value);
  documents.set(ofMonths, changedLines(before, units.lastMonth, change));
  documents.set(ofDays, changedLines(documents.get(ofDays), daysLine(units), change));
  return before === undefined;
};

const keepUser = (documents: DocumentChanges, metric: Metric): void => {
  const { projectId, installationId, userId } = metric;
  const userKey = userKeyOf(metric);
  if (userKey !== undefined) documents.set(users.at({ projectId, installationId, userKey }), { in: shortId(installationId), userId });
};

/** Where a metric is in the lists. `now`: the place of the event that changes it. */
type Places = Readonly<{ sortKey: string; now: string }>;

/** Adds (`1`) or subtracts (`-1`) a metric everywhere except in its own document. Its installation is known. */
export const tally = (documents: DocumentChanges, metric: Metric, more: 1 | -1, { sortKey, now }: Places): void => {
  const { projectId } = metric;
  const [inLists, { firstDay, lastDay }] = [membersOf(metric), unitsOf(metric)];
  const entry = more > 0 ? (true as const) : undefined;
  const ofSeries = countInSeries(documents, metric, more, now);
  documents.set(series.at({ ...ofSeries, sortKey }), entry);
  documents.set(measures.at({ ...ofSeries, firstDay, lastDay, sortKey }), entry);
  const isFirst = [EVERYBODY, ...inLists].map((member) => addToSums(documents, metric, member, more));
  if (more > 0 && (!metric.userKey || isFirst.at(-1))) keepUser(documents, metric); // the user is the last member
  for (const member of inLists) {
    const reference = members.at({ projectId, member });
    const { count, series } = documents.get(reference) ?? { count: 0, series: member.charAt(0) + now }; // a group and a user may begin together
    documents.set(metricsOfMembers.at({ projectId, series, sortKey }), entry);
    documents.set(reference, count + more > 0 ? { count: count + more, series } : undefined);
  }
};

/** Documents that {@link tally} reads, besides those of the project and the installation. */
export const readByTally = (metric: Metric): readonly DocumentRef<unknown>[] => {
  const { projectId } = metric;
  const [inLists, units] = [membersOf(metric), unitsOf(metric)];
  const references: DocumentRef<unknown>[] = inLists.map((member) => members.at({ projectId, member }));
  for (const member of [EVERYBODY, ...inLists]) {
    const [ofMonths, ofDays] = sumsOf(metric, member, units);
    references.push(ofMonths);
    if (ofDays !== ofMonths) references.push(ofDays);
  }
  return references;
};
