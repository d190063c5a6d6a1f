import type { Day } from '#domain/shared/time.js';
import { bodyOf, headOf } from '#projections/shared/headed.js';
import { keyOf, keysUnder } from '#projections/shared/key-part.js';
import { PAGE, pagesOf, type Slice, type Stretch } from '#projections/shared/pages.js';
import type { ReadStore, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { inOrder } from '#projections/status/in-order.js';
import { byMembers } from '#projections/status/text-order.js';
import {
  type LatestDocument,
  METRIC_DATA,
  metricCollections,
  type ResultDetail,
  type ResultHead,
  type TimelineDocument,
} from './documents.js';

export { DETAIL_DEPTH, LATEST_DEPTH, type LatestDocument, type TimelineDocument } from './documents.js';

const { results, timelines, latest, latestOfGroup, endpoints, statuses } = metricCollections;

/** A result of a host: its head, and the bytes of its detail as they stand in an answer. */
export type StoredResult = ResultHead & Readonly<{ detail: Buffer }>;

/** What the detail of a result says. */
export const detailIn = ({ detail }: Readonly<{ detail: Buffer }>): ResultDetail => JSON.parse(detail.toString('utf8')) as ResultDetail;

/** Which results of a host are wanted. */
export type ResultFilter = (head: ResultHead) => boolean;

/** `report` is an id, `group` an endpoint group. */
export type EndpointMetrics = Readonly<{ tenantId: string; report: string; group: string; service: string; host: string; metric?: string }>;

/** The newest points of a report on a day. `wanted`: by their status. `limit`: Infinity for all. */
export type LatestQuery = Readonly<{
  tenantId: string;
  report: string;
  group: string | undefined;
  day: Day;
  wanted: ((status: string) => boolean) | undefined;
  limit: number;
}>;

/** A newest point: what it says, and its bytes as they stand in an answer. */
export type LatestPoint = Readonly<{ point: LatestDocument; bytes: Buffer }>;

/** Keeps each name once in memory, however many results bear it. */
class Names {
  private readonly known = new Map<string, string>();

  of(name: string): string {
    const known = this.known.get(name);
    if (known === undefined) this.known.set(name, name);
    return known ?? name;
  }
}

async function* bytesOf(pages: AsyncIterable<readonly StoredDocument[]>): AsyncGenerator<readonly Buffer[]> {
  for await (const page of pages) yield page.map(({ value }) => value);
}

/** What is known of metric results. `report` is always an id. Answers come in pages, because days may be long. */
export class MetricDataQueries {
  private readonly view: ReadView;

  constructor(store: ReadStore) {
    this.view = store.view(METRIC_DATA);
  }

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
    return this.results(keysUnder(tenantId, host, second.slice(0, 10), metric, second.slice(11, 19)), chosen, slice);
  }

  /** The points of an endpoint, or of one metric of it, from one day to another, both included, by metric and time. @throws DomainError `OVER_LIMIT` */
  async *timeline(endpoint: EndpointMetrics, from: Day, to: Day, slice: Slice): AsyncGenerator<readonly TimelineDocument[]> {
    if (from > to) return;
    const { tenantId, report, group, service, host } = endpoint;
    const days = keyOf(tenantId, report, group, service, host);
    const stretch = { gte: `${days}/${from}`, lt: keysUnder(tenantId, report, group, service, host, to).lt };
    const names = new Names();
    const ordering = {
      orderOf: ({ value }: StoredDocument) => {
        const { metric, timestamp } = timelines.parse(value);
        return endpoint.metric === undefined || metric === endpoint.metric ? { metric: names.of(metric), timestamp } : undefined;
      },
      compare: byMembers('metric', 'timestamp'),
    };
    for await (const page of inOrder(this.view, timelines.name, stretch, ordering, slice))
      yield page.map(({ value }) => timelines.parse(value));
  }

  /** The newest points of a day as they stand in an answer, newest first, as many as are asked for. */
  async *latest({ tenantId, report, group, day, wanted, limit }: LatestQuery, slice: Slice): AsyncGenerator<readonly Buffer[]> {
    const [collection, range] =
      group === undefined ? [latest.name, keysUnder(tenantId, report, day)] : [latestOfGroup.name, keysUnder(tenantId, report, group, day)];
    const most = wanted ? undefined : Math.min(limit, PAGE.limit);
    let left = limit;
    for await (const page of pagesOf(this.view, collection, range, { slice, reverse: true, most })) {
      const found = page.flatMap(({ value }) => (!wanted || wanted(latest.parse(value).status) ? [value] : []));
      yield found.slice(0, left);
      left -= found.length;
      if (left <= 0) return;
    }
  }

  /** The same with what they say. */
  async *latestPoints(query: LatestQuery, slice: Slice): AsyncGenerator<readonly LatestPoint[]> {
    for await (const page of this.latest(query, slice)) yield page.map((bytes) => ({ point: latest.parse(bytes), bytes }));
  }

  /** The last point of each endpoint of a report on a day, by endpoint, as they stand in an answer. @throws DomainError `OVER_LIMIT` */
  endpoints(
    { tenantId, report, day }: Readonly<{ tenantId: string; report: string; day: Day }>,
    chosen: (status: string) => boolean,
    slice: Slice,
  ): AsyncGenerator<readonly Buffer[]> {
    const orderOf = ({ value }: StoredDocument) => {
      const { endpoint, service, endpoint_group, status } = endpoints.parse(value);
      return chosen(status) ? { endpoint, service, endpoint_group } : undefined;
    };
    const compare = byMembers('endpoint', 'service', 'endpoint_group');
    return bytesOf(inOrder(this.view, endpoints.name, keysUnder(tenantId, report, day), { orderOf, compare }, slice));
  }

  /** Every status that a metric of a group had on a day, by service and host, as they stand in an answer. @throws DomainError `OVER_LIMIT` */
  statuses(
    { tenantId, report, group, day }: Readonly<{ tenantId: string; report: string; group: string; day: Day }>,
    chosen: (status: string) => boolean,
    slice: Slice,
  ): AsyncGenerator<readonly Buffer[]> {
    const orderOf = ({ value }: StoredDocument) => {
      const { service, hostname, metric, status } = statuses.parse(value);
      return chosen(status) ? { service, hostname, metric, status } : undefined;
    };
    const compare = byMembers('service', 'hostname', 'metric', 'status');
    return bytesOf(inOrder(this.view, statuses.name, keysUnder(tenantId, report, group, day), { orderOf, compare }, slice));
  }

  private async *results(range: Stretch, chosen: ResultFilter, slice: Slice): AsyncGenerator<readonly StoredResult[]> {
    const names = new Names();
    const ordering = {
      orderOf: ({ value }: StoredDocument) => {
        const head = headOf<ResultHead>(value);
        return chosen(head) ? { service: names.of(head.service), metric: names.of(head.metric), timestamp: head.timestamp } : undefined;
      },
      compare: byMembers('service', 'metric', 'timestamp'),
    };
    for await (const page of inOrder(this.view, results.name, range, ordering, slice))
      yield page.map(({ value }) => ({ ...headOf<ResultHead>(value), detail: bodyOf(value) }));
  }
}
