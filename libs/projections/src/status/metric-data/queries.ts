import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { type Day, dayOf } from '#domain/shared/time.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import { bodyOf, headOf } from '#projections/shared/headed.js';
import { keyOf, keysUnder } from '#projections/shared/key-part.js';
import { type KeyBounds, PAGE, pagesOf, type Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import type { StoredDocument } from '#projections/shared/read-store.js';
import { inOrder, parsedIn } from '#projections/status/in-order.js';
import { splitItems } from '#projections/status/layout.js';
import { mergedPages } from '#projections/status/merged-pages.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';
import { byMembers } from '#projections/status/text-order.js';
import { byEndpoint, byStatus, CommonPoints, endpointId, type LastPoint, newestIn, type StatusEntry } from './common-points.js';
import {
  DETAIL_DEPTH,
  type LatestDocument,
  METRIC_DATA,
  metricCollections,
  type ResultDetail,
  type ResultHead,
  type TimelineDocument,
} from './documents.js';
import type { FindExpectedItems } from './expected-items.js';

export { DETAIL_DEPTH, LATEST_DEPTH, type LatestDocument, type TimelineDocument } from './documents.js';

const { results, timelines, latest, latestOfGroup, endpoints, statuses } = metricCollections;

/** A result of a host: its head, and its detail as bytes in the format of answers. */
export type StoredResult = ResultHead & Readonly<{ detail: Buffer }>;

export const detailIn = ({ detail }: Readonly<{ detail: Buffer }>): ResultDetail => JSON.parse(detail.toString('utf8')) as ResultDetail;

/** `index`: of the result in its document. */
type ResultOrder = Pick<ResultHead, 'service' | 'metric' | 'timestamp'> & Readonly<{ index: number }>;

type ResultFilter = (head: ResultHead) => boolean;

/** `report`: id. `group`: endpoint group. */
export type EndpointMetrics = Readonly<{ tenantId: string; report: string; group: string; service: string; host: string; metric?: string }>;

/** A report, by id, on a day, with the items expected there, which determine where points without a report count. */
type OfReport = Readonly<{ tenantId: string; report: string; day: Day; expecting: FindExpectedItems }>;

/** The newest points of a report on a day. `wanted`: selects by status. `limit`: Infinity for all. */
export type LatestQuery = OfReport &
  Readonly<{
    group: string | undefined;
    wanted: ((status: string) => boolean) | undefined;
    limit: number;
  }>;

/** One of the newest points: parsed, and as bytes in the format of answers. */
export type LatestPoint = Readonly<{ point: LatestDocument; bytes: Buffer }>;

/** One of the newest points and its position. `point`: present if it is already parsed. */
type Newest = Readonly<{ place: string; bytes: Buffer; point?: LatestDocument }>;

const pointIn = (bytes: Buffer): LatestDocument => JSON.parse(bytes.toString('utf8')) as LatestDocument;

const resultsIn = (stored: Buffer): readonly StoredResult[] => {
  const details = splitItems(bodyOf(stored), DETAIL_DEPTH);
  return headOf<readonly ResultHead[]>(stored).map((head, index) => ({ ...head, detail: details[index] as Buffer }));
};

const newestFirst = ({ place: left }: Newest, { place: right }: Newest): number => (left === right ? 0 : left < right ? 1 : -1);
const byName = (left: LastPoint, right: LastPoint): number => byEndpoint(left.name, right.name);

async function* lastPointsIn(pages: AsyncIterable<readonly StoredDocument[]>): AsyncGenerator<readonly LastPoint[]> {
  for await (const page of pages) yield page.map(({ value }) => ({ name: endpoints.parse(value), bytes: value }));
}

async function* entriesIn(pages: AsyncIterable<readonly StoredDocument[]>): AsyncGenerator<readonly StatusEntry[]> {
  for await (const page of pages) yield page.map(({ value }) => ({ entry: statuses.parse(value), bytes: value }));
}

/** Merges sorted statuses from three sources. Equal ones are returned once, from the first source that has them. */
async function* distinct(
  own: AsyncIterable<readonly StoredDocument[]>,
  ...[some, others]: readonly [AsyncIterable<readonly StatusEntry[]>, AsyncIterable<readonly StatusEntry[]>]
): AsyncGenerator<readonly Buffer[]> {
  const compare = (left: StatusEntry, right: StatusEntry): number => byStatus(left.entry, right.entry);
  let last: StatusEntry | undefined;
  for await (const page of mergedPages(entriesIn(own), mergedPages(some, others, compare), compare)) {
    const kept: Buffer[] = [];
    for (const one of page) {
      if (!last || compare(last, one) !== 0) kept.push(one.bytes);
      last = one;
    }
    yield kept;
  }
}

/** Range of the keys of an endpoint's points from one day to another. */
const daysOf = ({ tenantId, report, group, service, host }: EndpointMetrics, from: Day, to: Day): Required<KeyBounds> => ({
  gte: `${keyOf(tenantId, report, group, service, host)}/${from}`,
  lt: keysUnder(tenantId, report, group, service, host, to).lt,
});

/** Returns the same string object for equal names, to save memory. */
const onceEach = (): ((name: string) => string) => {
  const known = new Map<string, string>();
  return (name) => getOrInsert(known, name, () => name);
};

async function* bytesOf(pages: AsyncIterable<readonly StoredDocument[]>): AsyncGenerator<readonly Buffer[]> {
  for await (const page of pages) yield page.map(({ value }) => value);
}

/** Queries of metric results. `report` is always an id. Results are returned in pages, because days may be long. */
export class MetricDataQueries extends queriesOf(METRIC_DATA) {
  /** The results of a host on a day, by service, metric and time. @throws DomainError `OVER_LIMIT` */
  ofDay(tenantId: string, host: string, day: Day, chosen: ResultFilter, slice: Slice): AsyncGenerator<readonly StoredResult[]> {
    return this.results(keysUnder(tenantId, host, day), chosen, slice);
  }

  /** The results of one metric of a host at a second, `YYYY-MM-DDTHH:MM:SSZ`, in the same order. @throws DomainError `OVER_LIMIT` */
  atSecond(
    { tenantId, host, metric }: Readonly<{ tenantId: string; host: string; metric: string }>,
    second: string,
    chosen: ResultFilter,
    slice: Slice,
  ): AsyncGenerator<readonly StoredResult[]> {
    const ofMetric: ResultFilter = (head) => head.metric === metric && chosen(head);
    return this.results(keysUnder(tenantId, host, second.slice(0, 10), second.slice(11, 19)), ofMetric, slice);
  }

  /** The last result of a service's metric at a second that counts for a report. @throws DomainError `OVER_LIMIT` */
  async lastAtSecond(
    { tenantId, report, service, host, metric }: Omit<EndpointMetrics, 'group'> & Readonly<{ metric: string }>,
    second: string,
    slice: Slice,
  ): Promise<StoredResult | undefined> {
    const counts: ResultFilter = (head) => head.service === service && (head.report === undefined || head.report === report);
    let last: StoredResult | undefined;
    for await (const page of this.atSecond({ tenantId, host, metric }, second, counts, slice)) last = page.at(-1) ?? last;
    return last;
  }

  /**
   * The points of an endpoint, or of one of its metrics, that contain the report, from one day to another, both inclusive, by metric and time.
   * @param wanted selects days. Default: all
   * @throws DomainError `OVER_LIMIT`
   */
  async *timeline(
    endpoint: EndpointMetrics,
    { from, to }: DaySpan,
    slice: Slice,
    wanted: (day: Day) => boolean = () => true,
  ): AsyncGenerator<readonly TimelineDocument[]> {
    if (from > to) return;
    const once = onceEach();
    const ordering = {
      ordersOf: ({ value }: StoredDocument) => {
        const { metric, timestamp } = timelines.parse(value);
        const counts = (endpoint.metric === undefined || metric === endpoint.metric) && wanted(dayOf(timestamp));
        return [counts ? { metric: once(metric), timestamp } : undefined];
      },
      compare: byMembers('metric', 'timestamp'),
    };
    for await (const page of inOrder(this.view, timelines.name, daysOf(endpoint, from, to), ordering, slice))
      yield page.map(({ value }) => timelines.parse(value));
  }

  /** The days from one to another on which an endpoint has points that contain the report. @throws DomainError `OVER_LIMIT` */
  async *timelineDays(endpoint: EndpointMetrics, { from, to }: DaySpan): AsyncGenerator<Day> {
    if (from > to) return;
    const { tenantId, report, group, service, host } = endpoint;
    let { gte, lt } = daysOf(endpoint, from, to);
    for (let count = 0; ; count++) {
      const [next] = await this.view.range(timelines.name, { gte, lt, limit: 1 });
      if (!next) return;
      if (count >= STATUS_LIMITS.resultsPerAnswer.value) throw overLimit('resultsPerAnswer');
      const day = dayOf(timelines.parse(next.value).timestamp);
      yield day;
      gte = keysUnder(tenantId, report, group, service, host, day).lt;
    }
  }

  /** The newest points of a day in the format of answers, newest first, at most `limit`. */
  async *latest(query: LatestQuery, slice: Slice): AsyncGenerator<readonly Buffer[]> {
    for await (const page of this.newest(query, slice)) yield page.map(({ bytes }) => bytes);
  }

  /** Like `latest`, with parsed points. */
  async *latestPoints(query: LatestQuery, slice: Slice): AsyncGenerator<readonly LatestPoint[]> {
    for await (const page of this.newest(query, slice)) yield page.map(({ bytes, point }) => ({ bytes, point: point ?? pointIn(bytes) }));
  }

  /** The last point of each endpoint of a report on a day, by endpoint, in the format of answers. @throws DomainError `OVER_LIMIT` */
  async *endpoints(
    { tenantId, report, day, expecting }: OfReport,
    chosen: (status: string) => boolean,
    slice: Slice,
  ): AsyncGenerator<readonly Buffer[]> {
    const common = await CommonPoints.on(this.view, { tenantId, day }, expecting, slice);
    const lastPoints = await common?.lastPoints(report);
    const ordersOf = ({ value }: StoredDocument) => {
      const { endpoint, service, endpoint_group, status } = endpoints.parse(value);
      const name = { endpoint, service, endpoint_group };
      return [chosen(status) && !lastPoints?.has(endpointId(name)) ? name : undefined];
    };
    const own = inOrder(this.view, endpoints.name, keysUnder(tenantId, report, day), { ordersOf, compare: byEndpoint }, slice);
    if (!common || !lastPoints) yield* bytesOf(own);
    else
      for await (const page of mergedPages(lastPointsIn(own), common.shown(lastPoints, chosen), byName))
        yield page.map(({ bytes }) => bytes);
  }

  /** All statuses that the metrics of a group had on a day, by service and host, in the format of answers. @throws DomainError `OVER_LIMIT` */
  async *statuses(
    { tenantId, report, group, day, expecting }: OfReport & Readonly<{ group: string }>,
    chosen: (status: string) => boolean,
    slice: Slice,
  ): AsyncGenerator<readonly Buffer[]> {
    const ordersOf = ({ value }: StoredDocument) => {
      const { service, hostname, metric, status } = statuses.parse(value);
      return [chosen(status) ? { service, hostname, metric, status } : undefined];
    };
    const own = inOrder(this.view, statuses.name, keysUnder(tenantId, report, group, day), { ordersOf, compare: byStatus }, slice);
    const common = await CommonPoints.on(this.view, { tenantId, day }, expecting, slice);
    if (!common) yield* bytesOf(own);
    else yield* distinct(own, common.statuses(group, group, chosen), common.statuses(group, '', chosen));
  }

  private async *newest(query: LatestQuery, slice: Slice): AsyncGenerator<readonly Newest[]> {
    const { tenantId, day, group, wanted, limit, expecting } = query;
    const common = await CommonPoints.on(this.view, { tenantId, day }, expecting, slice);
    const own = this.newestOfReport(query, slice);
    const all = common ? mergedPages<Newest>(own, common.latest(wanted ?? (() => true), group), newestFirst) : own;
    let left = limit;
    for await (const page of all) {
      yield page.slice(0, left);
      left -= page.length;
      if (left <= 0) return;
    }
  }

  private async *newestOfReport(
    { tenantId, report, group, day, wanted, limit }: LatestQuery,
    slice: Slice,
  ): AsyncGenerator<readonly Newest[]> {
    const [collection, range] =
      group === undefined ? [latest.name, keysUnder(tenantId, report, day)] : [latestOfGroup.name, keysUnder(tenantId, report, group, day)];
    const most = wanted ? undefined : Math.min(limit, PAGE.limit);
    for await (const page of pagesOf(this.view, collection, range, { slice, reverse: true, most })) {
      const newest = page.flatMap(newestIn);
      yield wanted ? newest.filter(({ bytes }) => wanted(pointIn(bytes).status)) : newest;
    }
  }

  private async *results(range: KeyBounds, chosen: ResultFilter, slice: Slice): AsyncGenerator<readonly StoredResult[]> {
    const once = onceEach();
    const ordering = {
      ordersOf: ({ value }: StoredDocument) =>
        headOf<readonly ResultHead[]>(value).map((head, index) =>
          chosen(head) ? { service: once(head.service), metric: once(head.metric), timestamp: head.timestamp, index } : undefined,
        ),
      compare: byMembers('service', 'metric', 'timestamp'),
    };
    for await (const page of inOrder<ResultOrder>(this.view, results.name, range, ordering, slice)) {
      const stored = parsedIn(page, resultsIn);
      yield page.flatMap(({ key, order }) => stored.get(key)?.[order.index] ?? []);
    }
  }
}
