import { byBytes } from '#domain/shared/text/text-order.js';
import type { Day } from '#domain/shared/time.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { Plan } from '#domain/status/results/plan.js';
import { countsIn } from '#domain/status/results/point-uses.js';
import { inPages, PAGE, type Slice } from '#projections/shared/pages.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { RESULTS } from '#projections/status/metric-results/documents.js';
import {
  byTime,
  charactersOf,
  originOf,
  type Point,
  type PointTexts,
  type Series,
  withoutExtras,
} from '#projections/status/metric-results/point-set.js';
import { type Bucket, type ResultDay, ResultsReader, type ShownSeries } from '#projections/status/metric-results/results-reader.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';
import { byMembers } from '#projections/status/text-order.js';
import { DETAIL_DEPTH, infoOf, onlyInfo, type ResultDetail, type ResultHead, resultDetail, resultHead } from './answers.js';
import type { FindExpectedItems, OfReport } from './expected-items.js';
import { byEndpoint, byStatus, lastOfEndpoints, statusesOf } from './last-points.js';
import { type LatestPoint, type LatestQuery, newestInGroups } from './latest-points.js';
import { PartFinder } from './part-finder.js';
import { PointGroups } from './point-groups.js';

export { DETAIL_DEPTH, LATEST_DEPTH, type LatestDocument, type TimelineDocument, timelineDocument } from './answers.js';
export type { LatestPoint, LatestQuery } from './latest-points.js';

/** A result of a host: its head, and its detail as bytes in the format of answers. */
export type StoredResult = ResultHead & Readonly<{ detail: Buffer }>;

export const detailIn = ({ detail }: Readonly<{ detail: Buffer }>): ResultDetail => JSON.parse(detail.toString('utf8')) as ResultDetail;

type ResultFilter = (head: ResultHead) => boolean;

/** `report`: id. `group`: endpoint group. */
export type EndpointMetrics = Readonly<{ tenantId: string; report: string; group: string; service: string; host: string; metric?: string }>;

/** Metrics of an endpoint in a group of a report, on the day of its plan. */
type PlannedMetrics = Omit<EndpointMetrics, 'report'> & Readonly<{ plan: Plan }>;
export type PlannedMetric = PlannedMetrics & Readonly<{ metric: string }>;

/** Approximate bytes of memory of a point of a timeline without its texts. */
export const POINT_BYTES = 200;

/** `expecting`: looks up the items that the report expects on a day. `undefined`: the day cannot be computed. */
export type EndpointTimeline = EndpointMetrics & Readonly<{ expecting: (day: Day) => ReturnType<FindExpectedItems> }>;

/** `point`: without extras. `part`: its number, because many parts would take much memory; `undefined`: the open one. */
type FoundPoint = Readonly<{ point: Point; part: number | undefined; number: number }>;
/** The points of a metric on a day, in the order of time. */
export type MetricOfDay = Readonly<{ metric: string; day: Day; points: readonly Point[] }>;

const bySeriesAndTime = ({ point: left }: FoundPoint, { point: right }: FoundPoint): number =>
  byBytes(left.series.service, right.series.service) || byBytes(left.series.metric, right.series.metric) || byTime(left, right);

const isWithin = (count: number, characters = 0): void => {
  if (count > STATUS_LIMITS.resultsPerAnswer.value) throw overLimit('resultsPerAnswer');
  if (characters > STATUS_LIMITS.statusTexts.value) throw overLimit('statusTexts');
};

const chosenPoints = async (pages: AsyncIterable<readonly ShownSeries[]>, chosen: (point: Point) => boolean): Promise<FoundPoint[]> => {
  const all: FoundPoint[] = [];
  for await (const page of pages) {
    for (const { part, numbers } of page)
      for (const number of numbers) {
        const point = part.set.point(number);
        if (chosen(point)) all.push({ point: withoutExtras(point), part: part.part, number });
      }
    isWithin(all.length);
  }
  return all;
};

/** Queries of metric results. `report` is always an id. Results are returned in pages, because days may be long. */
export class MetricDataQueries {
  private readonly reader: ResultsReader;

  constructor(store: Pick<ReadStore, 'view'>) {
    this.reader = new ResultsReader(store.view(RESULTS));
  }

  /** The results of a host on a day, by service, metric and time. @throws DomainError `OVER_LIMIT` */
  ofDay(tenantId: string, host: string, day: Day, chosen: ResultFilter, slice: Slice): AsyncGenerator<readonly StoredResult[]> {
    return this.results({ tenantId, host, day }, () => true, chosen, slice);
  }

  /** The results of one metric of a host at a second, `YYYY-MM-DDTHH:MM:SSZ`, in the same order. @throws DomainError `OVER_LIMIT` */
  atSecond(
    { tenantId, host, metric }: Readonly<{ tenantId: string; host: string; metric: string }>,
    second: string,
    chosen: ResultFilter,
    slice: Slice,
  ): AsyncGenerator<readonly StoredResult[]> {
    const isAt: ResultFilter = (head) => head.timestamp === second && chosen(head);
    return this.results({ tenantId, host, day: second.slice(0, 10) }, (series) => series.metric === metric, isAt, slice);
  }

  /** Texts and info of the result of a metric that counts in the group at a second of the day. `undefined`: there is none. */
  async counting(of: PlannedMetric, second: number, slice: Slice): Promise<(PointTexts & Pick<ResultHead, 'info'>) | undefined> {
    let last: FoundPoint | undefined;
    const add = (one: FoundPoint): void => {
      if (one.point.at === second && (!last || byTime(one.point, last.point) > 0)) last = one;
    };
    const bucket = await this.eachCounting(of, add, slice);
    if (!bucket || !last) return undefined;
    const { part, number }: FoundPoint = last;
    const read = await bucket.part(part);
    const texts = await bucket.textsOf(read);
    return { ...texts.of(number), ...infoOf(read.set.point(number)) };
  }

  /** The first point of each metric on the day that counts in the group, of its extras only `info`. */
  async firstCounting(of: PlannedMetrics, slice: Slice): Promise<ReadonlyMap<string, Point>> {
    const first = new Map<string, Point>();
    const add = ({ point }: FoundPoint): void => {
      const known = first.get(point.series.metric);
      if (!known || point.at < known.at || (point.at === known.at && byTime(point, known) > 0))
        first.set(point.series.metric, onlyInfo(point));
    };
    await this.eachCounting(of, add, slice);
    return first;
  }

  /**
   * The points of an endpoint, or of one of its metrics, that contain the report, from one day to another, both inclusive, by metric and day.
   * @param wanted selects days. Default: all
   * @param hold called with the bytes of memory of all points, as they grow
   * @throws DomainError `OVER_LIMIT`
   */
  async timeline(
    endpoint: EndpointTimeline,
    span: DaySpan,
    slice: Slice,
    wanted: (day: Day) => boolean = () => true,
    hold: (bytes: number) => void = () => {},
  ): Promise<readonly MetricOfDay[]> {
    const all: MetricOfDay[] = [];
    let [count, characters] = [0, 0];
    for await (const ofDay of this.daysOf(endpoint.tenantId, span, slice)) {
      const { day } = ofDay;
      if (!wanted(day)) continue;
      const metrics = new Map<string, Point[]>();
      for await (const page of this.pointsOf(ofDay, endpoint, slice)) {
        for (const { series, part, numbers } of page) {
          const points = metrics.get(series.metric) ?? [];
          metrics.set(series.metric, points);
          for (const number of numbers) {
            const point = part.set.point(number);
            points.push(point);
            characters += charactersOf(point.extras);
          }
          count += numbers.length;
        }
        isWithin(count, characters);
        hold(POINT_BYTES * count + characters);
      }
      for (const [metric, points] of metrics) {
        await sortInSlices(points, byTime, slice);
        all.push({ metric, day, points });
      }
    }
    await sortInSlices(all, byMembers('metric', 'day'), slice);
    return all;
  }

  /** The days from one to another on which an endpoint, whatever the metric, has points that contain the report. @throws DomainError `OVER_LIMIT` */
  async *timelineDays({ metric: _, ...endpoint }: EndpointTimeline, span: DaySpan, slice: Slice): AsyncGenerator<Day> {
    let count = 0;
    for await (const day of this.daysOf(endpoint.tenantId, span, slice)) {
      const points = this.pointsOf(day, endpoint, slice);
      const { done } = await points.next();
      await points.return(undefined);
      if (done) continue;
      isWithin(++count);
      yield day.day;
    }
  }

  /** The newest points of a day in the format of answers, newest first, at most `limit`. */
  async *latest(query: LatestQuery, slice: Slice): AsyncGenerator<readonly Buffer[]> {
    for await (const page of this.latestPoints(query, slice)) yield page.map(({ bytes }) => bytes);
  }

  /** Like `latest`, with the points. */
  async *latestPoints(query: LatestQuery, slice: Slice): AsyncGenerator<readonly LatestPoint[]> {
    const day = await this.reader.day(query.tenantId, query.day);
    if (day && query.limit > 0) yield* newestInGroups(day, query, slice);
  }

  /** The last point of each endpoint of a report on a day, by endpoint, in the format of answers. @throws DomainError `OVER_LIMIT` */
  async *endpoints(of: OfReport, chosen: (status: string) => boolean, slice: Slice): AsyncGenerator<readonly Buffer[]> {
    const day = await this.reader.day(of.tenantId, of.day);
    if (!day) return;
    const all = [...(await lastOfEndpoints(day, { ...of, chosen }, slice))];
    await sortInSlices(all, (left, right) => byEndpoint(left.name, right.name), slice);
    yield* asBytes(
      all.map(({ document }) => document),
      slice,
    );
  }

  /** All statuses that the metrics of a group had on a day, by service and host, in the format of answers. @throws DomainError `OVER_LIMIT` */
  async *statuses(
    of: OfReport & Readonly<{ group: string }>,
    chosen: (status: string) => boolean,
    slice: Slice,
  ): AsyncGenerator<readonly Buffer[]> {
    const day = await this.reader.day(of.tenantId, of.day);
    if (!day) return;
    const all = [...(await statusesOf(day, { ...of, chosen }, slice))];
    await sortInSlices(all, byStatus, slice);
    yield* asBytes(all, slice);
  }

  /**
   * Passes on the points that count in the group, in no particular order. They include those that a later one of the same second supersedes.
   * Resolves with the bucket of the host; `undefined`: the day has no points.
   */
  private async eachCounting(
    { tenantId, plan, group, service, host, metric }: PlannedMetrics,
    add: (found: FoundPoint) => void,
    slice: Slice,
  ): Promise<Bucket | undefined> {
    const bucket = await (await this.reader.day(tenantId, plan.day))?.bucketOf(host);
    const counts = countsIn(plan, group);
    const isWanted = (one: Series): boolean => one.service === service && (metric === undefined || one.metric === metric);
    for await (const page of bucket?.points({ host, series: isWanted }, slice) ?? [])
      for (const { series, part, numbers } of page) {
        const origin = originOf(series);
        for (const number of numbers) {
          const point = part.set.point(number);
          if (counts({ at: point.at, origin })) add({ point, part: part.part, number });
        }
      }
    return bucket;
  }

  private async *daysOf(tenantId: string, span: DaySpan, slice: Slice): AsyncGenerator<ResultDay> {
    if (span.from > span.to) return;
    for await (const page of this.reader.days(tenantId, slice, span)) yield* page;
  }

  /** The points of an endpoint that contain the report. */
  private async *pointsOf(
    day: ResultDay,
    { report, group, service, host, metric, expecting }: EndpointTimeline,
    slice: Slice,
  ): AsyncGenerator<readonly ShownSeries[]> {
    const placing = new PointGroups({ report, group, expecting: () => expecting(day.day) });
    const { parts, before } = placing;
    const series = (one: Series): boolean =>
      one.service === service && one.report === report && (metric === undefined || one.metric === metric) && placing.series(one);
    yield* (await day.bucketOf(host)).points({ host, series, parts, before }, slice);
  }

  private async *results(
    { tenantId, host, day: of }: Readonly<{ tenantId: string; host: string; day: Day }>,
    ofSeries: (series: Series) => boolean,
    chosen: ResultFilter,
    slice: Slice,
  ): AsyncGenerator<readonly StoredResult[]> {
    const day = await this.reader.day(tenantId, of);
    if (!day) return;
    const bucket = await day.bucketOf(host);
    const all = await chosenPoints(bucket.points({ host, series: ofSeries }, slice), (point) => chosen(resultHead(of, point)));
    await sortInSlices(all, bySeriesAndTime, slice);
    const finder = new PartFinder(async (number: FoundPoint['part']) => {
      const part = await bucket.part(number);
      const texts = await bucket.textsOf(part);
      return { set: part.set, texts, characters: part.set.characters + texts.characters };
    });
    let [page, bytes]: [StoredResult[], number] = [[], 0];
    for (const one of all) {
      const { set, texts } = await finder.of(one.part);
      const point = set.point(one.number);
      const detail = Buffer.from(wireText(resultDetail(of, point, texts.of(one.number)), DETAIL_DEPTH));
      page.push({ ...resultHead(of, point), detail });
      bytes += detail.length + charactersOf(infoOf(point));
      if (page.length >= PAGE.limit || bytes >= PAGE.maxBytes) {
        yield page;
        [page, bytes] = [[], 0];
      }
      if (slice.isOver) await slice.next();
    }
    if (page.length > 0) yield page;
  }
}

async function* asBytes(documents: readonly object[], slice: Slice): AsyncGenerator<readonly Buffer[]> {
  const texts = (function* () {
    for (const document of documents) yield Buffer.from(wireText(document, RECORD_DEPTH));
  })();
  yield* inPages(texts, ({ length }) => length, slice);
}
