import type { Day } from '#domain/shared/time.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { Slice } from '#projections/shared/pages.js';
import { byTime, charactersOf, type Point } from '#projections/status/metric-results/point-set.js';
import type { PartPoints, ResultDay } from '#projections/status/metric-results/results-reader.js';
import { byMembers } from '#projections/status/text-order.js';
import { type EndpointDocument, infoOf, onlyInfo, type StatusDocument, timestampOf } from './answers.js';
import type { OfReport } from './expected-items.js';
import { PointGroups } from './point-groups.js';

/** An endpoint of a group, sorted as in answers. */
type EndpointName = Readonly<{ endpoint: string; service: string; endpoint_group: string }>;

export const byEndpoint = byMembers('endpoint', 'service', 'endpoint_group');
export const byStatus = byMembers('service', 'hostname', 'metric', 'status');

type LastPoint = Readonly<{ name: EndpointName; point: Point }>;

/** The last point by endpoint. `characters`: of the extras of all. */
class LastPoints {
  readonly all = new Map<string, LastPoint>();
  characters = 0;

  /** @param isBefore whether a known point gives way. Default: if the new one is later */
  keep(name: EndpointName, point: Point, isBefore = (known: Point): boolean => byTime(known, point) < 0): void {
    const id = JSON.stringify([name.endpoint, name.service, name.endpoint_group]);
    const known = this.all.get(id);
    if (known && !isBefore(known.point)) return;
    this.characters += charactersOf(point.extras) - charactersOf(known?.point.extras);
    this.all.set(id, { name, point });
  }
}

/** The greatest of some points of a part. */
const greatest = ({ set }: PartPoints, numbers: readonly number[], compare: (left: Point, right: Point) => number): Point => {
  let found = set.point(numbers[0] as number);
  for (const number of numbers) if (compare(set.point(number), found) > 0) found = set.point(number);
  return found;
};

/** `chosen`: selects by status. */
type Shown = OfReport & Readonly<{ chosen: (status: string) => boolean }>;

/** @throws DomainError `OVER_LIMIT` */
const ensureTexts = (characters: number): void => {
  if (characters > STATUS_LIMITS.statusTexts.value) throw overLimit('statusTexts');
};

/** The last points of endpoints, with and without the report. `expanded`: those in the groups that the topology determines. */
const lastGiven = async (day: ResultDay, placing: PointGroups, slice: Slice) => {
  const found = { own: new LastPoints(), common: new LastPoints(), expanded: new LastPoints() };
  for await (const page of day.points(placing, slice)) {
    for (const { series, part, numbers } of page) {
      const name = { endpoint: series.host, service: series.service, endpoint_group: series.group };
      const last = series.report === undefined ? found.common : placing.isExpanded(series) ? found.expanded : found.own;
      last.keep(name, onlyInfo(greatest(part, numbers, byTime)));
    }
    ensureTexts(found.own.characters + found.common.characters + found.expanded.characters);
  }
  return found;
};

/** The points in each group in which they count. */
const inGroups = async ({ all }: LastPoints, placing: PointGroups, slice: Slice): Promise<Iterable<LastPoint>> => {
  const placed = new LastPoints();
  for (const { name, point } of all.values()) {
    for (const group of placing.groupsOf(point.series)) {
      placed.keep({ ...name, endpoint_group: group }, point);
      if (slice.isOver) await slice.next();
    }
  }
  return placed.all.values();
};

/**
 * The last point of each endpoint of a report on a day. Of two points in the same second, the later one in the log is kept; of one with the report
 * and one without it, the one without it.
 * @throws DomainError `OVER_LIMIT`
 */
export const lastOfEndpoints = async (
  day: ResultDay,
  { chosen, ...of }: Shown,
  slice: Slice,
): Promise<readonly Readonly<{ name: EndpointName; document: EndpointDocument }>[]> => {
  const placing = await PointGroups.on(day, { ...of, group: undefined });
  const { own, common, expanded } = await lastGiven(day, placing, slice);
  for (const { name, point } of await inGroups(expanded, placing, slice)) own.keep(name, point);
  for (const { name, point } of await inGroups(common, placing, slice)) own.keep(name, point, ({ at }) => at <= point.at);
  const found = [...own.all.values()].filter(({ point }) => chosen(point.status));
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
  { chosen, ...of }: Shown & Readonly<{ group: string }>,
  slice: Slice,
): Promise<readonly StatusDocument[]> => {
  const last = new Map<string, Point>();
  let characters = 0;
  for await (const page of day.points(await PointGroups.on(day, of), slice)) {
    for (const { series, part, numbers } of page) {
      const { service, host, metric } = series;
      for (const [status, point] of lastOfStatuses(part, numbers)) {
        const key = JSON.stringify([service, host, metric, status]);
        const known = last.get(key);
        if (!chosen(status) || !isBetter(point, known)) continue;
        const kept = onlyInfo(point);
        characters += charactersOf(kept.extras) - charactersOf(known?.extras);
        last.set(key, kept);
      }
    }
    if (last.size > STATUS_LIMITS.resultsPerAnswer.value) throw overLimit('resultsPerAnswer');
    ensureTexts(characters);
  }
  return Array.from(last.values(), (point) => {
    const { service, host, metric } = point.series;
    return { ...{ service, hostname: host, metric, status: point.status }, ...infoOf(point) };
  });
};
