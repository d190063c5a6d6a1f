import type { Day } from '#domain/shared/time.js';
import { endpointKey, type MetricPoint } from '#domain/status/results/plan.js';
import type { Slice } from '#projections/shared/pages.js';
import type { PointQueries, PointsOfEndpoint } from '#projections/status/points/queries.js';
import { type ExpectedEndpoints, expectedEndpoints } from './endpoint-points.js';
import type { ReportTopology } from './report-topology.js';

/** A day and its last second that counts. */
export type DayUntil = Readonly<{ day: Day; second: number }>;

/** Endpoints that are looked up one by one before the points of the whole day are read. */
const PROBED = 20;

/** Whether points count for a report on their own day: they are expected there, and neither for another report nor for a group that does not expect them. */
export class CountingPoints {
  constructor(
    private readonly points: PointQueries,
    private readonly newSlice: () => Slice,
  ) {}

  /** Recomputations play no part in this (results contract 2). */
  async areOn({ day, second }: DayUntil, tenantId: string, report: string, { groups }: ReportTopology): Promise<boolean> {
    const expected = expectedEndpoints(groups);
    if (expected.size === 0) return false;
    const counts = countingFor(expected, report, second);
    const probed = [...firstOf(expected, PROBED)];
    const slice = this.newSlice();
    for (const { host, service } of probed)
      if (counts({ host, service, points: await this.points.ofEndpoint(tenantId, day, host, service, slice) })) return true;
    if (probed.length === expected.size) return false;
    for await (const page of this.points.ofDay(tenantId, day, slice)) {
      if (page.some(counts)) return true;
      if (slice.isOver) await slice.next();
    }
    return false;
  }
}

function* firstOf(expected: ExpectedEndpoints, most: number) {
  let count = 0;
  for (const endpoint of expected.values()) {
    if (count++ === most) return;
    yield endpoint;
  }
}

const countingFor =
  (expected: ExpectedEndpoints, report: string, second: number) =>
  ({ host, service, points }: PointsOfEndpoint): boolean => {
    const places = expected.get(endpointKey(service, host))?.places;
    const metrics = places?.[0]?.planned.metrics;
    if (!places || !metrics) return false;
    const groups = new Set(places.map(({ group }) => group.name));
    const counts = (point: MetricPoint) =>
      point.at <= second &&
      (point.report === undefined || point.report === report) &&
      (point.group === undefined || groups.has(point.group));
    return metrics.some((metric) => points.get(metric)?.some(counts));
  };
