import { endpointKey, type PlannedGroup } from '#domain/status/results/plan.js';
import type { Slice } from '#projections/shared/pages.js';

/** A metric of an endpoint. */
export type Item = Readonly<{ service: string; host: string; metric: string }>;

type Place = Readonly<{ group: string; metrics: ReadonlySet<string> }>;
const NOWHERE: readonly string[] = [];

/** What is expected on a day in a report: where points that name no report count (results contract 1). */
export class ExpectedItems {
  private readonly places = new Map<string, Place[]>();

  private constructor() {}

  static async of(groups: ReadonlyMap<string, PlannedGroup>, slice: Slice): Promise<ExpectedItems> {
    const items = new ExpectedItems();
    // Endpoints of one service share their list of metrics.
    const sets = new Map<readonly string[], ReadonlySet<string>>();
    for (const [group, { endpoints }] of groups) {
      for (const { service, host, metrics } of endpoints) {
        const known = sets.get(metrics) ?? new Set(metrics);
        sets.set(metrics, known);
        items.add(endpointKey(service, host), { group, metrics: known });
        if (slice.isOver) await slice.next();
      }
    }
    return items;
  }

  /** The endpoint groups in which a point counts, in order. `given`: the group that it names, empty if it names none. */
  groupsOf({ service, host, metric }: Item, given: string): readonly string[] {
    const places = this.places.get(endpointKey(service, host));
    if (!places) return NOWHERE;
    return places.flatMap(({ group, metrics }) => (metrics.has(metric) && (given === '' || given === group) ? [group] : NOWHERE));
  }

  private add(endpoint: string, place: Place): void {
    const known = this.places.get(endpoint);
    if (known) known.push(place);
    else this.places.set(endpoint, [place]);
  }
}

/** Looks up what is expected on the day of a question; `undefined`: the day cannot be computed, so that nothing is. */
export type Expecting = () => Promise<ExpectedItems | undefined>;
