import { dayBefore } from '#domain/shared/time.js';
import { atSecond, computeGroup, supergroupDays } from '#domain/status/results/compute-group.js';
import { endpointKey, type Plan } from '#domain/status/results/plan.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import type { Slice } from '#projections/shared/pages.js';
import { BucketLengths } from '#projections/status/metric-results/bucket-lengths.js';
import type { PointQueries } from '#projections/status/metric-results/point-queries.js';
import { EndpointResults } from '#projections/status/results/compute-day.js';
import {
  type EndpointsPoints,
  type ExpectedEndpoint,
  type ExpectedEndpoints,
  expectedEndpoints,
} from '#projections/status/results/endpoint-points.js';
import { GrowingPoints } from './growing-points.js';

/** Stamps that change with new points of the day and of the day before; empty without points. */
export type DayStamps = Readonly<{ today: string; before: string }>;

type FollowedDayParts = Readonly<{
  points: Pick<PointQueries, 'look' | 'touchedAfter' | 'addAfter'>;
  endpointsPoints: Pick<EndpointsPoints, 'of'>;
  tenantId: string;
  plan: Plan;
}>;

/** Concurrent lookups in the store. */
const AT_ONCE = 25;

const earliest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

/**
 * Results of a report on a day, kept up to date: after new points, only their endpoints are recomputed, with the services, functions and
 * groups above them. The result equals a full computation.
 */
export class FollowedDay {
  private readonly expected: ExpectedEndpoints;
  private readonly results = new EndpointResults();
  private readonly groups = new Map<string, GroupDay>();
  private readonly growing: GrowingPoints;
  private readonly lengths = { today: new BucketLengths(), before: new BucketLengths() };
  private stamps: DayStamps = { today: '', before: '' };

  private constructor(private readonly parts: FollowedDayParts) {
    this.growing = new GrowingPoints(parts.points, parts.tenantId, parts.plan.day);
    this.expected = expectedEndpoints(parts.plan.groups);
  }

  /**
   * Computes everything. `stamps` must be read before: later points are found by the next `advance`.
   * @param now second of the day, 86,400 for a past day
   * @throws ReadStoreUnavailable; DomainError `OVER_LIMIT` an endpoint has too many points
   */
  static async compute(parts: FollowedDayParts, stamps: DayStamps, now: number, slice: Slice): Promise<FollowedDay> {
    const followed = new FollowedDay(parts);
    await followed.computeAll(now, slice);
    await followed.computeGroups(parts.plan.groups.keys(), now, slice);
    followed.stamps = stamps;
    return followed;
  }

  /** Estimate of its memory: steps, metrics and points of its endpoints. */
  get weight(): number {
    let weight = 2 * this.growing.size;
    for (const { services } of this.groups.values())
      for (const { endpoints } of services) for (const { timeline, metrics } of endpoints) weight += timeline.length + 4 * metrics.length;
    return weight;
  }

  /** Second of the day at which different input begins to count; undefined if none will. */
  get until(): number | undefined {
    let least: number | undefined;
    for (const group of this.parts.plan.groups.values())
      for (const { nextChangeAt } of this.results.of(group)) least = earliest(least, nextChangeAt);
    return least;
  }

  /**
   * Recomputes the changes since: endpoints with new points, and endpoints for which another time has come. Returns the groups that have
   * changed, apart from figures of an unfinished day. Must not be used after an error. @throws as `compute`
   */
  async advance(stamps: DayStamps, now: number, slice: Slice): Promise<ReadonlySet<string>> {
    const touched = await this.touchedSince(stamps, slice);
    this.addDue(touched, now);
    const endpoints = [...touched].flatMap((key) => this.expected.get(key) ?? []);
    await this.computeAgain(endpoints, now, slice);
    const groups = new Set(endpoints.flatMap(({ places }) => places.map(({ group }) => group.name)));
    await this.computeGroups(groups, now, slice);
    this.stamps = stamps;
    return groups;
  }

  /** Results at a second of the day not before the last computed one, and before `until`. */
  async at(now: number, slice: Slice): Promise<ResultsDay<GroupDay>> {
    const { plan } = this.parts;
    const groups: GroupDay[] = [];
    for (const name of plan.groups.keys()) {
      const group = this.groups.get(name);
      if (group) groups.push(atSecond(plan, group, now));
      if (slice.isOver) await slice.next();
    }
    return { day: plan.day, seconds: Math.max(1, now), groups, supergroups: supergroupDays(plan, groups) };
  }

  private async computeAll(now: number, slice: Slice): Promise<void> {
    const { plan, tenantId, points: queries, endpointsPoints } = this.parts;
    await queries.look(tenantId, plan.day, this.lengths.today, slice);
    await queries.look(tenantId, dayBefore(plan.day), this.lengths.before, slice);
    for await (const page of endpointsPoints.of(tenantId, plan.day, [...this.expected.values()], slice))
      for (const { endpoint, points } of page) {
        await this.results.set(plan, endpoint, points, now, slice);
        if (slice.isOver) await slice.next();
      }
  }

  private async computeAgain(endpoints: readonly ExpectedEndpoint[], now: number, slice: Slice): Promise<void> {
    for (let start = 0; start < endpoints.length; start += AT_ONCE)
      await Promise.all(
        endpoints.slice(start, start + AT_ONCE).map(async (endpoint) => {
          await this.results.set(this.parts.plan, endpoint, await this.growing.of(endpoint, slice), now, slice);
        }),
      );
  }

  private async computeGroups(names: Iterable<string>, now: number, slice: Slice): Promise<void> {
    const { plan } = this.parts;
    for (const name of names) {
      const group = plan.groups.get(name);
      if (group) this.groups.set(name, computeGroup(plan, name, this.results.of(group), now));
      if (slice.isOver) await slice.next();
    }
  }

  private addDue(touched: Set<string>, now: number): void {
    for (const group of this.parts.plan.groups.values())
      for (const [index, { nextChangeAt }] of this.results.of(group).entries()) {
        const endpoint = group.endpoints[index];
        if (endpoint && nextChangeAt !== undefined && nextChangeAt <= now) touched.add(endpointKey(endpoint.service, endpoint.host));
      }
  }

  private async touchedSince(stamps: DayStamps, slice: Slice): Promise<Set<string>> {
    const { points, tenantId, plan } = this.parts;
    const keys = new Set<string>();
    const days = [
      [plan.day, this.stamps.today, stamps.today, this.lengths.today],
      [dayBefore(plan.day), this.stamps.before, stamps.before, this.lengths.before],
    ] as const;
    for (const [day, known, found, lengths] of days) {
      if (known === found) continue;
      for (const { service, host } of await points.touchedAfter(tenantId, day, known, slice, lengths)) keys.add(endpointKey(service, host));
    }
    return keys;
  }
}
