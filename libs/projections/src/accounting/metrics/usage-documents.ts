import { decimal } from '#domain/accounting/decimal.js';
import { type Instant, lastDayBefore, wireInstant } from '#domain/accounting/metrics/instants.js';
import type { MetricCopies } from '#domain/accounting/metrics/metric-rules.js';
import type { Metric } from '#domain/accounting/metrics/usage-events.js';
import { dayMade } from '#domain/accounting/object-id.js';
import { type Day, dayOf } from '#domain/shared/time.js';
import { doubleNumber, plainNumber, wireText } from '#projections/accounting/wire.js';
import { keyOf } from '#projections/shared/key-part.js';
import type { DocumentCodec } from '#projections/shared/projection.js';

export const USAGE_PROJECTION = 'accounting.usage';

/**
 * Keys begin with the project, so that nothing of it is left when it is deleted. Parts are {@link keyOf} parts; `<place>` is the place of the
 * metric's first event in the log, so that keys sort by age.
 */
export const usageCollections = {
  /** `<project>/<installation>` → {@link UsedInstallation}, for every installation there is. */
  installations: 'installations',
  /** `<project>` → {@link DefinitionCounts} of all its installations. */
  projects: 'projects',
  /** `<definition>/<project>` for definitions with metrics. */
  definitions: 'definitions',
  /** `<project>/<installation>` → its capacities in the order of their creation, as the answer of the list. */
  capacities: 'capacities',
  /** `<project>/<metric>` → {@link MetricPlace} */
  metrics: 'metrics',
  /** `<project>/<place>` → {@link MetricDocument} */
  ofProject: 'metrics.of-project',
  /** `<project>/<installation>/<definition>/<place>` */
  ofDefinition: 'metrics.of-definition',
  /** `<project>/<member>/<place>` for metrics of a group or user, see {@link membersOf}. */
  ofMember: 'metrics.of-member',
  /** `<project>/<member>` → how many metrics. */
  memberCounts: 'member-counts',
  /** `<project>/<day>` → how many metrics that were recorded on this day there are. */
  recorded: 'metrics.recorded',
  /** `<project>/<installation>/<member>/<definition>/<first month>` → {@link Buckets} by the last month. */
  months: 'months',
  /** `<project>/<installation>/<member>/<definition>/<first month>/<last month>/<first day>` → {@link Buckets} by the last day. */
  days: 'days',
  /** `<project>/<installation>/<definition>/<first day>/<last day>/<place>` → {@link Measure} */
  measures: 'measures',
} as const;

/** How many metrics there are of each definition. */
export type DefinitionCounts = Readonly<Record<string, number>>;
export type UsedInstallation = Readonly<{ providerId: string; definitions: DefinitionCounts }>;

/** Members in the order of the wire; `value` is a decimal number as text, `registered_on` an instant with milliseconds. */
export type CapacityDocument = Readonly<{
  id: string;
  installation_id: string;
  metric_definition_id: string;
  value: string;
  registered_on: Instant;
}>;

/** Everything known of a metric, with copies of what its installation was called when it was recorded. */
export type MetricDocument = Metric & MetricCopies;

/** Where a metric stands, and what later events do not tell of it. */
export type MetricPlace = Readonly<{ place: string; copies: MetricCopies }>;

/** Metrics that began in one month, or day, and ended in one: how many, and the sum of their values as text. */
export type Bucket = Readonly<{ count: number; sum: string }>;
/** What began in one month, or day, by the one in which it ended. */
export type Buckets = Readonly<Record<string, Bucket>>;

/** What decides whether a metric counts, and for how much. */
export type Measure = Readonly<{ start: Instant; end: Instant; value: string; groupId: string | null; userKey?: string }>;

/** The part of a key that stands for all metrics of an installation. */
export const EVERYBODY = 'all';
export const groupMember = (groupId: string): string => `group:${groupId}`;
/** By the pseudonym of the user in the project: keys are stored in the open. */
export const userMember = (userKey: string): string => `user:${userKey}`;

/** The group and the user of a metric, as parts of keys; an empty one is none. */
export const membersOf = ({ groupId, userKey }: Pick<Metric, 'groupId' | 'userKey'>): readonly string[] => [
  ...(groupId ? [groupMember(groupId)] : []),
  ...(userKey ? [userMember(userKey)] : []),
];

/** How many characters of an instant name the month, and the day. */
export const MONTH = 7;
export const DAY = 10;

/** The key of the count of metrics that were recorded on the same day. */
export const recordedKey = ({ projectId, metricId }: Metric): string => keyOf(projectId, dayMade(metricId));
/** The day in such a key. */
export const dayInKey = (key: string): Day => key.slice(-DAY);

/** The months and days in which a metric begins and ends. An end counts for the moment before it: midnight ends a day. */
export type Units = Readonly<{ firstMonth: string; lastMonth: string; firstDay: Day; lastDay: Day }>;

export const unitsOf = ({ periodStart, periodEnd }: Pick<Metric, 'periodStart' | 'periodEnd'>): Units => {
  const [firstDay, lastDay] = [dayOf(periodStart), lastDayBefore(periodEnd)];
  return { firstMonth: firstDay.slice(0, MONTH), lastMonth: lastDay.slice(0, MONTH), firstDay, lastDay };
};

/** The keys of the documents of months and of days in which a metric counts for a member. */
export const bucketKeys = (
  { projectId, installationId, definitionId }: Metric,
  member: string,
  { firstMonth, lastMonth, firstDay }: Units,
): Readonly<{ months: string; days: string }> => {
  const months = `${keyOf(projectId, installationId, member, definitionId)}/${firstMonth}`;
  return { months, days: `${months}/${lastMonth}/${firstDay}` };
};

export const measureKey = ({ projectId, installationId, definitionId }: Metric, { firstDay, lastDay }: Units, place: string): string =>
  `${keyOf(projectId, installationId, definitionId)}/${firstDay}/${lastDay}/${place}`;

/** The short form of a metric (accounting contract 3.0). */
export const shortForm = ({ metricId, definitionId, periodStart, periodEnd, value, groupId, userId }: Metric): string =>
  wireText({
    metric_id: metricId,
    metric_definition_id: definitionId,
    time_period_start: wireInstant(periodStart),
    time_period_end: wireInstant(periodEnd),
    value: doubleNumber(decimal(value)),
    group_id: groupId ?? undefined,
    user_id: userId ?? undefined,
  });

/** The list form of a metric (accounting contract 3.0); `definition` is the text of its metric definition. */
export const listForm = (metric: MetricDocument, definition: string): string => {
  const members = wireText({
    id: metric.metricId,
    time_period_start: wireInstant(metric.periodStart),
    time_period_end: wireInstant(metric.periodEnd),
    value: doubleNumber(decimal(metric.value)),
    project: metric.projectAcronym,
    provider: metric.providerId,
    installation_id: metric.installationId,
    project_id: metric.projectId,
    resource: metric.resource ?? undefined,
    group_id: metric.groupId ?? undefined,
    user_id: metric.userId ?? undefined,
  });
  return `${members.slice(0, -1)},"metric_definition":${definition}}`;
};

/** A capacity as it stands in a list, to be told apart without losing digits: ids and instants have no quotes in them. */
const CAPACITY =
  /\{"id":"([^"]*)","installation_id":"([^"]*)","metric_definition_id":"([^"]*)","value":([^,]*),"registered_on":"([^"]*)"\}/g;

const withMilliseconds = (instant: string): Instant => (instant.includes('.') ? instant : `${instant.slice(0, -1)}.000Z`);

/** All capacities of an installation, as the answer of their list. */
export const capacitiesCodec = {
  encode: (document: unknown) =>
    wireText(
      (document as readonly CapacityDocument[]).map((capacity) => ({
        ...capacity,
        value: plainNumber(decimal(capacity.value)),
        registered_on: wireInstant(capacity.registered_on),
      })),
    ),
  decode: (text: string): readonly CapacityDocument[] =>
    Array.from(text.matchAll(CAPACITY), ([, id = '', installation_id = '', metric_definition_id = '', value = '', registered_on = '']) => ({
      id,
      installation_id,
      metric_definition_id,
      value,
      registered_on: withMilliseconds(registered_on),
    })),
} satisfies DocumentCodec;
