import type { Day } from '#domain/shared/time.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { Slice } from '#projections/shared/pages.js';
import type { PartSummary } from '#projections/status/metric-results/documents.js';
import { byTime, type Point } from '#projections/status/metric-results/point-set.js';
import type { PartPoints, ResultDay } from '#projections/status/metric-results/results-reader.js';
import { byMembers } from '#projections/status/text-order.js';
import { type EndpointDocument, infoOf, type StatusDocument, timestampOf } from './answers.js';
import type { ExpectedItems } from './expected-items.js';

/** An endpoint of a group, sorted as in answers. */
type EndpointName = Readonly<{ endpoint: string; service: string; endpoint_group: string }>;

export const byEndpoint = byMembers('endpoint', 'service', 'endpoint_group');
export const byStatus = byMembers('service', 'hostname', 'metric', 'status');

type LastPoint = Readonly<{ name: EndpointName; point: Point }>;

/** The last point by endpoint. */
class LastPoints {
  readonly all = new Map<string, LastPoint>();

  keep(name: EndpointName, point: Point): void {
    const id = JSON.stringify([name.endpoint, name.service, name.endpoint_group]);
    const known = this.all.get(id);
    if (!known || byTime(known.point, point) < 0) this.all.set(id, { name, point });
  }
}

const hasReport = ({ reports }: PartSummary, counts: (report: string | 0, group: string) => boolean): boolean =>
  reports === 0 || reports.some(([report, group]) => counts(report, group));

/** The greatest of some points of a part. */
const greatest = ({ set }: PartPoints, numbers: readonly number[], compare: (left: Point, right: Point) => number): Point => {
  let found = set.point(numbers[0] as number);
  for (const number of numbers) if (compare(set.point(number), found) > 0) found = set.point(number);
  return found;
};

type Shown = Readonly<{ report: string; expected: ExpectedItems | undefined; chosen: (status: string) => boolean }>;

/** The last points with the report, and those of expected items without one, by the group that they contain. */
const lastGiven = async (day: ResultDay, report: string, expected: ExpectedItems | undefined, slice: Slice) => {
  const own = new LastPoints();
  const given = new LastPoints();
  const isOf = (one: string | 0 | undefined): boolean => (one === undefined || one === 0 ? expected !== undefined : one === report);
  const wanted = {
    series: ({ host, service, group, metric, report: named }: Point['series']) =>
      isOf(named) && (named !== undefined || expected?.metricsOf({ host, service }, group).has(metric) === true),
    parts: (summary: PartSummary) => hasReport(summary, isOf),
  };
  for await (const page of day.points(wanted, slice))
    for (const { series, part, numbers } of page) {
      const name = { endpoint: series.host, service: series.service, endpoint_group: series.group };
      (series.report === undefined ? given : own).keep(name, greatest(part, numbers, byTime));
    }
  return { own: own.all, given: given.all };
};

/** Points without a report in each group in which they count. */
const inGroups = async (given: Iterable<LastPoint>, expected: ExpectedItems | undefined, slice: Slice): Promise<LastPoints['all']> => {
  const common = new LastPoints();
  for (const { name, point } of given) {
    const { endpoint, service } = name;
    for (const group of expected?.groupsOf({ host: endpoint, service, metric: point.series.metric }, name.endpoint_group) ?? []) {
      common.keep({ endpoint, service, endpoint_group: group }, point);
      if (slice.isOver) await slice.next();
    }
  }
  return common.all;
};

/**
 * The last point of each endpoint of a report on a day. Of two points in the same second, the later one in the log is kept; of one with the report
 * and one without it, the one without it.
 * @throws DomainError `OVER_LIMIT`
 */
export const lastOfEndpoints = async (
  day: ResultDay,
  { report, expected, chosen }: Shown,
  slice: Slice,
): Promise<readonly Readonly<{ name: EndpointName; document: EndpointDocument }>[]> => {
  const { own: all, given } = await lastGiven(day, report, expected, slice);
  for (const [id, last] of await inGroups(given.values(), expected, slice)) {
    const known = all.get(id);
    if (!known || known.point.at <= last.point.at) all.set(id, last);
  }
  const found = [...all.values()].filter(({ point }) => chosen(point.status));
  if (found.length > STATUS_LIMITS.resultsPerAnswer.value) throw overLimit('resultsPerAnswer');
  return found.map(({ name, point }) => ({ name, document: endpointDocument(day.day, name, point) }));
};

const endpointDocument = (day: Day, { endpoint, service, endpoint_group }: EndpointName, point: Point): EndpointDocument => ({
  ...{ timestamp: timestampOf(day, point), endpoint_group, service, endpoint, status: point.status },
  ...infoOf(point),
});

/** Rank of a point for a status of a group: its own points come first, then those with the group, then those without one. */
const rankOf = ({ series: { report, group } }: Point): number => {
  if (report !== undefined) return 2;
  return group === '' ? 0 : 1;
};

const inLog = (one: Point, other: Point): number => one.position - other.position || one.index - other.index;

/** Whether a point is shown for a status, instead of the known one. */
const isBetter = (point: Point, known: Point | undefined): boolean => !known || (rankOf(point) - rankOf(known) || inLog(point, known)) > 0;

/** The last point in the log of each status. */
const lastOfStatuses = ({ set }: PartPoints, numbers: readonly number[]): ReadonlyMap<string, Point> => {
  const last = new Map<string, Point>();
  for (const number of numbers) {
    const point = set.point(number);
    const known = last.get(point.status);
    if (!known || inLog(point, known) > 0) last.set(point.status, point);
  }
  return last;
};

/** Each status that the metrics of a group had on a day, with the last such point in the log. @throws DomainError `OVER_LIMIT` */
export const statusesOf = async (
  day: ResultDay,
  { report, expected, chosen, group }: Shown & Readonly<{ group: string }>,
  slice: Slice,
): Promise<readonly StatusDocument[]> => {
  const last = new Map<string, Point>();
  const inGroup = (of: string) => of === group || of === '';
  const selects = (summary: PartSummary) =>
    hasReport(summary, (one, of) => (one === 0 ? expected !== undefined && inGroup(of) : one === report && of === group));
  const counts = ({ report: one, group: of, host, service, metric }: Point['series']): boolean => {
    if (one !== undefined) return one === report && of === group;
    return expected !== undefined && inGroup(of) && expected.counts({ service, host, metric }, group);
  };
  for await (const page of day.points({ series: counts, parts: selects }, slice)) {
    for (const { series, part, numbers } of page) {
      const { service, host, metric } = series;
      for (const [status, point] of lastOfStatuses(part, numbers)) {
        const key = JSON.stringify([service, host, metric, status]);
        if (chosen(status) && isBetter(point, last.get(key))) last.set(key, point);
      }
    }
    if (last.size > STATUS_LIMITS.resultsPerAnswer.value) throw overLimit('resultsPerAnswer');
  }
  return Array.from(last.values(), (point) => {
    const { service, host, metric } = point.series;
    return { ...{ service, hostname: host, metric, status: point.status }, ...infoOf(point) };
  });
};
