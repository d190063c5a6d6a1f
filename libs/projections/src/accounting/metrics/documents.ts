import { installationSubject } from '#domain/accounting/catalogue/catalogue-events.js';
import type { Metric } from '#domain/accounting/metrics/metric-events.js';
import type { MetricCopies } from '#domain/accounting/metrics/metric-rules.js';
import type { Day } from '#domain/shared/time.js';
import { PROJECT } from '#projections/accounting/partitions.js';
import { collection } from '#projections/shared/collection.js';
import { keyOf } from '#projections/shared/key-part.js';
import { firstPart, type Owner, SHARED } from '#projections/shared/partitions.js';

/** Name of the read model that holds metrics, their sums and the capacities. */
export const METRICS_READ_MODEL = 'accounting.usage';

/** An installation and the project it belongs to. */
export type InstallationRef = Readonly<{ projectId: string; installationId: string }>;
/** The metrics of one definition of an installation. */
export type SeriesRef = InstallationRef & Readonly<{ definitionId: string }>;

/** How many metrics there are of each definition; definitions without metrics are left out. */
export type DefinitionCounts = Readonly<Record<string, number>>;
/** `closing`: metrics that are recorded while it stands are void. */
type MeasuredInstallationDocument = Readonly<{ providerId: string; definitions: DefinitionCounts; closing?: string }>;

/** Between two log positions (20 digits) metrics could not begin to refer to a definition; `to` is `null` while that goes on, and for good if it is gone. */
export type ClosedSpan = Readonly<{ closing: string; from: string; to: string | null }>;

/** All facts of a metric, with copies of what its installation was called when it was recorded. */
/** `fence`: see `MetricRevised`; absent for 0. */
export type MetricDocument = Metric & MetricCopies & Readonly<{ fence?: number }>;

/**
 * `place`: the sort key of the metric, which is the log position of its first event, so that keys sort by age. `copies`: not part of later events of
 * the metric.
 */
type MetricIndexDocument = Readonly<{ place: string; copies: MetricCopies }>;

/** The member that stands for all metrics of an installation. */
export const EVERYBODY = 'all';
export const groupMember = (groupId: string): string => `group:${groupId}`;
/** By the pseudonym of the user in the project: keys are stored in the open. */
export const userMember = (userKey: string): string => `user:${userKey}`;

/** The group and the user of a metric as members, where it has them; an empty id counts as absent. */
export const membersOf = ({ groupId, userKey }: Pick<Metric, 'groupId' | 'userKey'>): readonly string[] => [
  ...(groupId ? [groupMember(groupId)] : []),
  ...(userKey ? [userMember(userKey)] : []),
];

/** Keys begin with the project, so that a deleted project leaves nothing behind. */
const owner = firstPart(PROJECT);
const projectOfDefinition: Owner = { by: 'key', partition: (key) => `${PROJECT}:${key.slice(key.indexOf('/') + 1)}` };

/** Every installation there is. */
export const installations = collection<MeasuredInstallationDocument, InstallationRef>('installations', {
  key: ({ projectId, installationId }) => keyOf(projectId, installationId),
  owner,
});

/** By project: the counts of all its installations. */
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

/** The metrics of a project by their age. */
export const metrics = collection<MetricDocument, Readonly<{ projectId: string; sortKey: string }>>('metrics.of-project', {
  key: ({ projectId, sortKey }) => `${keyOf(projectId)}/${sortKey}`,
  sealed: [{ path: 'userId', subject: ({ document }) => installationSubject(`${document.installationId}`), erased: 'null' }],
  owner,
});

/** Which metrics a series has, by their age. */
export const series = collection<1, SeriesRef & Readonly<{ sortKey: string }>>('metrics.of-definition', {
  key: ({ projectId, installationId, definitionId, sortKey }) => `${keyOf(projectId, installationId, definitionId)}/${sortKey}`,
  owner,
});

/** A group or user in a project: the start of the keys of all that is kept of it. */
export const memberKey = (projectId: string, member: string): string => keyOf(projectId, member);

/** Which metrics a group or user has in a project, by their age. `member`: the {@link memberKey}. */
export const metricsOfMembers = collection<1, Readonly<{ member: string; sortKey: string }>>('metrics.of-member', {
  key: ({ member, sortKey }) => `${member}/${sortKey}`,
  owner,
});

/** How many metrics a group or user has in a project, by the {@link memberKey}. */
export const memberCounts = collection<number>('member-counts', { owner });

/** How many metrics of a project were recorded on a day (UTC) and still exist. */
export const recordedOn = collection<number, Readonly<{ projectId: string; day: Day }>>('metrics.recorded', {
  key: ({ projectId, day }) => `${keyOf(projectId)}/${day}`,
  owner,
});

/**
 * When each definition was closed, by definition id: the latest times. Metrics of all projects read it, and decide by their place in the log, so that
 * it makes no difference when they are applied.
 */
export const closedDefinitions = collection<readonly ClosedSpan[]>('definitions.closed', { owner: SHARED });
