import type { Instant } from '#domain/accounting/metrics/instants.js';
import type { Metric, MetricCopies } from '#domain/accounting/metrics/metric-events.js';
import { longId, shortId } from '#projections/accounting/short-id.js';
import type { DocumentCodec } from '#projections/shared/projection.js';

/** Data of a metric, with copies of the names of its installation when it was recorded. `fence`: see `MetricRevised`. Absent for 0. */
export type MetricDocument = Metric & MetricCopies & Readonly<{ fence?: number }>;

/** Members that most metrics of an installation have in common. */
export type RepeatedMembers = MetricCopies & Pick<Metric, 'definitionId' | 'providerId'>;

/**
 * A metric without its repeated members, its user, and what its key says. `from`, `to`: the instants of its period. `repeated`: the key of its repeated
 * members. `userKey`: the pseudonym of its user, empty if there is none of an erased user. A group or user that is absent is null.
 */
export type StoredMetric = Readonly<{
  id: string;
  installationId: string;
  from: Instant;
  to: Instant;
  value: string;
  repeated: string;
  groupId?: string;
  userId?: '';
  userKey?: string;
  fence?: number;
}>;

/**
 * The stored text, of which there are millions, is a list in JSON, without the last members that are null. `start`: a second. `seconds`: length of the
 * period. `user`: the short pseudonym; an empty text for an empty user.
 */
type Form = readonly [
  id: string,
  installation: string,
  start: number,
  seconds: number,
  value: string,
  repeated: string,
  group?: string | null,
  user?: string | null,
  fence?: number | null,
];

const SECOND = 1_000;

const formOf = ({ id, installationId, from, to, value, repeated, groupId, userId, userKey, fence }: StoredMetric): Form => {
  const start = Date.parse(from);
  const form = [shortId(id), shortId(installationId), start / SECOND, (Date.parse(to) - start) / SECOND, value, repeated] as const;
  const user = userKey === undefined ? userId : shortId(userKey);
  if (fence !== undefined) return [...form, groupId ?? null, user ?? null, fence];
  if (user !== undefined) return [...form, groupId ?? null, user];
  return groupId === undefined ? form : [...form, groupId];
};

/** Fractions of a second are milliseconds. */
const instantAt = (seconds: number): Instant => new Date(Math.round(seconds * SECOND)).toISOString();

const metricIn = ([id, installation, start, seconds, value, repeated, group, user, fence]: Form): StoredMetric => ({
  id: longId(id),
  installationId: longId(installation),
  from: instantAt(start),
  to: instantAt(start + seconds),
  value,
  repeated,
  ...(typeof group === 'string' && { groupId: group }),
  ...(user === '' && { userId: '' }),
  ...(user && { userKey: longId(user) }),
  ...(typeof fence === 'number' && { fence }),
});

export const metricCodec = {
  encode: (document: unknown) => JSON.stringify(formOf(document as StoredMetric)),
  decode: (text: string): StoredMetric => metricIn(JSON.parse(text)),
} satisfies DocumentCodec;

/** Pseudonym of the user of a metric, empty for one that was erased before there were pseudonyms. `undefined` without a user. */
export const userKeyOf = ({ userId, userKey }: Pick<Metric, 'userId' | 'userKey'>): string | undefined =>
  userKey ?? (userId ? '' : undefined);

export const storedMetric = (metric: Metric & Readonly<{ fence?: number }>, repeated: string): StoredMetric => {
  const { metricId, installationId, periodStart, periodEnd, value, groupId, userId, fence } = metric;
  const userKey = userKeyOf(metric);
  return {
    id: metricId,
    installationId,
    from: periodStart,
    to: periodEnd,
    value,
    repeated,
    ...(groupId !== null && { groupId }),
    ...(userId === '' && { userId }),
    ...(userKey !== undefined && { userKey }),
    ...(fence !== undefined && { fence }),
  };
};

export const metricOf = (
  projectId: string,
  stored: StoredMetric,
  { definitionId, providerId, ...copies }: RepeatedMembers,
  user: string | null,
): MetricDocument => {
  const { id, installationId, from, to, value, groupId = null, userId = user, userKey, fence } = stored;
  return {
    metricId: id,
    projectId,
    providerId,
    installationId,
    definitionId,
    periodStart: from,
    periodEnd: to,
    value,
    groupId,
    userId,
    ...(userKey && { userKey }),
    ...copies,
    ...(fence !== undefined && { fence }),
  };
};
