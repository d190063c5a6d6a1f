import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import type { PointOrigin } from '#domain/status/results/plan.js';

/** Optional members of a result that few results have. */
export type RareMembers = Partial<
  Pick<MetricResult, 'previous_timestamp' | 'previous_state' | 'info' | 'actual_data' | 'threshold_rule_applied' | 'original_status'>
>;

/** Characters of the texts of these members. */
export const charactersOf = (extras: RareMembers = {}): number => {
  let characters = 0;
  for (const value of Object.values(extras))
    if (typeof value === 'string') characters += value.length;
    else for (const [key, text] of Object.entries(value)) characters += key.length + text.length;
  return characters;
};

/** Texts of a result. Either may be empty. */
export type PointTexts = Readonly<{ summary: string; message: string }>;

/** Everything that says which points follow each other. `report` and `monitoringHost`: `undefined` if they were not given; `group`: empty if it was not. */
type SeriesName = Readonly<{
  host: string;
  service: string;
  metric: string;
  report?: string | undefined;
  group: string;
  monitoringHost?: string | undefined;
}>;

/** A series and the numbers of its points in the set. */
export type Series = SeriesName & Readonly<{ points: number[] }>;

/** A point of a set without its texts. `at`: second of the day. `position` and `index`: of its event in the log, and its index there. */
export type Point = Readonly<{
  series: Series;
  at: number;
  position: number;
  index: number;
  status: string;
  extras?: RareMembers | undefined;
}>;

/** The point without its extras, which may be long. */
export const withoutExtras = (point: Point): Point => (point.extras ? { ...point, extras: undefined } : point);

/** @param text returns the text to store for an equal one */
export const originOf = ({ report, group, monitoringHost }: SeriesName, text = (given: string): string => given): PointOrigin => ({
  ...(report !== undefined && { report: text(report) }),
  ...(group !== '' && { group: text(group) }),
  ...(monitoringHost !== undefined && { monitoringHost: text(monitoringHost) }),
});

/** In order of time, then of the log. */
export const byTime = (left: Point, right: Point): number =>
  left.at - right.at || left.position - right.position || left.index - right.index;

/** A key of the name. The lengths keep names apart that have the same characters. */
const keyOf = ({ host, service, metric, report, group, monitoringHost }: SeriesName): string =>
  `${host.length} ${service.length} ${metric.length} ${report?.length ?? ''} ${group.length} ${monitoringHost?.length ?? ''} ${host}${service}${metric}${report ?? ''}${group}${monitoringHost ?? ''}`;

/** Points of a bucket, by series. Points are numbered in the order in which they were added. */
export class PointSet {
  readonly points: Point[] = [];
  readonly series: Series[] = [];
  /** Reports of points without a group. */
  readonly ungrouped = new Set<string>();
  /** Characters of the names of all series and of the extras of all points. */
  characters = 0;
  private readonly named = new Map<string, Series>();
  private readonly byHost = new Map<string, Series[]>();
  private inOrder: readonly number[] | undefined;

  /** The series of this name, begun if it is not there. */
  seriesOf(name: SeriesName): Series {
    return getOrInsert(this.named, keyOf(name), () => this.begin(name));
  }

  /** Begins a series. In one set, either all series are begun here, each once, or all by `seriesOf`. */
  begin({ host, service, metric, report, group, monitoringHost }: SeriesName): Series {
    const series = { host, service, metric, report, group, monitoringHost, points: [] };
    this.series.push(series);
    for (const text of [host, service, metric, report, group, monitoringHost]) this.characters += text?.length ?? 0;
    if (report !== undefined && group === '') this.ungrouped.add(report);
    getOrInsert(this.byHost, host, () => []).push(series);
    return series;
  }

  add(point: Point): void {
    point.series.points.push(this.points.length);
    this.points.push(point);
    if (point.extras) this.characters += charactersOf(point.extras);
    this.inOrder = undefined;
  }

  point(number: number): Point {
    return this.points[number] as Point;
  }

  /** The same points, without extras. */
  withoutExtras(): PointSet {
    const set = new PointSet();
    const begun = new Map(this.series.map((series) => [series, set.begin(series)]));
    for (const point of this.points) set.add({ ...withoutExtras(point), series: begun.get(point.series) as Series });
    return set;
  }

  /** The numbers of all points, newest first. */
  newestFirst(): readonly number[] {
    this.inOrder ??= this.newestOf(this.series);
    return this.inOrder;
  }

  /** The numbers of the points of some series, newest first. */
  newestOf(series: readonly Series[]): readonly number[] {
    return series.flatMap(({ points }) => points).sort((left, right) => byTime(this.point(right), this.point(left)));
  }

  /** The series of a host, or all. */
  seriesFor(host: string | undefined): Iterable<Series> {
    return host === undefined ? this.series : (this.byHost.get(host) ?? []);
  }
}
