import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { type Day, dayBefore } from '#domain/shared/time.js';
import type { EndpointPoints } from '#domain/status/results/plan.js';
import type { Slice } from '#projections/shared/pages.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { isLater, placeIn, sequenceOf } from '#projections/status/sequence.js';
import type { BucketLengths } from './bucket-lengths.js';
import { bucketOf, bucketsLike } from './buckets.js';
import { RESULTS } from './documents.js';
import { GatheredPoints, type PointScope } from './gathered.js';
import { type Bucket, type ResultDay, ResultsReader, type WantedPoints } from './results-reader.js';

type Endpoint = Readonly<{ host: string; service: string }>;

type BucketsOfDays = readonly (readonly Bucket[])[];

/** An endpoint with the points of each of some days. */
type GatheredEndpoint = Endpoint & Readonly<{ days: readonly GatheredPoints[] }>;

/** An endpoint independent of groups. */
export type PointsOfEndpoint = Endpoint & Readonly<{ points: EndpointPoints }>;

/** An endpoint with its points on a day and on the day before. */
type PointsOfTwoDays = Endpoint & Readonly<{ today: EndpointPoints; before: EndpointPoints }>;

/** Days with points, each with its stamp. */
export type StampedDays = readonly (readonly [day: Day, stamp: string])[];

/** Greatest weight of the endpoints that are in memory together, unless there is only one: 64 Mi characters of long texts. */
const MOST_WEIGHT = 512 * 1024;

/**
 * The points of tenants for computed results. Of several points with the same metric, second, report, group and monitoring host, only the last in the
 * log is returned. All calls throw ReadStoreUnavailable. Work is divided into time slices.
 */
export class PointQueries {
  private readonly view: ReadView;
  private readonly reader: ResultsReader;

  /** @param wanted scope of the points. Default: all */
  constructor(
    store: Pick<ReadStore, 'view'>,
    private readonly wanted: PointScope = 'all',
  ) {
    this.view = store.view(RESULTS);
    this.reader = new ResultsReader(this.view);
  }

  /** Empty if there are none. @throws DomainError `OVER_LIMIT` */
  async ofEndpoint(tenantId: string, day: Day, host: string, service: string, slice: Slice): Promise<EndpointPoints> {
    const gathered = new GatheredPoints(this.wanted);
    await this.addAfter(gathered, { tenantId, day, host, service }, '', slice);
    return gathered.all();
  }

  /**
   * Adds the points of an endpoint on a day after a position in the log (empty: all). Returns the position of the last one.
   * @throws DomainError `OVER_LIMIT`
   */
  async addAfter(
    gathered: GatheredPoints,
    { tenantId, day: of, host, service }: Endpoint & Readonly<{ tenantId: string; day: Day }>,
    after: string,
    slice: Slice,
  ): Promise<string> {
    const day = await this.reader.day(tenantId, of);
    if (!day) return after;
    const bucket = await day.bucketOf(host);
    const known = placeIn(after);
    const wanted: WantedPoints = { host, series: (series) => series.service === service, parts: ({ last: end }) => end >= known.position };
    let last = known;
    for await (const page of bucket.points(wanted, slice)) {
      for (const series of page) {
        const added = gathered.add(series, known);
        if (added && isLater(added, last)) last = added;
      }
      gathered.check();
    }
    return last === known ? after : sequenceOf(String(last.position), last.index);
  }

  /** The points of every endpoint on a day, each endpoint once, in any order. No page is empty. @throws DomainError `OVER_LIMIT` */
  async *ofDay(tenantId: string, day: Day, slice: Slice): AsyncGenerator<readonly PointsOfEndpoint[]> {
    const found = await this.reader.day(tenantId, day);
    if (!found) return;
    for await (const bucket of found.allBuckets(slice))
      for await (const page of this.gathered([[bucket]], {}, slice))
        yield page.map(({ host, service, days: [points] }) => ({ host, service, points: (points as GatheredPoints).all() }));
  }

  /**
   * The points of the endpoints of some hosts on a day and on the day before, each endpoint once, in any order. No page is empty.
   * @throws DomainError `OVER_LIMIT`
   */
  async *ofTwoDays(tenantId: string, day: Day, hosts: ReadonlySet<string>, slice: Slice): AsyncGenerator<readonly PointsOfTwoDays[]> {
    const [today, before] = await Promise.all([this.reader.day(tenantId, day), this.reader.day(tenantId, dayBefore(day))]);
    const counts = [today, before].flatMap((one) => one?.count ?? []);
    if (counts.length === 0) return;
    const count = Math.min(...counts);
    const wanted = new Set(Array.from(hosts, (host) => bucketOf(tenantId, host, count)));
    for (const bucket of wanted) {
      const bucketsOf = async (one: ResultDay | undefined) => (one ? one.buckets(bucketsLike(bucket, count, one.count)) : []);
      const both = [await bucketsOf(today), await bucketsOf(before)];
      for await (const page of this.gathered(both, { series: ({ host }) => hosts.has(host) }, slice))
        yield page.map(({ host, service, days }) => {
          const [ofToday, ofBefore] = days as readonly [GatheredPoints, GatheredPoints];
          return { host, service, today: ofToday.all(), before: ofBefore.all() };
        });
      if (slice.isOver) await slice.next();
    }
  }

  /** A stamp per day from one day to another (inclusive), changed by every point of the day. Stamps sort like the log. Empty days have none. */
  async stamps(tenantId: string, from: Day, to: Day, slice: Slice): Promise<ReadonlyMap<Day, string>> {
    const stamps = new Map<Day, string>();
    for await (const page of this.days(tenantId, { from, to }, slice)) for (const [day, stamp] of page) stamps.set(day, stamp);
    return stamps;
  }

  /** Position of the last point of a day with this stamp. If the day has points after the view, its stamp is that of the view. */
  async lastOf(tenantId: string, of: Day, stamp: string, slice: Slice): Promise<number> {
    const { position } = placeIn(stamp);
    const { asOf } = this.view;
    if (asOf === undefined || position !== Number(asOf)) return position;
    const day = await this.reader.day(tenantId, of);
    let last = -1;
    for await (const page of day?.points({ parts: (part) => part.last > last }, slice) ?? [])
      for (const { part, numbers } of page) for (const number of numbers) last = Math.max(last, part.set.point(number).position);
    return last;
  }

  /** The days with points from one day to another (inclusive; default: all later ones) with their stamps, in order. No page is empty. */
  async *days(tenantId: string, span: Readonly<{ from: Day; to?: Day | undefined }>, slice: Slice): AsyncGenerator<StampedDays> {
    for await (const page of this.reader.days(tenantId, slice, span)) yield page.map(({ day, stamp }) => [day, stamp]);
  }

  /**
   * The endpoints with points of the day after a stamp.
   * @param known if given, buckets are read only if they have changed since they were last looked at with it, which was after the stamp was read
   */
  async touchedAfter(tenantId: string, of: Day, stamp: string, slice: Slice, known?: BucketLengths): Promise<readonly Endpoint[]> {
    const day = await this.reader.day(tenantId, of);
    const found = new Map<string, Endpoint>();
    const looked = placeIn(stamp);
    const wanted: WantedPoints = { parts: ({ last }) => last >= looked.position };
    for await (const page of day?.points(wanted, slice, known) ?? [])
      for (const { series, part, numbers } of page) {
        const { host, service } = series;
        if (numbers.some((number) => isLater(part.set.point(number), looked)))
          getOrInsert(found, nameOf(series), () => ({ host, service }));
      }
    return [...found.values()];
  }

  /** Looks at the buckets of a day, for a later `touchedAfter`. */
  async look(tenantId: string, of: Day, known: BucketLengths, slice: Slice): Promise<void> {
    const day = await this.reader.day(tenantId, of);
    for await (const _ of day?.changed(known, slice) ?? []);
  }

  /** The endpoints of the buckets of some days, usually in one page. Those without room in memory are read again for further ones. */
  private async *gathered(days: BucketsOfDays, wanted: WantedPoints, slice: Slice): AsyncGenerator<readonly GatheredEndpoint[]> {
    for (let names: ReadonlySet<string> | undefined; names === undefined || names.size > 0; ) {
      const [found, later] = await this.firstOf(days, { wanted, names }, slice);
      if (found.length > 0) yield found;
      names = later;
    }
  }

  /** As many endpoints as there is room for, at least one, and the names of the others. `names`: default all. */
  private async firstOf(
    days: BucketsOfDays,
    { wanted, names }: Readonly<{ wanted: WantedPoints; names: ReadonlySet<string> | undefined }>,
    slice: Slice,
  ): Promise<readonly [readonly GatheredEndpoint[], ReadonlySet<string>]> {
    const endpoints = new Map<string, GatheredEndpoint>();
    const later = new Set<string>();
    for await (const { index, page } of pagesOf(days, wanted, slice)) {
      for (const shown of page) {
        const name = nameOf(shown.series);
        if (later.has(name) || (names && !names.has(name))) continue;
        const { host, service } = shown.series;
        const begin = () => ({ host, service, days: days.map(() => new GatheredPoints(this.wanted)) });
        getOrInsert(endpoints, name, begin).days[index]?.add(shown);
      }
      postpone(endpoints, later);
    }
    return [[...endpoints.values()], later];
  }
}

/** The wanted points of each day, by its index. */
async function* pagesOf(days: BucketsOfDays, wanted: WantedPoints, slice: Slice) {
  for (const [index, buckets] of days.entries())
    for (const bucket of buckets) for await (const page of bucket.points(wanted, slice)) yield { index, page };
}

/** Moves endpoints for which there is no room in memory to the later ones. The first one stays. @throws DomainError `OVER_LIMIT` */
const postpone = (endpoints: Map<string, GatheredEndpoint>, later: Set<string>): void => {
  let together = 0;
  for (const [name, { days }] of endpoints) {
    for (const points of days) points.check();
    const weight = days.reduce((sum, points) => sum + points.weight, 0);
    if (together > 0 && together + weight > MOST_WEIGHT) {
      endpoints.delete(name);
      later.add(name);
    } else together += weight;
  }
};

/** A key of an endpoint. The length keeps those apart whose names have the same characters. */
const nameOf = ({ host, service }: Endpoint): string => `${host.length} ${host}${service}`;
