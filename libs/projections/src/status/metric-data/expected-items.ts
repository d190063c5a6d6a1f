import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { byBytes } from '#domain/shared/text-order.js';
import { endpointKey, type PlannedEndpoint, type PlannedGroup } from '#domain/status/results/plan.js';
import { type ExpectedAt, expectedEndpoints } from '#projections/status/results/endpoint-points.js';

type Endpoint = Readonly<{ service: string; host: string }>;

/** A metric of an endpoint. */
type ExpectedItem = Endpoint & Readonly<{ metric: string }>;

/**
 * What is expected on a day in a report: where points that name no report count (results contract 1). One endpoint may be in as many groups as there
 * are, and one group may have all endpoints: nothing here but {@link groupsOf} takes longer for that.
 */
export class ExpectedItems {
  /** By the list of metrics, which endpoints of one service share. */
  private readonly sets = new Map<readonly string[], ReadonlySet<string>>();

  constructor(private readonly groups: ReadonlyMap<string, PlannedGroup>) {}

  /** Whether a point counts in any group. `given`: the group that it names, empty if it names none. */
  counts({ service, host, metric }: ExpectedItem, given: string): boolean {
    const planned = given === '' ? this.placesOf({ service, host })[0]?.planned : this.plannedIn(given, { service, host });
    return planned !== undefined && this.setOf(planned.metrics).has(metric);
  }

  /** The endpoint groups in which a point counts, in order. `given`: as above. */
  *groupsOf(item: ExpectedItem, given: string): Generator<string> {
    if (!this.counts(item, given)) return;
    if (given !== '') yield given;
    else for (const { group } of this.placesOf(item)) yield group.name;
  }

  /** What the topology says of an endpoint of a group (results contract 1); `undefined`: nothing, or it is not expected there. */
  infoOf(endpoint: Endpoint, group: string): PlannedEndpoint['info'] {
    return this.plannedIn(group, endpoint)?.info;
  }

  /** All of them want the same metrics of the endpoint, which follow from its service. */
  private placesOf({ service, host }: Endpoint): readonly ExpectedAt[] {
    return expectedEndpoints(this.groups).get(endpointKey(service, host))?.places ?? [];
  }

  /** By halves: the endpoints of a group are in order. */
  private plannedIn(group: string, { service, host }: Endpoint): PlannedEndpoint | undefined {
    const endpoints = this.groups.get(group)?.endpoints ?? [];
    let [low, high] = [0, endpoints.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const planned = endpoints[middle] as PlannedEndpoint;
      const order = byBytes(planned.service, service) || byBytes(planned.host, host);
      if (order === 0) return planned;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  private setOf(metrics: readonly string[]): ReadonlySet<string> {
    return getOrInsert(this.sets, metrics, () => new Set(metrics));
  }
}

/** Looks up what is expected on the day of a question; `undefined`: the day cannot be computed, so that nothing is. */
export type FindExpectedItems = () => Promise<ExpectedItems | undefined>;
