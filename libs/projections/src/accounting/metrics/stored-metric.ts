import type { Instant } from '#domain/accounting/metrics/instants.js';
import type { Metric } from '#domain/accounting/metrics/metric-events.js';
import type { MetricCopies } from '#domain/accounting/metrics/metric-rules.js';
import { longId, shortId } from '#projections/accounting/short-id.js';
import type { DocumentCodec } from '#projections/shared/projection.js';

/** Data of a metric, with copies of the names of its installation when it was recorded. `fence`: see `MetricRevised`. Absent for 0. */
export type MetricDocument = Metric & MetricCopies & Readonly<{ fence?: number }>;

/**
 * A metric without what its key and its copies of names say. `of`: its definition. `by`: its provider. `from`, `to`: the instants of its period.
 * `names`: the key of its copies of names. A group or user that is absent is null.
 */
export type StoredMetric = Readonly<{
  id: string;
  installationId: string;
  of: string;
  by: string;
  from: Instant;
  to: Instant;
  value: string;
  groupId?: string;
  userId?: string | null;
  userKey?: string;
  names: string;
  fence?: number;
}>;

/** The stored text, of which there are millions, is JSON with short names: `in` the installation, `at` the first second, `for` so many, `as` the names. */
type Form = Omit<StoredMetric, 'installationId' | 'from' | 'to' | 'value' | 'names'> &
  Readonly<{ in: string; at: number; for: number; is: string; as: string }>;

const SECOND = 1_000;

const formOf = ({ id, installationId, of, by, from, to, value, names, userKey, ...rest }: StoredMetric): Form => {
  const start = Date.parse(from);
  const [at, length] = [start / SECOND, (Date.parse(to) - start) / SECOND];
  const form = { id: shortId(id), in: shortId(installationId), of: shortId(of), by, at, for: length, is: value, as: names, ...rest };
  return userKey === undefined ? form : { ...form, userKey: shortId(userKey) };
};

/** Fractions of a second are milliseconds. */
const instantAt = (seconds: number): Instant => new Date(Math.round(seconds * SECOND)).toISOString();

const metricIn = ({ id, in: installationId, of, by, at, for: length, is, as, userKey, ...rest }: Form): StoredMetric => ({
  id: longId(id),
  installationId: longId(installationId),
  of: longId(of),
  by,
  from: instantAt(at),
  to: instantAt(at + length),
  value: is,
  names: as,
  ...rest,
  ...(userKey !== undefined && { userKey: longId(userKey) }),
});

export const metricCodec = {
  encode: (document: unknown) => JSON.stringify(formOf(document as StoredMetric)),
  decode: (text: string): StoredMetric => metricIn(JSON.parse(text)),
} satisfies DocumentCodec;

/** The installation of a stored text that was parsed as JSON. */
export const installationIn = (document: Readonly<{ in?: unknown }>): string => longId(`${document.in}`);

export const storedMetric = (metric: Metric & Readonly<{ fence?: number }>, names: string): StoredMetric => {
  const { metricId, installationId, definitionId, providerId, periodStart, periodEnd, value, groupId, userId, userKey, fence } = metric;
  return {
    id: metricId,
    installationId,
    of: definitionId,
    by: providerId,
    from: periodStart,
    to: periodEnd,
    value,
    ...(groupId !== null && { groupId }),
    ...(userId !== null && { userId }),
    ...(userKey !== undefined && { userKey }),
    names,
    ...(fence !== undefined && { fence }),
  };
};

export const metricOf = (projectId: string, stored: StoredMetric, copies: MetricCopies): MetricDocument => {
  const { id, installationId, of, by, from, to, value, groupId = null, userId = null, userKey, fence } = stored;
  return {
    metricId: id,
    projectId,
    providerId: by,
    installationId,
    definitionId: of,
    periodStart: from,
    periodEnd: to,
    value,
    groupId,
    userId,
    ...(userKey !== undefined && { userKey }),
    ...copies,
    ...(fence !== undefined && { fence }),
  };
};
