import { type Day, dayBefore, dayOf } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ChangeCause } from '#domain/status/notifications/announced-statuses.js';
import type { ChangeSource } from '#domain/status/notifications/status-changes.js';
import { type DayWindow, endpointKey, type MetricPoint, type Plan } from '#domain/status/results/plan.js';
import { countsIn } from '#domain/status/results/point-uses.js';
import { DAY_SECONDS } from '#domain/status/results/timeline.js';
import type { MetricDataQueries, PlannedMetric } from '#projections/status/metric-data/queries.js';
import type { ReportReader } from '#projections/status/results/report-reader.js';
import type { EndpointName, GroupMetrics } from './endpoint-metrics.js';

/** A cause, with the metric result if that is the cause. */
export type FoundCause = Readonly<{ cause: ChangeCause; source?: ChangeSource }>;

/** Maximum characters of a summary or message in notifications. */
const TEXT = 4_096;

const secondOf = (instant: string): number => (Date.parse(instant) - Date.parse(dayOf(instant))) / 1_000;

/** Returns whether a window begins or ends at this second of the day. */
const hasEdge = (windows: readonly DayWindow[], second: number): boolean =>
  windows.some(({ from, to }) => from < to && (from === second || to === second));

/** Finds the causes of changes in the statuses of a report. For one look: data is read once. */
export class ChangeCauses {
  private readonly plans = new Map<Day, Promise<Plan | undefined>>();

  constructor(
    private readonly results: MetricDataQueries,
    private readonly tenantId: string,
    private readonly reader: ReportReader,
  ) {}

  /**
   * Cause for an endpoint whose metrics were read, at an instant: the metric result of that instant, preferably one of the same status.
   * @param metric limits the search to this one
   */
  async ofEndpoint(
    endpoint: EndpointName,
    { since, status }: Readonly<{ since: string; status: string }>,
    metrics: GroupMetrics,
    metric?: string,
  ): Promise<FoundCause> {
    const second = secondOf(since);
    const listed = (metrics.of(endpoint).days.get(dayOf(since)) ?? []).filter((one) => metric === undefined || one.metric === metric);
    const plan = await this.plan(dayOf(since));
    const candidates = listed.flatMap(({ metric: name, points }) =>
      points.filter(({ at }) => at === second).map((point) => ({ name, status: point.status })),
    );
    for (const { name, status: shown } of candidates.sort(
      (one, other) => Number(other.status === status) - Number(one.status === status),
    )) {
      const point = plan && (await metrics.pointsAt(endpoint, name, since)).findLast(countsIn(plan, metrics.group));
      if (!point) continue; // the edge of a recomputation, or the first status of a day
      const cause = { type: 'metric', metric: name, status: shown, timestamp: since } as const;
      const { service, hostname: host } = endpoint;
      const of = { tenantId: this.tenantId, plan, group: metrics.group, service, host, metric: name };
      return { cause, source: await this.sourceOf(of, point) };
    }
    return { cause: await this.otherCause(since, endpoint) };
  }

  /** Cause of a change without a metric result. */
  async otherCause(since: string, endpoint?: EndpointName): Promise<ChangeCause> {
    const [day, second] = [dayOf(since), secondOf(since)];
    const days =
      second === 0
        ? ([
            [day, 0],
            [dayBefore(day), DAY_SECONDS],
          ] as const)
        : ([[day, second]] as const);
    for (const [on, at] of days) {
      const plan = await this.plan(on);
      const downtimes = endpoint && plan?.downtimes.get(endpointKey(endpoint.service, endpoint.hostname));
      if (downtimes && hasEdge(downtimes, at)) return { type: 'downtime' };
    }
    for (const [on, at] of days) {
      const recomputation = (await this.plan(on))?.recomputations.findLast(({ window }) => hasEdge([window], at));
      if (recomputation) return { type: 'recomputation', id: recomputation.id };
    }
    return { type: second === 0 ? 'day' : 'configuration' };
  }

  private plan(day: Day): Promise<Plan | undefined> {
    const known = this.plans.get(day) ?? this.reader.plan(day);
    this.plans.set(day, known);
    return known;
  }

  private async sourceOf(of: PlannedMetric, { at, origin: { monitoringHost } }: MetricPoint): Promise<ChangeSource> {
    const { service, host: hostname, metric } = of;
    const result = await this.results.counting(of, at, new TimeSlice());
    return {
      service,
      hostname,
      metric,
      ...(monitoringHost && { monitoringHost }),
      ...(result?.summary && { summary: result.summary.slice(0, TEXT) }),
      ...(result?.message && { message: result.message.slice(0, TEXT) }),
    };
  }
}
