import { installationSubject } from '#domain/accounting/catalogue/catalogue-events.js';
import { sha256Bytes } from '#domain/shared/bytes/sha256.js';
import type { Day } from '#domain/shared/time.js';
import { PROJECT } from '#projections/accounting/partitions.js';
import { longId, shortId } from '#projections/accounting/short-id.js';
import { collection, list } from '#projections/shared/collection.js';
import { keyOf } from '#projections/shared/key-part.js';
import { firstPart, type Owner, SHARED } from '#projections/shared/partitions.js';
import { metricCodec, type RepeatedMembers, type StoredMetric } from './stored-metric.js';

/** Name of the read model of metrics, their sums, and capacities. */
export const METRICS_READ_MODEL = 'accounting.metrics';

export type InstallationRef = Readonly<{ projectId: string; installationId: string }>;
/** The metrics of one definition of an installation. `series`: its short name in keys. */
export type SeriesRef = Readonly<{ projectId: string; series: string }>;

/** Numbers by definition. Definitions without metrics are absent. */
export type DefinitionCounts = Readonly<Record<string, number>>;
/** Number of metrics in a list. `series`: its short name in keys, the place in the log where its first metric appeared. */
export type Series = Readonly<{ count: number; series: string }>;
/** The series of an installation by definition. Those without metrics are absent. */
export type SeriesOfInstallation = Readonly<Record<string, Series>>;
/** `closing`: present while metrics recorded for the installation are void. */
type MeasuredInstallationDocument = Readonly<{ providerId: string; definitions: SeriesOfInstallation; closing?: string }>;

/**
 * A span between two log positions (20 digits) in which metrics could not begin to refer to a definition. `to`: `null` while it lasts, and forever if
 * the definition is deleted.
 */
export type ClosedSpan = Readonly<{ closing: string; from: string; to: string | null }>;

/** `place`: sort key of the metric: its place in the log, so that keys sort by age. `repeated`: as in its document. */
export type MetricIndexDocument = readonly [place: string, repeated: string];

const REPEATED_BYTES = 9;

/** Key of repeated members below their installation. */
export const repeatedKey = (members: RepeatedMembers): string => {
  const { definitionId, providerId, projectAcronym, installation, infrastructure, resource, creatorId } = members;
  return sha256Bytes(JSON.stringify([definitionId, providerId, projectAcronym, installation, infrastructure, resource, creatorId]))
    .subarray(0, REPEATED_BYTES)
    .toString('base64url');
};

/** Stands for all metrics of an installation. */
export const EVERYBODY = 'a';
export const groupMember = (groupId: string): string => `g${groupId}`;
/** By the pseudonym of the user in the project, because keys are not encrypted. */
export const userMember = (userKey: string): string => `u${shortId(userKey)}`;

/** The group and user of a metric as members, if present. An empty id counts as absent. */
export const membersOf = ({ groupId, userKey }: Readonly<{ groupId?: string | null; userKey?: string }>): readonly string[] => [
  ...(groupId ? [groupMember(groupId)] : []),
  ...(userKey ? [userMember(userKey)] : []),
];

/** Keys start with the project, so that all documents of a deleted project can be removed. */
const owner = firstPart(PROJECT);
const projectOfDefinition: Owner = { by: 'key', partition: (key) => `${PROJECT}:${key.slice(key.indexOf('/') + 1)}` };

/** Prefix of the keys of repeated members, users and sums of an installation. */
export const installationKey = ({ projectId, installationId }: InstallationRef): string => keyOf(projectId, shortId(installationId));

/** All existing installations. */
export const installations = collection<MeasuredInstallationDocument, InstallationRef>('installations', {
  key: ({ projectId, installationId }) => keyOf(projectId, installationId),
  owner,
});

/** Number of installations of a project that have metrics of each definition. */
export const projects = collection<DefinitionCounts>('projects', { key: (projectId) => keyOf(projectId), owner });

/** The projects in which a definition has metrics. */
export const usedDefinitions = list<Readonly<{ definitionId: string; projectId: string }>>('definitions', {
  key: ({ definitionId, projectId }) => keyOf(definitionId, projectId),
  owner: projectOfDefinition,
});

export const metricIndex = collection<MetricIndexDocument, Readonly<{ projectId: string; metricId: string }>>('metrics', {
  key: ({ projectId, metricId }) => keyOf(projectId, shortId(metricId)),
  codec: { encode: (document) => (document as MetricIndexDocument).join(' '), decode: (text) => text.split(' ') },
  owner,
});

/** Members that metrics of an installation repeat, once for all metrics with the same. They stay as long as the installation. */
export const repeatedMembers = collection<RepeatedMembers, InstallationRef & Readonly<{ repeated: string }>>('metrics.repeated', {
  key: ({ repeated, ...installation }) => `${installationKey(installation)}/${repeated}`,
  owner,
});

/** A user of metrics of an installation. `in`: the {@link shortId} of the installation. */
type UserDocument = Readonly<{ in: string; userId: string | null }>;

/** Users of metrics by their pseudonym, once for all metrics of an installation. They stay as long as the installation. */
export const users = collection<UserDocument, InstallationRef & Readonly<{ userKey: string }>>('users', {
  key: ({ userKey, ...installation }) => `${installationKey(installation)}/${keyOf(shortId(userKey))}`,
  sealed: [{ path: 'userId', subject: ({ document }) => installationSubject(longId(`${document.in}`)), erased: 'null' }],
  owner,
});

/** The metrics of a project in order of age. */
export const metrics = collection<StoredMetric, Readonly<{ projectId: string; sortKey: string }>>('metrics.of-project', {
  key: ({ projectId, sortKey }) => `${keyOf(projectId)}/${sortKey}`,
  codec: metricCodec,
  owner,
});

/** The metrics of a series in order of age. */
export const series = list<SeriesRef & Readonly<{ sortKey: string }>>('metrics.of-series', {
  key: ({ projectId, series, sortKey }) => `${keyOf(projectId)}/${series}/${sortKey}`,
  owner,
});

/** Lists of the metrics of a group or user in a project. Their short names begin with the letter of {@link groupMember} or {@link userMember}. */
export const members = collection<Series, Readonly<{ projectId: string; member: string }>>('members', {
  key: ({ projectId, member }) => keyOf(projectId, member),
  owner,
});

/** The metrics of a group or user in a project, in order of age. */
export const metricsOfMembers = list<SeriesRef & Readonly<{ sortKey: string }>>('metrics.of-member', {
  key: ({ projectId, series, sortKey }) => `${keyOf(projectId)}/${series}/${sortKey}`,
  owner,
});

/** Number of existing metrics of a project by the UTC day on which they were recorded. */
export const recordedOn = collection<number, Readonly<{ projectId: string; day: Day }>>('metrics.recorded', {
  key: ({ projectId, day }) => `${keyOf(projectId)}/${day}`,
  owner,
});

/**
 * Latest closings of each definition, by definition id. Metrics of all projects read them and compare their own position in the log, so the order in
 * which events are applied does not matter.
 */
export const closedDefinitions = collection<readonly ClosedSpan[]>('definitions.closed', { owner: SHARED });
