import type { Day } from '#domain/shared/time.js';
import { bodyOf, headOf } from '#projections/shared/headed.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { inPages, pagesOf, type Slice } from '#projections/shared/pages.js';
import type { ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import { fetched, inOrder, parsedIn } from '#projections/status/in-order.js';
import { RECORD_DEPTH, splitItems, wireText } from '#projections/status/layout.js';
import { sequenceOf } from '#projections/status/sequence.js';
import { byMembers } from '#projections/status/text-order.js';
import {
  type EndpointDocument,
  LATEST_DEPTH,
  type LatestDocument,
  type MetricOfDay,
  metricCollections,
  NO_REPORT,
  type StatusDocument,
} from './documents.js';
import type { ExpectedItems, FindExpectedItems } from './expected-items.js';

const { latest, endpoints, metrics } = metricCollections;

type OfDay = Readonly<{ tenantId: string; day: Day }>;

/** `place`: time of day and position in the log, which sort in this order. */
type PlacedPoint = Readonly<{ place: string; point: LatestDocument; bytes: Buffer }>;

/** An endpoint of a group, sorted as in answers. */
type EndpointName = Readonly<{ endpoint: string; service: string; endpoint_group: string }>;
export const byEndpoint = byMembers('endpoint', 'service', 'endpoint_group');

/** The last point of an endpoint in the format of answers. */
export type LastPoint = Readonly<{ name: EndpointName; bytes: Buffer }>;

/** The status of a metric in the format of answers. */
export type StatusEntry = Readonly<{ entry: StatusDocument; bytes: Buffer }>;
export const byStatus = byMembers('service', 'hostname', 'metric', 'status');
const byKey = byMembers('key');
type StatusOrder = Parameters<typeof byStatus>[0] & Parameters<typeof byKey>[0];
/** Of the documents of one endpoint, that with the last key has the newest points. */
const byStatusNewestFirst = (left: StatusOrder, right: StatusOrder): number => byStatus(left, right) || byKey(right, left);

/** The points of a document of the newest points, newest first. `place`: time of day and position in the log. `bytes`: in the format of answers. */
export const newestIn = ({ key, value }: StoredDocument): readonly Readonly<{ place: string; bytes: Buffer }>[] => {
  const [time = '', sequence = ''] = key.split('/').slice(-2);
  const [position = ''] = sequence.split('.');
  const points = splitItems(bodyOf(value), LATEST_DEPTH);
  const indexes = headOf<readonly number[]>(value);
  return indexes.map((index, at) => ({ place: `${time}/${sequenceOf(position, index)}`, bytes: points[at] as Buffer })).reverse();
};

/** Key of an endpoint in a group. */
export const endpointId = ({ endpoint, service, endpoint_group }: EndpointName): string =>
  JSON.stringify([endpoint, service, endpoint_group]);

/** A last point, without `info`, which may be long. */
type LastHead = Pick<MetricOfDay, 'metric' | 'timestamp' | 'sequence' | 'status'>;

/** The last point of an endpoint so far, the key of its document, and the group that it contains. */
type Newest = Readonly<{ key: string; bytes: number; name: EndpointName; given: string; head: LastHead }>;

const isNewer = (head: LastHead, known: LastHead): boolean =>
  head.timestamp > known.timestamp || (head.timestamp === known.timestamp && head.sequence > known.sequence);

const keepNewest = (newest: Map<string, Newest>, one: Newest): void => {
  const id = endpointId(one.name);
  const known = newest.get(id);
  if (!known || isNewer(one.head, known.head)) newest.set(id, one);
};

/** Points without a report, as shown in one report on one day: those of expected items, in the groups in which they count. */
export class CommonPoints {
  constructor(
    private readonly view: ReadView,
    private readonly of: OfDay,
    private readonly expected: ExpectedItems,
    private readonly slice: Slice,
  ) {}

  /** `undefined`: there are no such points on the day, or the day cannot be computed. */
  static async on(view: ReadView, of: OfDay, expecting: FindExpectedItems, slice: Slice): Promise<CommonPoints | undefined> {
    const [any] = await view.range(latest.name, { ...keysUnder(of.tenantId, NO_REPORT, of.day), limit: 1 });
    const expected = any && (await expecting());
    return expected && new CommonPoints(view, of, expected, slice);
  }

  /** Newest first. @param group restricts the points to this group */
  async *latest(wanted: (status: string) => boolean, group: string | undefined): AsyncGenerator<readonly PlacedPoint[]> {
    const day = keysUnder(this.of.tenantId, NO_REPORT, this.of.day);
    for await (const page of pagesOf(this.view, latest.name, day, { slice: this.slice, reverse: true })) {
      yield* inPages(this.placed(page, wanted, group), ({ bytes }) => bytes.length, this.slice);
    }
  }

  /** The last points of endpoints by name, without endpoints that have a later point of the report. `report`: its id. */
  async lastPoints(report: string): Promise<ReadonlyMap<string, Newest>> {
    const newest = new Map<string, Newest>();
    for (const last of (await this.lastGiven()).values()) {
      const { endpoint, service } = last.name;
      for (const group of this.expected.groupsOf({ host: endpoint, service, metric: last.head.metric }, last.given)) {
        keepNewest(newest, { ...last, name: { endpoint, service, endpoint_group: group } });
        if (this.slice.isOver) await this.slice.next();
      }
    }
    await this.dropOlderThan(report, newest);
    return newest;
  }

  /** In the order of answers. */
  async *shown(lastPoints: ReadonlyMap<string, Newest>, chosen: (status: string) => boolean): AsyncGenerator<readonly LastPoint[]> {
    const all = [...lastPoints.values()].filter(({ head }) => chosen(head.status));
    await sortInSlices(all, (left, right) => byEndpoint(left.name, right.name), this.slice);
    for await (const page of fetched(this.view, metrics.name, all, this.slice)) {
      yield page.map(({ value, of: { name, head } }) => {
        const { service, endpoint, metrics: all } = metrics.parse(value);
        const last: LastHead & Pick<MetricOfDay, 'info'> = all.find(({ metric }) => metric === head.metric) ?? head;
        const { timestamp, status, info } = last;
        const document: EndpointDocument = {
          ...{ timestamp, endpoint_group: name.endpoint_group, service, endpoint, status },
          ...(info && { info }),
        };
        return { name, bytes: Buffer.from(wireText(document, RECORD_DEPTH)) };
      });
    }
  }

  /** The statuses of a group's metrics, in the order of answers. `given`: the group that their points contain, empty for points without a group. */
  async *statuses(group: string, given: string, chosen: (status: string) => boolean): AsyncGenerator<readonly StatusEntry[]> {
    const entriesOf = (value: Buffer): readonly StatusDocument[] => {
      const { service, endpoint: hostname, metrics: all } = metrics.parse(value);
      return all.flatMap(({ metric, statuses }) => statuses.map((status) => ({ service, hostname, metric, ...status })));
    };
    const ordersOf = ({ key, value }: StoredDocument) =>
      entriesOf(value).map(({ service, hostname, metric, status }) => {
        const counts = chosen(status) && this.expected.counts({ service, host: hostname, metric }, group);
        return counts ? { service, hostname, metric, status, key } : undefined;
      });
    const { tenantId, day } = this.of;
    const range = keysUnder(tenantId, day, given);
    const nameOf = ({ metric, status }: Pick<StatusDocument, 'metric' | 'status'>): string => JSON.stringify([metric, status]);
    const byName = (value: Buffer) => new Map(entriesOf(value).map((entry) => [nameOf(entry), entry]));
    for await (const page of inOrder(this.view, metrics.name, range, { ordersOf, compare: byStatusNewestFirst }, this.slice)) {
      const stored = parsedIn(page, byName);
      yield page.flatMap(({ key, order }) => {
        const entry = stored.get(key)?.get(nameOf(order));
        return entry ? { entry, bytes: Buffer.from(wireText(entry, RECORD_DEPTH)) } : [];
      });
    }
  }

  /** The last point of each endpoint with the same group, or without one. Found before points are assigned to groups, because these may be many. */
  private async lastGiven(): Promise<ReadonlyMap<string, Newest>> {
    const newest = new Map<string, Newest>();
    for await (const page of pagesOf(this.view, metrics.name, keysUnder(this.of.tenantId, this.of.day), { slice: this.slice })) {
      for (const { key, value } of page) {
        const { endpoint, service, endpoint_group: given, metrics: all } = metrics.parse(value);
        const counting = this.expected.metricsOf({ host: endpoint, service }, given);
        const counted = all.filter(({ metric }) => counting.has(metric));
        const last = counted.reduce<MetricOfDay | undefined>((known, head) => (known && !isNewer(head, known) ? known : head), undefined);
        if (!last) continue;
        const { metric, timestamp, sequence, status } = last;
        const name = { endpoint, service, endpoint_group: given };
        keepNewest(newest, { key, bytes: value.length, name, given, head: { metric, timestamp, sequence, status } });
      }
    }
    return newest;
  }

  /** Yields each point once per group in which it counts. `only`: restricts the groups to this one. */
  private *placed(page: readonly StoredDocument[], wanted: (status: string) => boolean, only: string | undefined): Generator<PlacedPoint> {
    for (const { place, bytes: stored } of page.flatMap(newestIn)) {
      const point = JSON.parse(stored.toString('utf8')) as LatestDocument;
      const { endpoint_group: given, service, endpoint: host, metric, status } = point;
      if (!wanted(status)) continue;
      for (const group of this.expected.groupsOf({ service, host, metric }, given || (only ?? ''))) {
        if (only !== undefined && group !== only) continue;
        const inGroup = { ...point, endpoint_group: group };
        const bytes = group === given ? stored : Buffer.from(wireText(inGroup, LATEST_DEPTH));
        yield { place, point: inGroup, bytes };
      }
    }
  }

  /** Removes endpoints that have a later point of the report. Of two points in the same second, the one without a report is kept. */
  private async dropOlderThan(report: string, newest: Map<string, Newest>): Promise<void> {
    const { tenantId, day } = this.of;
    for await (const page of pagesOf(this.view, endpoints.name, keysUnder(tenantId, report, day), { slice: this.slice })) {
      for (const { value } of page) {
        const own = endpoints.parse(value);
        const id = endpointId(own);
        const common = newest.get(id);
        if (common && own.timestamp > common.head.timestamp) newest.delete(id);
      }
    }
  }
}
