import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { type Day, dayBefore } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { PointsOfDays } from '#domain/status/results/compute-endpoint.js';
import { type EndpointPoints, endpointKey, type PlannedEndpoint, type PlannedGroup } from '#domain/status/results/plan.js';
import type { Slice } from '#projections/shared/pages.js';
import type { PointQueries } from '#projections/status/metric-results/point-queries.js';

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
  async *of(
    tenantId: string,
    day: Day,
    endpoints: Iterable<ExpectedEndpoint>,
    slice: Slice = new TimeSlice(),
  ): AsyncGenerator<readonly PointsOfExpected[]> {
    const missing = new Map<string, ExpectedEndpoint>();
    const hosts = new Set<string>();
    for (const endpoint of endpoints) {
      missing.set(endpointKey(endpoint.service, endpoint.host), endpoint);
      hosts.add(endpoint.host);
      if (missing.size % 100 === 0 && slice.isOver) await slice.next();
    }
    for await (const page of this.points.ofTwoDays(tenantId, day, hosts, slice)) {
      const found: PointsOfExpected[] = [];
      for (const { host, service, today, before } of page) {
        const key = endpointKey(service, host);
        const endpoint = missing.get(key);
        if (endpoint) found.push({ endpoint, points: { today, before } });
        missing.delete(key);
      }
      if (found.length > 0) yield found;
    }
    yield [...missing.values()].map((endpoint) => ({ endpoint, points: NO_POINTS }));
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
          const [today, earlier] = await Promise.all([
            this.points.ofEndpoint(tenantId, day, host, service, slice),
            this.points.ofEndpoint(tenantId, before, host, service, slice),
          ]);
          return { endpoint, points: { today, before: earlier } };
        }),
      );
      if (slice.isOver) await slice.next();
    }
  }
}
