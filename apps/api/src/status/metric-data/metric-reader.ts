import { inOrder, PAGE, pagesOf, type Stretch } from '#api/status/stored-documents.js';
import { byMembers } from '#api/status/text-order.js';
import type { Day } from '#domain/shared/time.js';
import { keyOf, keysUnder } from '#projections/shared/key-part.js';
import type { ReadView, StoredDocument } from '#projections/shared/read-store.js';
import {
  type EndpointDocument,
  type LatestDocument,
  metricCollections,
  type ResultDocument,
  type StatusDocument,
  type TimelineDocument,
} from '#projections/status/metric-data/metric-data.js';

/** A result of a host: what it is sorted and filtered by, and the bytes of its detail as they stand in an answer. */
export type StoredResult = ResultDocument['head'] & Readonly<{ detail: Buffer }>;
const parse = <Document>(bytes: Buffer): Document => JSON.parse(bytes.toString('utf8')) as Document;

const NEW_LINE = 0x0a;
const headOf = (value: Buffer): ResultDocument['head'] => parse(value.subarray(0, value.indexOf(NEW_LINE)));
const resultOf = (value: Buffer): StoredResult => ({ ...headOf(value), detail: value.subarray(value.indexOf(NEW_LINE) + 1) });

/** Each name once in memory, however many results bear it. */
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

/** What is wanted of the newest points of a report on a day. `limit`: Infinity for all. */
export type LatestQuery = Readonly<{
  tenantId: string;
  report: string;
  group: string | undefined;
  day: Day;
  wanted: ((status: string) => boolean) | undefined;
  limit: number;
}>;

/** What a result is chosen by. */
export type ResultFilter = (head: ResultDocument['head']) => boolean;

/** Reads of metric results; `view` is of their projection. `report` is always an id. Nothing here is held as a whole: days may be long. */
export class MetricReader {
  constructor(private readonly view: ReadView) {}

  /** The results of a host on a day, by service, metric and time. @throws DomainError `OVER_LIMIT` */
  ofDay(tenantId: string, host: string, day: Day, chosen: ResultFilter): AsyncGenerator<readonly StoredResult[]> {
    return this.results(keysUnder(tenantId, host, day), chosen);
  }

  /** The results of one metric of a host at a second, `YYYY-MM-DDTHH:MM:SSZ`, in the same order. @throws DomainError `OVER_LIMIT` */
  at(tenantId: string, host: string, metric: string, second: string, chosen: ResultFilter): AsyncGenerator<readonly StoredResult[]> {
    return this.results(keysUnder(tenantId, host, second.slice(0, 10), metric, second.slice(11, 19)), chosen);
  }

  /** The points of an endpoint from one day to another, both included, by metric and time. @throws DomainError `OVER_LIMIT` */
  async *timeline(
    tenantId: string,
    endpoint: Readonly<{ report: string; group: string; service: string; host: string; metric?: string }>,
    from: Day,
    to: Day,
  ): AsyncGenerator<readonly TimelineDocument[]> {
    if (from > to) return;
    const { report, group, service, host } = endpoint;
    const days = keyOf(tenantId, report, group, service, host);
    const stretch = { gte: `${days}/${from}`, lt: keysUnder(tenantId, report, group, service, host, to).lt };
    const names = new Names();
    const ordering = {
      orderOf: ({ value }: StoredDocument) => {
        const { metric, timestamp } = parse<TimelineDocument>(value);
        return endpoint.metric === undefined || metric === endpoint.metric ? { metric: names.of(metric), timestamp } : undefined;
      },
      compare: byMembers('metric', 'timestamp'),
    };
    for await (const page of inOrder(this.view, metricCollections.timelines, stretch, ordering))
      yield page.map(({ value }) => parse<TimelineDocument>(value));
  }

  /** The newest points of a day, newest first, as many as are asked for. */
  async *latest({ tenantId, report, group, day, wanted, limit }: LatestQuery): AsyncGenerator<readonly Buffer[]> {
    const [collection, range] =
      group === undefined
        ? [metricCollections.latest, keysUnder(tenantId, report, day)]
        : [metricCollections.latestOfGroup, keysUnder(tenantId, report, group, day)];
    let left = limit;
    for await (const page of pagesOf(this.view, collection, range, {
      reverse: true,
      most: wanted ? undefined : Math.min(limit, PAGE.limit),
    })) {
      const found = page.flatMap(({ value }) => (!wanted || wanted(parse<LatestDocument>(value).status) ? [value] : []));
      yield found.slice(0, left);
      left -= found.length;
      if (left <= 0) return;
    }
  }

  /** The last point of each endpoint of a report on a day, by endpoint, as they stand in an answer. @throws DomainError `OVER_LIMIT` */
  endpoints(tenantId: string, report: string, day: Day, chosen: (status: string) => boolean): AsyncGenerator<readonly Buffer[]> {
    const orderOf = ({ value }: StoredDocument) => {
      const { endpoint, service, endpoint_group, status } = parse<EndpointDocument>(value);
      return chosen(status) ? { endpoint, service, endpoint_group } : undefined;
    };
    const compare = byMembers('endpoint', 'service', 'endpoint_group');
    return bytesOf(inOrder(this.view, metricCollections.endpoints, keysUnder(tenantId, report, day), { orderOf, compare }));
  }

  /** Every status that a metric of a group had on a day, by service and host, as they stand in an answer. @throws DomainError `OVER_LIMIT` */
  statuses(
    tenantId: string,
    report: string,
    group: string,
    day: Day,
    chosen: (status: string) => boolean,
  ): AsyncGenerator<readonly Buffer[]> {
    const orderOf = ({ value }: StoredDocument) => {
      const { service, hostname, metric, status } = parse<StatusDocument>(value);
      return chosen(status) ? { service, hostname, metric, status } : undefined;
    };
    const compare = byMembers('service', 'hostname', 'metric', 'status');
    return bytesOf(inOrder(this.view, metricCollections.statuses, keysUnder(tenantId, report, group, day), { orderOf, compare }));
  }

  private async *results(range: Stretch, chosen: ResultFilter): AsyncGenerator<readonly StoredResult[]> {
    const names = new Names();
    const ordering = {
      orderOf: ({ value }: StoredDocument) => {
        const head = headOf(value);
        return chosen(head) ? { service: names.of(head.service), metric: names.of(head.metric), timestamp: head.timestamp } : undefined;
      },
      compare: byMembers('service', 'metric', 'timestamp'),
    };
    for await (const page of inOrder(this.view, metricCollections.results, range, ordering)) yield page.map(({ value }) => resultOf(value));
  }
}
