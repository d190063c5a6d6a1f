import { endpointKey, type PlannedGroup } from '#domain/status/results/plan.js';
import { expectedEndpoints } from '#projections/status/results/endpoint-points.js';

/** A metric of an endpoint. */
export type ExpectedItem = Readonly<{ service: string; host: string; metric: string }>;

const NOWHERE: readonly string[] = [];

/** What is expected on a day in a report: where points that name no report count (results contract 1). */
export class ExpectedItems {
  /** By the list of metrics, which endpoints of one service share. */
  private readonly sets = new Map<readonly string[], ReadonlySet<string>>();

  constructor(private readonly groups: ReadonlyMap<string, PlannedGroup>) {}

  /** The endpoint groups in which a point counts, in order. `given`: the group that it names, empty if it names none. */
  groupsOf({ service, host, metric }: ExpectedItem, given: string): readonly string[] {
    const endpoint = expectedEndpoints(this.groups).get(endpointKey(service, host));
    if (!endpoint) return NOWHERE;
    return endpoint.places.flatMap(({ group: { name }, planned: { metrics } }) =>
      this.setOf(metrics).has(metric) && (given === '' || given === name) ? [name] : NOWHERE,
    );
  }

  private setOf(metrics: readonly string[]): ReadonlySet<string> {
    const set = this.sets.get(metrics) ?? new Set(metrics);
    this.sets.set(metrics, set);
    return set;
  }
}

/** Looks up what is expected on the day of a question; `undefined`: the day cannot be computed, so that nothing is. */
export type FindExpectedItems = () => Promise<ExpectedItems | undefined>;
