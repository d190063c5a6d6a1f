import { type ComputedEndpoint, computingEndpoint, type PointsOfDays } from '#domain/status/results/compute-endpoint.js';
import { computeGroup, supergroupDays } from '#domain/status/results/compute-group.js';
import type { Plan, PlannedGroup } from '#domain/status/results/plan.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import { inTurns } from '#projections/shared/in-turns.js';
import type { Slice } from '#projections/shared/pages.js';
import { type EndpointsPoints, type ExpectedEndpoint, expectedEndpoints, NO_POINTS, type PointsOfExpected } from './endpoint-points.js';

/**
 * Results of a day at its second `now`, 86,400 for a past day. `nextChangeAt`: first second at which they change without new data; until then only
 * the figures change (`atSecond`).
 */
export type ComputedDay = Readonly<{ day: ResultsDay<GroupDay>; now: number; nextChangeAt?: number }>;

/**
 * The results of a plan's endpoints, by group and in its order. They are kept so that new points of a few endpoints require only these and their
 * groups to be computed again. An entry that is not computed yet is empty.
 */
export class EndpointResults {
  private readonly groups = new Map<string, (ComputedEndpoint | undefined)[]>();

  of({ name, endpoints }: PlannedGroup): readonly ComputedEndpoint[] {
    const results = this.groups.get(name) ?? [];
    return endpoints.map((_, index) => {
      const result = results[index];
      if (!result) throw new Error(`An endpoint of ${name} was not computed`);
      return result;
    });
  }

  /** Computes an endpoint in each group that expects it. */
  async set(plan: Plan, { places }: ExpectedEndpoint, points: PointsOfDays, now: number, slice: Slice): Promise<void> {
    for (const { group, index, planned } of places) {
      const result = await inTurns(computingEndpoint(plan, group.name, planned, points, now), slice);
      const results = this.groups.get(group.name) ?? [];
      results[index] = result;
      this.groups.set(group.name, results);
    }
  }
}

/** Computes the day from the results of all its endpoints. */
const groupsOfEndpoints = async (plan: Plan, results: EndpointResults, now: number, slice: Slice): Promise<ComputedDay> => {
  const groups: GroupDay[] = [];
  let nextChangeAt: number | undefined;
  for (const group of plan.groups.values()) {
    const endpoints = results.of(group);
    groups.push(computeGroup(plan, group.name, endpoints, now));
    for (const endpoint of endpoints) {
      if (endpoint.nextChangeAt === undefined) continue;
      nextChangeAt = nextChangeAt === undefined ? endpoint.nextChangeAt : Math.min(nextChangeAt, endpoint.nextChangeAt);
    }
    if (slice.isOver) await slice.next();
  }
  const day = { day: plan.day, seconds: Math.max(1, now), groups, supergroups: supergroupDays(plan, groups) };
  return nextChangeAt === undefined ? { day, now } : { day, now, nextChangeAt };
};

/** For a day that has no points, and whose previous day has none. */
async function* withoutPoints(endpoints: Iterable<ExpectedEndpoint>): AsyncGenerator<readonly PointsOfExpected[]> {
  yield Array.from(endpoints, (endpoint) => ({ endpoint, points: NO_POINTS }));
}

/** @param points `undefined`: neither the day nor the previous one has points */
export const computeDay = async (
  plan: Plan,
  tenantId: string,
  points: EndpointsPoints | undefined,
  now: number,
  slice: Slice,
): Promise<ComputedDay> => {
  const endpoints = expectedEndpoints(plan.groups).values();
  const results = new EndpointResults();
  for await (const page of points ? points.of(tenantId, plan.day, endpoints) : withoutPoints(endpoints)) {
    for (const { endpoint, points: found } of page) {
      await results.set(plan, endpoint, found, now, slice);
      if (slice.isOver) await slice.next();
    }
  }
  return groupsOfEndpoints(plan, results, now, slice);
};
