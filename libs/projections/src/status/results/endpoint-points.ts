import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { byBytes } from '#domain/shared/text-order.js';
import { type Day, dayBefore } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { PointsOfDays } from '#domain/status/results/compute-endpoint.js';
import { type EndpointPoints, endpointKey, type PlannedEndpoint, type PlannedGroup } from '#domain/status/results/plan.js';
import { keyOf } from '#projections/shared/key-part.js';
import type { Slice } from '#projections/shared/pages.js';
import type { PointQueries, PointsOfEndpoint } from '#projections/status/points/queries.js';

/** An endpoint that a group expects: its index in the list of the group. */
export type ExpectedAt = Readonly<{ group: PlannedGroup; index: number; planned: PlannedEndpoint }>;

/** An endpoint with all groups that expect it. All of them expect the same metrics, because these depend on the service. */
export type ExpectedEndpoint = Readonly<{ service: string; host: string; places: readonly ExpectedAt[] }>;
export type ExpectedEndpoints = ReadonlyMap<string, ExpectedEndpoint>;

type Groups = ReadonlyMap<string, PlannedGroup>;

const known = new WeakMap<Groups, ExpectedEndpoints>();

function* indexing(groups: Groups): Generator<undefined, ExpectedEndpoints> {
  const endpoints = new Map<string, ExpectedEndpoint & { places: ExpectedAt[] }>();
  for (const group of groups.values()) {
    for (const [index, planned] of group.endpoints.entries()) {
      const { service, host } = planned;
      const key = endpointKey(service, host);
      const place = { group, index, planned };
      getOrInsert(endpoints, key, () => ({ service, host, places: [] })).places.push(place);
      if (index % 100 === 0) yield;
    }
  }
  known.set(groups, endpoints);
  return endpoints;
}

/** The endpoints expected in some groups, by {@link endpointKey}. Cached as long as the groups exist. */
export const expectedEndpoints = (groups: Groups): ExpectedEndpoints => {
  const found = known.get(groups);
  if (found) return found;
  const steps = indexing(groups);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};

/** Builds the cache of {@link expectedEndpoints}. Yields to other work in between. */
export const indexEndpoints = async (groups: Groups, slice: Slice): Promise<void> => {
  for (const _ of indexing(groups)) if (slice.isOver) await slice.next();
};

/** Maximum endpoints that are looked up one by one. For more, the points of the whole day are read. */
const FEW = 500;
/** Concurrent lookups in the store. */
const AT_ONCE = 25;

const NONE: EndpointPoints = new Map();

/** An endpoint with its points on a day and the previous day. */
export type PointsOfExpected = Readonly<{ endpoint: ExpectedEndpoint; points: PointsOfDays }>;

/** Points of endpoints without points on both days. */
export const NO_POINTS: PointsOfDays = { today: NONE, before: NONE };

/** The points of days for the computation of results. */
export class EndpointsPoints {
  constructor(private readonly points: PointQueries) {}

  /** Each of the endpoints once, in any order, with its points on a day and the previous day. */
  async *of(tenantId: string, day: Day, endpoints: Iterable<ExpectedEndpoint>): AsyncGenerator<readonly PointsOfExpected[]> {
    const list = [...endpoints];
    if (list.length <= FEW) yield* this.inOrder(tenantId, day, list);
    else yield* this.ofWholeDays(tenantId, day, list);
  }

  /** Like `of`, in the order of the endpoints, which are looked up one by one. */
  async *inOrder(
    tenantId: string,
    day: Day,
    endpoints: readonly ExpectedEndpoint[],
    slice: Slice = new TimeSlice(),
  ): AsyncGenerator<readonly PointsOfExpected[]> {
    const before = dayBefore(day);
    for (let start = 0; start < endpoints.length; start += AT_ONCE) {
      yield await Promise.all(
        endpoints.slice(start, start + AT_ONCE).map(async (endpoint) => {
          const { host, service } = endpoint;
          const today = this.points.ofEndpoint(tenantId, day, host, service, slice);
          const earlier = this.points.ofEndpoint(tenantId, before, host, service, slice);
          return { endpoint, points: { today: await today, before: await earlier } };
        }),
      );
      if (slice.isOver) await slice.next();
    }
  }

  /** Both days are read in parallel in the order of the store, so that only one page of each is in memory. */
  private async *ofWholeDays(
    tenantId: string,
    day: Day,
    endpoints: readonly ExpectedEndpoint[],
  ): AsyncGenerator<readonly PointsOfExpected[]> {
    const slice = new TimeSlice();
    const missing = new Map<string, ExpectedEndpoint>();
    for (const [index, endpoint] of endpoints.entries()) {
      missing.set(endpointKey(endpoint.service, endpoint.host), endpoint);
      if (index % 100 === 0 && slice.isOver) await slice.next();
    }
    const today = new InOrder(this.points.ofDay(tenantId, day, new TimeSlice()));
    const before = new InOrder(this.points.ofDay(tenantId, dayBefore(day), new TimeSlice()));
    try {
      for (let found = await nextOf(today, before); found; found = await nextOf(today, before)) {
        const key = endpointKey(found.service, found.host);
        const endpoint = missing.get(key);
        if (!endpoint) continue;
        missing.delete(key);
        yield [{ endpoint, points: found.points }];
      }
    } finally {
      await Promise.all([today.close(), before.close()]);
    }
    yield [...missing.values()].map((endpoint) => ({ endpoint, points: NO_POINTS }));
  }
}

type Next = PointsOfEndpoint & Readonly<{ key: string }>;

/** Iterates over the endpoints of a day with their keys, in the order of the store. */
class InOrder {
  private page: readonly PointsOfEndpoint[] = [];
  private at = 0;
  private current: Next | undefined;

  constructor(private readonly pages: AsyncGenerator<readonly PointsOfEndpoint[]>) {}

  async next(): Promise<Next | undefined> {
    if (this.current) return this.current;
    if (this.at >= this.page.length) {
      this.page = (await this.pages.next()).value ?? [];
      this.at = 0;
    }
    const found = this.page[this.at++];
    this.current = found && { ...found, key: `${keyOf(found.host, found.service)}/` };
    return this.current;
  }

  take(): void {
    this.current = undefined;
  }

  async close(): Promise<void> {
    await this.pages.return(undefined);
  }
}

/** The next endpoint with points on either day, with its points on both. */
const nextOf = async (
  today: InOrder,
  before: InOrder,
): Promise<Readonly<{ host: string; service: string; points: PointsOfDays }> | undefined> => {
  const [one, other] = [await today.next(), await before.next()];
  const first = one && (!other || byBytes(one.key, other.key) <= 0) ? one : other;
  if (!first) return undefined;
  const [ofToday, ofBefore] = [one?.key === first.key, other?.key === first.key];
  if (ofToday) today.take();
  if (ofBefore) before.take();
  const points = { today: (ofToday && one?.points) || NONE, before: (ofBefore && other?.points) || NONE };
  return { host: first.host, service: first.service, points };
};
