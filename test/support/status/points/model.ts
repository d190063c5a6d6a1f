import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { byBytes } from '#domain/shared/text/text-order.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import type { PlannedGroup } from '#domain/status/results/plan.js';
import { wireText } from '#projections/status/layout.js';

/** A point in the log. `index`: among the results of its event. */
export type LoggedPoint = Readonly<{ position: bigint; index: number; tenantId: string; host: string; result: MetricResult }>;

/** Points and deletions of tenants in the log, in its order. */
export type PointsLog = Readonly<{
  points: readonly LoggedPoint[];
  deletedTenants: readonly Readonly<{ tenantId: string; position: bigint }>[];
}>;

/** Expected items by group. `undefined`: the day cannot be computed. */
export type Expected = ReadonlyMap<string, PlannedGroup> | undefined;

type Chosen = (members: Readonly<{ status: string; service: string; report?: string }>) => boolean;
type ChosenStatus = (status: string) => boolean;
type OfHost = Readonly<{ tenantId: string; host: string }>;
export type OfMetric = OfHost & Readonly<{ service: string; metric: string }>;
export type OfEndpoint = OfHost & Readonly<{ day: string; service: string }>;
export type OfReport = Readonly<{ tenantId: string; report: string; day: string; expected: Expected }>;
export type OfTimeline = OfHost & Readonly<{ report: string; group: string; service: string; metric?: string; expected: Expected }>;
export type OfLatest = OfReport & Readonly<{ group: string | undefined; wanted: ChosenStatus | undefined; limit: number }>;
type Span = Readonly<{ from: string; to: string }>;

/** A point in a group of a report. */
type Shown = Readonly<{ point: LoggedPoint; group: string }>;

/** Depths of elements in answers (status contract 13.3, status extended contract 7 and 8). */
const [DETAIL, LATEST, ISSUE] = [6, 3, 2];

const dayOf = ({ result: { timestamp } }: LoggedPoint): string => timestamp.slice(0, 10);
const timeOf = ({ result: { timestamp } }: LoggedPoint): string => timestamp.slice(11, 19);
const isCommon = ({ result: { report } }: LoggedPoint): boolean => report === undefined;

/** Position of a point in the log, as a text that sorts like the log. */
export const stampOf = ({ position, index }: LoggedPoint): string =>
  `${String(position).padStart(20, '0')}.${String(index).padStart(3, '0')}`;

const secondOfDay = (point: LoggedPoint): number => {
  const [hours = 0, minutes = 0, seconds = 0] = timeOf(point).split(':').map(Number);
  return (hours * 60 + minutes) * 60 + seconds;
};

/** Members that are neither absent nor empty. */
const filled = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== ''));

/** Sorts by texts; equal items stay in their order. */
const sorted = <T>(items: Iterable<T>, textsOf: (item: T) => readonly string[]): readonly T[] =>
  Array.from(items, (item) => ({ item, texts: textsOf(item) }))
    .sort((one, other) => one.texts.reduce((order, text, index) => order || byBytes(text, other.texts[index] ?? ''), 0))
    .map(({ item }) => item);

const grouped = <T>(items: Iterable<T>, keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) getOrInsert(groups, keyOf(item), () => []).push(item);
  return groups;
};

const keyOf = (...parts: readonly (string | number)[]): string => JSON.stringify(parts);

/** The last point by time. Of several in one second, the last in the log. */
const lastOf = (points: readonly LoggedPoint[]): LoggedPoint | undefined => sorted(points, ({ result }) => [result.timestamp]).at(-1);

/** Metrics by endpoint of each group, found once. */
const known = new WeakMap<PlannedGroup, ReadonlyMap<string, ReadonlySet<string>>>();
const metricsIn = (group: PlannedGroup): ReadonlyMap<string, ReadonlySet<string>> =>
  getOrInsert(known, group, () => {
    const sets = new Map(group.endpoints.map(({ metrics }) => [metrics, new Set(metrics)]));
    return new Map(group.endpoints.map(({ service, host, metrics }) => [keyOf(service, host), sets.get(metrics) ?? new Set()]));
  });

/** The groups that expect a point, or of these the one that it contains (results contract 1). */
const expecting = ({ host, result: { service, metric, endpoint_group: given } }: LoggedPoint, expected: Expected): readonly string[] => {
  const endpoint = keyOf(service, host);
  const wants = (group: PlannedGroup): boolean =>
    (given === '' || given === group.name) && metricsIn(group).get(endpoint)?.has(metric) === true;
  return Array.from(expected?.values() ?? [])
    .filter(wants)
    .map(({ name }) => name);
};

/** The groups of a report in which a point is listed. A point of the report that no group expects is listed without one. */
const groupsOf = (point: LoggedPoint, report: string, expected: Expected): readonly string[] => {
  if (isCommon(point)) return expecting(point, expected);
  if (point.result.report !== report) return [];
  const places = point.result.endpoint_group === '' ? expecting(point, expected) : [];
  return places.length > 0 ? places : [point.result.endpoint_group];
};

const resultOf = ({ result }: LoggedPoint) => {
  const { service, metric, timestamp, status, report, info, summary, message } = result;
  const { actual_data, threshold_rule_applied, original_status } = result;
  const texts = { Timestamp: timestamp, Value: status, Summary: summary, Message: message };
  const detail = wireText({ ...texts, ...filled({ actual_data, threshold_rule_applied, original_status }) }, DETAIL);
  return { service, metric, timestamp, status, ...filled({ report, info }), detail };
};

const timelinePoint = ({ result }: LoggedPoint) => {
  const { metric, timestamp, status, previous_timestamp, previous_state, info } = result;
  const { actual_data, threshold_rule_applied, original_status } = result;
  const rest = { previous_timestamp, previous_state, info, actual_data, threshold_rule_applied, original_status };
  return { metric, timestamp, value: status, ...filled(rest) };
};

const latestPoint = ({ point: { host, result }, group }: Shown): string => {
  const { service, metric, timestamp, status, summary, message } = result;
  return wireText({ endpoint_group: group, service, endpoint: host, metric, timestamp, status, ...filled({ summary, message }) }, LATEST);
};

const metricPoint = (point: LoggedPoint, withData: boolean) => {
  const { status, report, endpoint_group: group, monitoring_host: monitoringHost, actual_data } = point.result;
  const [position, origin] = [Number(point.position), filled({ report, group, monitoringHost })];
  return { at: secondOfDay(point), status, position, index: point.index, origin, ...(withData && filled({ actualData: actual_data })) };
};

/** The points of one endpoint and day by metric: of those with the same second, report, group and monitoring host only the last in the log. */
export const pointsByMetric = (points: readonly LoggedPoint[], withData = true): ReadonlyMap<string, readonly object[]> => {
  const kept = new Map<string, LoggedPoint>();
  for (const point of points) {
    const { metric, report = '', endpoint_group: group, monitoring_host = '' } = point.result;
    kept.set(keyOf(metric, timeOf(point), report, group, monitoring_host), point);
  }
  const inOrder = sorted(kept.values(), (point) => [timeOf(point), stampOf(point)]);
  const metrics = grouped(inOrder, ({ result }) => result.metric);
  return new Map(Array.from(metrics, ([metric, all]) => [metric, all.map((point) => metricPoint(point, withData))]));
};

/**
 * The reads of points as the status and results contracts word them, over a list of points: each read filters the whole list. Answers that are bytes
 * are texts here.
 */
export class PointsModel {
  private readonly points: readonly LoggedPoint[];

  /** @param asOf leaves out what the log has after this position */
  constructor({ points, deletedTenants }: PointsLog, asOf: bigint) {
    const deleted = deletedTenants.filter(({ position }) => position <= asOf);
    const isGone = (point: LoggedPoint): boolean =>
      deleted.some(({ tenantId, position }) => tenantId === point.tenantId && point.position < position);
    this.points = points.filter((point) => point.position <= asOf && !isGone(point));
  }

  ofDay({ tenantId, host }: OfHost, day: string, chosen: Chosen) {
    return this.results((point) => point.tenantId === tenantId && point.host === host && dayOf(point) === day && chosen(point.result));
  }

  atSecond({ tenantId, host, metric }: Omit<OfMetric, 'service'>, second: string, chosen: Chosen) {
    const counts = ({ timestamp, ...result }: MetricResult): boolean => timestamp === second && result.metric === metric && chosen(result);
    return this.results((point) => point.tenantId === tenantId && point.host === host && counts(point.result));
  }

  /** Texts and info of the last result of a second that counts in a group. `excluded`: a monitoring host whose results do not. */
  counting({ report, group, excluded, ...of }: OfMetric & Readonly<{ report: string; group: string; excluded?: string }>, second: string) {
    const last = this.points.findLast(({ tenantId, host, result }) => {
      const isOf = tenantId === of.tenantId && host === of.host && result.service === of.service && result.metric === of.metric;
      const isIn = (result.report ?? report) === report && (result.endpoint_group || group) === group;
      return isOf && isIn && result.timestamp === second && (excluded === undefined || result.monitoring_host !== excluded);
    });
    if (!last) return undefined;
    const { summary, message, info } = last.result;
    return { summary, message, ...filled({ info }) };
  }

  timeline(endpoint: OfTimeline, { from, to }: Span, wanted: (day: string) => boolean = () => true) {
    const found = this.ofTimeline(endpoint).filter((point) => {
      const day = dayOf(point);
      return from <= day && day <= to && wanted(day) && (endpoint.metric ?? point.result.metric) === point.result.metric;
    });
    return sorted(found, ({ result }) => [result.metric, result.timestamp]).map(timelinePoint);
  }

  timelineDays(endpoint: OfTimeline, { from, to }: Span): readonly string[] {
    return [...new Set(this.ofTimeline(endpoint).map(dayOf))].filter((day) => from <= day && day <= to).sort();
  }

  latest({ group, wanted = () => true, limit, ...report }: OfLatest): readonly string[] {
    const shown = this.shown(report).filter((one) => wanted(one.point.result.status) && (group ?? one.group) === one.group);
    const places = new Map(shown.map(({ point }) => [point, `${timeOf(point)}/${stampOf(point)}`]));
    const newestFirst = [...shown].sort((one, other) => byBytes(places.get(other.point) ?? '', places.get(one.point) ?? ''));
    return newestFirst.slice(0, limit).map(latestPoint);
  }

  endpoints(report: OfReport, chosen: ChosenStatus): readonly string[] {
    const byEndpoint = grouped(this.shown(report), ({ point, group }) => keyOf(point.host, point.result.service, group));
    const last = [...byEndpoint.values()].flatMap((shown) => {
      const points = shown.map(({ point }) => point);
      const [own, common] = [lastOf(points.filter((point) => !isCommon(point))), lastOf(points.filter(isCommon))];
      const isOwn = own && (!common || own.result.timestamp > common.result.timestamp);
      const point = isOwn ? own : common;
      return point && chosen(point.result.status) ? [{ point, group: shown[0]?.group ?? '' }] : [];
    });
    return sorted(last, ({ point, group }) => [point.host, point.result.service, group]).map(({ point: { host, result }, group }) => {
      const { timestamp, service, status, info } = result;
      return wireText({ timestamp, endpoint_group: group, service, endpoint: host, status, ...filled({ info }) }, ISSUE);
    });
  }

  /** A status that several points have is shown as the last of them in the log has it: of the report's, else of those with the group, else of others. */
  statuses({ group, ...report }: OfReport & Readonly<{ group: string }>, chosen: ChosenStatus): readonly string[] {
    const inGroup = this.shown(report).filter((one) => one.group === group && chosen(one.point.result.status));
    const rankOf = ({ point }: Shown): string => (isCommon(point) ? (point.result.endpoint_group === '' ? '0' : '1') : '2');
    const found = new Map<string, LoggedPoint>();
    for (const { point } of sorted(inGroup, (one) => [rankOf(one)])) {
      const { service, metric, status } = point.result;
      found.set(keyOf(service, point.host, metric, status), point);
    }
    const inOrder = sorted(found.values(), ({ host, result: { service, metric, status } }) => [service, host, metric, status]);
    return inOrder.map(({ host, result: { service, metric, status, info } }) =>
      wireText({ service, hostname: host, metric, status, ...filled({ info }) }, ISSUE),
    );
  }

  /** Points of an endpoint on a day after a position in the log (empty: all), in the order of the log. */
  ofEndpoint({ tenantId, day, host, service }: OfEndpoint, after = ''): readonly LoggedPoint[] {
    return this.points.filter(
      (point) =>
        point.tenantId === tenantId &&
        point.host === host &&
        point.result.service === service &&
        dayOf(point) === day &&
        stampOf(point) > after,
    );
  }

  /** The endpoints of a day with their points, in no particular order. */
  endpointsOfDay(tenantId: string, day: string, withData: boolean) {
    const endpoints = grouped(this.onDay(tenantId, day), ({ host, result }) => keyOf(host, result.service));
    return Array.from(endpoints, ([, points]) => ({
      host: points[0]?.host,
      service: points[0]?.result.service,
      points: pointsByMetric(points, withData),
    }));
  }

  stamps(tenantId: string, { from, to }: Span): ReadonlyMap<string, string> {
    const ofTenant = this.points.filter((point) => point.tenantId === tenantId && from <= dayOf(point) && dayOf(point) <= to);
    return new Map(ofTenant.map((point) => [dayOf(point), stampOf(point)]));
  }

  days(tenantId: string): readonly string[] {
    return [...new Set(this.points.filter((point) => point.tenantId === tenantId).map(dayOf))].sort();
  }

  touchedAfter(tenantId: string, day: string, stamp: string): readonly Readonly<{ host: string; service: string }>[] {
    const newer = this.onDay(tenantId, day).filter((point) => stampOf(point) > stamp);
    const touched = new Map(newer.map(({ host, result: { service } }) => [keyOf(host, service), { host, service }]));
    return [...touched.values()];
  }

  private onDay(tenantId: string, day: string): readonly LoggedPoint[] {
    return this.points.filter((point) => point.tenantId === tenantId && dayOf(point) === day);
  }

  private results(counts: (point: LoggedPoint) => boolean) {
    return sorted(this.points.filter(counts), ({ result: { service, metric, timestamp } }) => [service, metric, timestamp]).map(resultOf);
  }

  /** Points that contain the report, in the order of the log. */
  private ofTimeline({ tenantId, report, group, service, host, expected }: OfTimeline): readonly LoggedPoint[] {
    const counts = (point: LoggedPoint): boolean =>
      !isCommon(point) && point.result.service === service && groupsOf(point, report, expected).includes(group);
    return this.points.filter((point) => point.tenantId === tenantId && point.host === host && counts(point));
  }

  /** Points in each group of a report in which they are listed, in the order of the log. */
  private shown({ tenantId, report, day, expected }: OfReport): readonly Shown[] {
    return this.onDay(tenantId, day).flatMap((point) => groupsOf(point, report, expected).map((group) => ({ point, group })));
  }
}
