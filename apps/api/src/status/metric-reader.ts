import type { Day } from '#domain/shared/time.js';
import { keyOf, keysUnder } from '#projections/shared/key-part.js';
import type { KeyRange, ReadView } from '#projections/shared/read-store.js';
import {
  type EndpointDocument,
  type LatestDocument,
  metricCollections,
  type ResultDocument,
  type StatusDocument,
  type TimelineDocument,
} from '#projections/status/metric-data.js';

/** A result of a host: what it is sorted and filtered by, and the bytes of its detail as they stand in an answer. */
export type StoredResult = ResultDocument['head'] & Readonly<{ detail: Buffer }>;
/** A document with its bytes as they stand in an answer. */
export type Stored<Document> = Document & Readonly<{ bytes: Buffer }>;

const parse = <Document>(bytes: Buffer): Document => JSON.parse(bytes.toString('utf8')) as Document;
const stored = <Document>(bytes: Buffer): Stored<Document> => ({ ...parse<Document>(bytes), bytes });

const NEW_LINE = 0x0a;
const resultOf = (value: Buffer): StoredResult => {
  const end = value.indexOf(NEW_LINE);
  return { ...parse<ResultDocument['head']>(value.subarray(0, end)), detail: value.subarray(end + 1) };
};

/** Points read at a time where only some of them are wanted. */
const PAGE = 1_000;

/** What is wanted of the newest points of a report on a day. `limit`: Infinity for all. */
export type LatestQuery = Readonly<{
  tenantId: string;
  report: string;
  group: string | undefined;
  day: Day;
  wanted: ((status: string) => boolean) | undefined;
  limit: number;
}>;

/** Reads of metric results; `view` is of their projection. `report` is always an id. */
export class MetricReader {
  constructor(private readonly view: ReadView) {}

  /** All results of a host on a day. */
  async ofDay(tenantId: string, host: string, day: Day): Promise<readonly StoredResult[]> {
    return this.results(keysUnder(tenantId, host, day));
  }

  /** The results of one metric of a host at a second, `YYYY-MM-DDTHH:MM:SSZ`. */
  async at(tenantId: string, host: string, metric: string, second: string): Promise<readonly StoredResult[]> {
    return this.results(keysUnder(tenantId, host, second.slice(0, 10), metric, second.slice(11, 19)));
  }

  /** The points of all metrics of an endpoint from one day to another, both included. */
  async timeline(
    tenantId: string,
    endpoint: Readonly<{ report: string; group: string; service: string; host: string }>,
    from: Day,
    to: Day,
  ): Promise<readonly TimelineDocument[]> {
    if (from > to) return [];
    const { report, group, service, host } = endpoint;
    const days = keyOf(tenantId, report, group, service, host);
    const found = await this.view.range(metricCollections.timelines, {
      gte: `${days}/${from}`,
      lt: keysUnder(tenantId, report, group, service, host, to).lt,
    });
    return found.map(({ value }) => parse<TimelineDocument>(value));
  }

  /** The newest points of a day, newest first. Those that are not wanted are passed over, page by page, to the beginning of the day at most. */
  async latest({ tenantId, report, group, day, wanted, limit }: LatestQuery): Promise<readonly Buffer[]> {
    const [collection, range] =
      group === undefined
        ? [metricCollections.latest, keysUnder(tenantId, report, day)]
        : [metricCollections.latestOfGroup, keysUnder(tenantId, report, group, day)];
    const page = wanted ? PAGE : Math.min(limit, PAGE);
    const found: Buffer[] = [];
    let before = range.lt;
    while (found.length < limit) {
      const points = await this.view.range(collection, { gte: range.gte, lt: before, reverse: true, limit: page });
      for (const { value } of points) if (!wanted || wanted(parse<LatestDocument>(value).status)) found.push(value);
      const last = points.at(-1);
      if (!last || points.length < page) break;
      before = last.key;
    }
    return found.slice(0, limit);
  }

  /** The last point of each endpoint of a report on a day. */
  async endpoints(tenantId: string, report: string, day: Day): Promise<readonly Stored<EndpointDocument>[]> {
    const found = await this.view.range(metricCollections.endpoints, keysUnder(tenantId, report, day));
    return found.map(({ value }) => stored<EndpointDocument>(value));
  }

  /** Every status that a metric of a group had on a day. */
  async statuses(tenantId: string, report: string, group: string, day: Day): Promise<readonly Stored<StatusDocument>[]> {
    const found = await this.view.range(metricCollections.statuses, keysUnder(tenantId, report, group, day));
    return found.map(({ value }) => stored<StatusDocument>(value));
  }

  private async results(range: KeyRange): Promise<readonly StoredResult[]> {
    return (await this.view.range(metricCollections.results, range)).map(({ value }) => resultOf(value));
  }
}
