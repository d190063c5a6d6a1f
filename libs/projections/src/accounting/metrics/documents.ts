import { installationSubject } from '#domain/accounting/catalogue/catalogue-events.js';
import type { Metric } from '#domain/accounting/metrics/metric-events.js';
import type { MetricCopies } from '#domain/accounting/metrics/metric-rules.js';
import type { Day } from '#domain/shared/time.js';
import { PROJECT } from '#projections/accounting/partitions.js';
import { collection } from '#projections/shared/collection.js';
import { keyOf } from '#projections/shared/key-part.js';
import { firstPart, type Owner, SHARED } from '#projections/shared/partitions.js';

/** Name of the read model of metrics, their sums, and capacities. */
export const METRICS_READ_MODEL = 'accounting.usage';

export type InstallationRef = Readonly<{ projectId: string; installationId: string }>;
/** The metrics of one definition of an installation. */
export type SeriesRef = InstallationRef & Readonly<{ definitionId: string }>;

/** Number of metrics by definition. Definitions without metrics are absent. */
export type DefinitionCounts = Readonly<Record<string, number>>;
/** `closing`: present while metrics recorded for the installation are void. */
type MeasuredInstallationDocument = Readonly<{ providerId: string; definitions: DefinitionCounts; closing?: string }>;

/**
 * A span between two log positions (20 digits) in which metrics could not begin to refer to a definition. `to`: `null` while it lasts, and forever if
 * the definition is deleted.
 */
export type ClosedSpan = Readonly<{ closing: string; from: string; to: string | null }>;

/** Data of a metric, with copies of the names of its installation when it was recorded. */
/** `fence`: see `MetricRevised`. Absent for 0. */
export type MetricDocument = Metric & MetricCopies & Readonly<{ fence?: number }>;

/** `place`: sort key of the metric: the log position of its first event, so that keys sort by age. `copies`: absent in later events of the metric. */
type MetricIndexDocument = Readonly<{ place: string; copies: MetricCopies }>;

/** Stands for all metrics of an installation. */
export const EVERYBODY = 'all';
export const groupMember = (groupId: string): string => `group:${groupId}`;
/** By the pseudonym of the user in the project, because keys are not encrypted. */
export const userMember = (userKey: string): string => `user:${userKey}`;

/** The group and user of a metric as members, if present. An empty id counts as absent. */
export const membersOf = ({ groupId, userKey }: Pick<Metric, 'groupId' | 'userKey'>): readonly string[] => [
  ...(groupId ? [groupMember(groupId)] : []),
  ...(userKey ? [userMember(userKey)] : []),
];

/** Keys start with the project, so that all documents of a deleted project can be removed. */
const owner = firstPart(PROJECT);
const projectOfDefinition: Owner = { by: 'key', partition: (key) => `${PROJECT}:${key.slice(key.indexOf('/') + 1)}` };

/** All existing installations. */
export const installations = collection<MeasuredInstallationDocument, InstallationRef>('installations', {
  key: ({ projectId, installationId }) => keyOf(projectId, installationId),
  owner,
});

/** Counts of all installations of a project. */
export const projects = collection<DefinitionCounts>('projects', { key: (projectId) => keyOf(projectId), owner });

/** The projects in which a definition has metrics. */
export const usedDefinitions = collection<1, Readonly<{ definitionId: string; projectId: string }>>('definitions', {
  key: ({ definitionId, projectId }) => keyOf(definitionId, projectId),
  owner: projectOfDefinition,
});

export const metricIndex = collection<MetricIndexDocument, Readonly<{ projectId: string; metricId: string }>>('metrics', {
  key: ({ projectId, metricId }) => keyOf(projectId, metricId),
  owner,
});

/** The metrics of a project in order of age. */
export const metrics = collection<MetricDocument, Readonly<{ projectId: string; sortKey: string }>>('metrics.of-project', {
  key: ({ projectId, sortKey }) => `${keyOf(projectId)}/${sortKey}`,
  sealed: [{ path: 'userId', subject: ({ document }) => installationSubject(`${document.installationId}`), erased: 'null' }],
  owner,
});

/** The metrics of a series in order of age. */
export const series = collection<1, SeriesRef & Readonly<{ sortKey: string }>>('metrics.of-definition', {
  key: ({ projectId, installationId, definitionId, sortKey }) => `${keyOf(projectId, installationId, definitionId)}/${sortKey}`,
  owner,
});

/** Prefix of all keys of a group or user in a project. */
export const memberKey = (projectId: string, member: string): string => keyOf(projectId, member);

/** The metrics of a group or user in a project, in order of age. `member`: the {@link memberKey}. */
export const metricsOfMembers = collection<1, Readonly<{ member: string; sortKey: string }>>('metrics.of-member', {
  key: ({ member, sortKey }) => `${member}/${sortKey}`,
  owner,
});

/** Number of metrics of a group or user in a project, by {@link memberKey}. */
export const memberCounts = collection<number>('member-counts', { owner });

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
