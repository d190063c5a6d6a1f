import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { byBytes } from '#domain/shared/text/text-order.js';
import type { Day } from '#domain/shared/time.js';
import { endpointKey, type PlannedEndpoint, type PlannedGroup } from '#domain/status/results/plan.js';
import { type ExpectedAt, expectedEndpoints } from '#projections/status/results/endpoint-points.js';

type Endpoint = Readonly<{ service: string; host: string }>;

type ExpectedItem = Endpoint & Readonly<{ metric: string }>;

const NONE: ReadonlySet<string> = new Set();

const hosts = new WeakMap<PlannedGroup, ReadonlySet<string>>();

/** Hosts of the endpoints of a group, which most points of a day are not of. */
const hostsOf = (group: PlannedGroup): ReadonlySet<string> =>
  getOrInsert(hosts, group, () => new Set(group.endpoints.map(({ host }) => host)));

/**
 * Items expected in a report on a day, which determine where points without a report count (results contract 1). An endpoint may be in all groups,
 * and a group may have all endpoints: except `groupsOf`, no method takes longer because of that.
 */
export class ExpectedItems {
  /** By the list of metrics, which endpoints of a service share. */
  private readonly sets = new Map<readonly string[], ReadonlySet<string>>();

  constructor(private readonly groups: ReadonlyMap<string, PlannedGroup>) {}

  /** Metrics of an endpoint whose points count in any group. `given`: the group that the points contain, empty if none. */
  metricsOf(endpoint: Endpoint, given: string): ReadonlySet<string> {
    const planned = given === '' ? this.placesOf(endpoint)[0]?.planned : this.plannedIn(given, endpoint);
    return planned ? this.setOf(planned.metrics) : NONE;
  }

  /** Whether a point counts in any group. `given`: the group it contains, empty if none. */
  counts(item: ExpectedItem, given: string): boolean {
    return this.metricsOf(item, given).has(item.metric);
  }

  /** The endpoint groups in which a point counts, in order. `given`: the group it contains, empty if none. */
  *groupsOf(item: ExpectedItem, given: string): Generator<string> {
    if (!this.counts(item, given)) return;
    if (given !== '') yield given;
    else for (const { group } of this.placesOf(item)) yield group.name;
  }

  /** Tags of the topology for an endpoint in a group (results contract 1). `undefined`: it has none, or is not expected there. */
  infoOf(endpoint: Endpoint, group: string): PlannedEndpoint['info'] {
    return this.plannedIn(group, endpoint)?.info;
  }

  /** All of these expect the same metrics of the endpoint, because metrics depend on its service. */
  private placesOf({ service, host }: Endpoint): readonly ExpectedAt[] {
    return expectedEndpoints(this.groups).get(endpointKey(service, host))?.places ?? [];
  }

  /** Binary search, because the endpoints of a group are in order. */
  private plannedIn(group: string, { service, host }: Endpoint): PlannedEndpoint | undefined {
    const planned = this.groups.get(group);
    if (!planned || !hostsOf(planned).has(host)) return undefined;
    const { endpoints } = planned;
    let [low, high] = [0, endpoints.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const found = endpoints[middle] as PlannedEndpoint;
      const order = byBytes(found.service, service) || byBytes(found.host, host);
      if (order === 0) return found;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  private setOf(metrics: readonly string[]): ReadonlySet<string> {
    return getOrInsert(this.sets, metrics, () => new Set(metrics));
  }
}

/** Looks up the items expected on the requested day. `undefined`: the day cannot be computed, so nothing is expected. */
export type FindExpectedItems = () => Promise<ExpectedItems | undefined>;

/** A report, by id, on a day, with the items expected there, which determine where points without a report count. */
export type OfReport = Readonly<{ tenantId: string; report: string; day: Day; expecting: FindExpectedItems }>;
