import { type Day, dayBefore } from '#domain/shared/time.js';
import { type ComputedEndpoint, computeEndpoint } from '#domain/status/results/compute-endpoint.js';
import { atSecond, computeGroup, supergroupDays } from '#domain/status/results/compute-group.js';
import { type EndpointPoints, endpointKey, type MetricPoint, type Plan, type PlannedEndpoint } from '#domain/status/results/plan.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import { DAY_SECONDS } from '#domain/status/results/timeline.js';
import type { Slice } from '#projections/shared/pages.js';
import type { PointQueries } from '#projections/status/points/queries.js';

/** What tells whether points of the day, and of the day before, have come since; empty without any. */
export type PointStamps = Readonly<{ today: string; before: string }>;

export type DayParts = Readonly<{ points: Pick<PointQueries, 'ofDay' | 'ofEndpoint' | 'touchedAfter'>; tenantId: string; plan: Plan }>;

/** An endpoint in its group: where it stands there, and what was computed of it. */
type Place = Readonly<{ group: string; index: number; endpoint: PlannedEndpoint }>;
type Kept = Pick<ComputedEndpoint, 'service' | 'day' | 'nextChangeAt'>;

const NO_POINTS: EndpointPoints = new Map();

/**
 * Of the day before only the last point of a metric counts. Without recomputations that leave points out, it is the last one of its report, group and
 * monitoring host, so the others need not be kept.
 */
const lastOnes = (points: EndpointPoints): EndpointPoints =>
  new Map(
    Array.from(points, ([metric, list]): [string, readonly MetricPoint[]] => {
      const last = new Map<string, MetricPoint>();
      for (const point of list) last.set(`${point.report ?? ''}\0${point.group ?? ''}\0${point.monitoringHost ?? ''}`, point);
      return [metric, last.size === list.length ? list : [...last.values()].sort((left, right) => left.at - right.at)];
    }),
  );

/**
 * The results of a report on a day, kept up to date: when points have come, only their endpoints are computed again, with the services, functions and
 * groups above them. Equal to what is computed from scratch.
 */
export class ComputedDay {
  private readonly places = new Map<string, Place[]>();
  private readonly kept = new Map<string, Kept[]>();
  private readonly groups = new Map<string, GroupDay>();
  private stamps: PointStamps = { today: '', before: '' };
  private now = 0;

  private constructor(private readonly parts: DayParts) {
    for (const [group, { endpoints }] of parts.plan.groups)
      for (const [index, endpoint] of endpoints.entries()) {
        const key = endpointKey(endpoint.service, endpoint.host);
        const places = this.places.get(key) ?? [];
        this.places.set(key, places);
        places.push({ group, index, endpoint });
      }
  }

  /**
   * Computes everything. `stamps` were read before: what comes later is found by the next `advance`.
   * @param now second of the day, 86,400 for a past day
   * @throws ReadStoreUnavailable; DomainError `OVER_LIMIT` an endpoint has too many points
   */
  static async compute(parts: DayParts, stamps: PointStamps, now: number, slice: Slice): Promise<ComputedDay> {
    const computed = new ComputedDay(parts);
    await computed.computeAll(stamps, now, slice);
    return computed;
  }

  /** Steps of its endpoints, for what it takes in memory. */
  get weight(): number {
    let steps = 0;
    for (const endpoints of this.kept.values()) for (const { day } of endpoints) steps += day.timeline.length + day.metrics.length;
    return steps;
  }

  /** Second of the day from which on something else counts than now; undefined: nothing will. */
  get until(): number | undefined {
    let least: number | undefined;
    for (const endpoints of this.kept.values())
      for (const { nextChangeAt } of endpoints)
        if (nextChangeAt !== undefined && (least === undefined || nextChangeAt < least)) least = nextChangeAt;
    return least;
  }

  /**
   * Computes again what has changed since: endpoints of which points have come, or for which the time has come. Names the groups that are no longer
   * as they were, apart from figures of a day that goes on. @throws as `compute`
   */
  async advance(stamps: PointStamps, now: number, slice: Slice): Promise<ReadonlySet<string>> {
    const touched = await this.touchedSince(stamps, slice);
    for (const [key, places] of this.places) {
      if (places.some(({ group, index }) => (this.kept.get(group)?.[index]?.nextChangeAt ?? Number.POSITIVE_INFINITY) <= now))
        touched.add(key);
    }
    const { points, tenantId, plan } = this.parts;
    const groups = new Set<string>();
    for (const key of touched) {
      const places = this.places.get(key);
      if (!places?.[0]) continue;
      const { service, host } = places[0].endpoint;
      const today = await points.ofEndpoint(tenantId, plan.day, host, service, slice);
      const before = await points.ofEndpoint(tenantId, dayBefore(plan.day), host, service, slice);
      this.computeEndpoints(places, { today, before }, now);
      for (const { group } of places) groups.add(group);
      if (slice.isOver) await slice.next();
    }
    this.stamps = stamps;
    this.now = now;
    await this.computeGroups(groups, now, slice);
    return groups;
  }

  /** As of a second of the day that is not before the last one computed, and before `until`. */
  results(now: number): ResultsDay<GroupDay> {
    const { plan } = this.parts;
    const groups = [...plan.groups.keys()].flatMap((name) => {
      const group = this.groups.get(name);
      if (!group) return [];
      return now === DAY_SECONDS && this.now === DAY_SECONDS ? [group] : [atSecond(plan, group, now)];
    });
    return { day: plan.day, seconds: now, groups, supergroups: supergroupDays(plan, groups) };
  }

  private async computeAll(stamps: PointStamps, now: number, slice: Slice): Promise<void> {
    const { points, tenantId, plan } = this.parts;
    const before = await this.pointsOf(dayBefore(plan.day), slice);
    const waiting = new Set(this.places.keys());
    for await (const page of points.ofDay(tenantId, plan.day, slice))
      for (const { service, host, points: today } of page) {
        const key = endpointKey(service, host);
        const places = this.places.get(key);
        if (!places) continue;
        this.computeEndpoints(places, { today, before: before.get(key) ?? NO_POINTS }, now);
        waiting.delete(key);
        if (slice.isOver) await slice.next();
      }
    for (const key of waiting) {
      this.computeEndpoints(this.places.get(key) ?? [], { today: NO_POINTS, before: before.get(key) ?? NO_POINTS }, now);
      if (slice.isOver) await slice.next();
    }
    this.stamps = stamps;
    this.now = now;
    await this.computeGroups(plan.groups.keys(), now, slice);
  }

  private async pointsOf(day: Day, slice: Slice): Promise<ReadonlyMap<string, EndpointPoints>> {
    const { points, tenantId, plan } = this.parts;
    const leavesOut = plan.recomputations.some(({ exclude_monitoring_source }) => exclude_monitoring_source.length > 0);
    const found = new Map<string, EndpointPoints>();
    for await (const page of points.ofDay(tenantId, day, slice))
      for (const one of page) {
        const key = endpointKey(one.service, one.host);
        if (this.places.has(key)) found.set(key, leavesOut ? one.points : lastOnes(one.points));
      }
    return found;
  }

  private computeEndpoints(
    places: readonly Place[],
    points: Readonly<{ today: EndpointPoints; before: EndpointPoints }>,
    now: number,
  ): void {
    for (const { group, index, endpoint } of places) {
      const { service, day, nextChangeAt } = computeEndpoint(this.parts.plan, group, endpoint, points, now);
      const kept = this.kept.get(group) ?? [];
      this.kept.set(group, kept);
      kept[index] = nextChangeAt === undefined ? { service, day } : { service, day, nextChangeAt };
    }
  }

  private async computeGroups(groups: Iterable<string>, now: number, slice: Slice): Promise<void> {
    for (const group of groups) {
      this.groups.set(group, computeGroup(this.parts.plan, group, this.kept.get(group) ?? [], now));
      if (slice.isOver) await slice.next();
    }
  }

  private async touchedSince(stamps: PointStamps, slice: Slice): Promise<Set<string>> {
    const { points, tenantId, plan } = this.parts;
    const keys = new Set<string>();
    const days = [
      [plan.day, this.stamps.today, stamps.today],
      [dayBefore(plan.day), this.stamps.before, stamps.before],
    ] as const;
    for (const [day, known, found] of days) {
      if (known === found) continue;
      for (const { service, host } of await points.touchedAfter(tenantId, day, known, slice)) keys.add(endpointKey(service, host));
    }
    return keys;
  }
}
