import type { Day } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { Status } from '#domain/status/notifications/status-changes.js';
import type { MetricPoint } from '#domain/status/results/plan.js';
import type { MetricDay } from '#domain/status/results/results.js';
import type { PointQueries } from '#projections/status/metric-results/point-queries.js';
import type { DaySpan, ReportReader } from '#projections/status/results/report-reader.js';
import { stepsOf, timelineOf } from './item-steps.js';

export type EndpointName = Readonly<{ service: string; hostname: string }>;

/** The metrics of an endpoint on two days. */
type EndpointMetricSteps = Readonly<{
  /** By metric, in the order of names. */
  steps: ReadonlyMap<string, readonly Status[]>;
  days: ReadonlyMap<Day, readonly MetricDay[]>;
}>;

/** Maximum number of endpoints that are looked up one by one; beyond it, all of a group are. */
const FEW = 5;

export const endpointName = ({ service, hostname }: EndpointName): string => JSON.stringify([service, hostname]);

const EMPTY: EndpointMetricSteps = { steps: new Map(), days: new Map() };

/** The metrics of endpoints of a group, each read once. */
export class GroupMetrics {
  private readonly found = new Map<string, EndpointMetricSteps>();
  private readonly points = new Map<string, Promise<ReadonlyMap<string, readonly MetricPoint[]>>>();

  constructor(
    private readonly queries: PointQueries,
    private readonly tenantId: string,
    private readonly reader: ReportReader,
    readonly group: string,
    private readonly span: DaySpan,
  ) {}

  /** Metrics of an endpoint that was read. */
  of(endpoint: EndpointName): EndpointMetricSteps {
    return this.found.get(endpointName(endpoint)) ?? EMPTY;
  }

  async read(endpoints: readonly EndpointName[]): Promise<void> {
    const missing = new Map(endpoints.map((one) => [endpointName(one), one]));
    for (const name of this.found.keys()) missing.delete(name);
    if (missing.size === 0) return;
    const days = await this.daysOf(missing);
    for (const name of missing.keys()) this.found.set(name, metricSteps(days.get(name) ?? new Map(), this.span.to));
  }

  private async daysOf(wanted: ReadonlyMap<string, EndpointName>): Promise<ReadonlyMap<string, ReadonlyMap<Day, readonly MetricDay[]>>> {
    const { group } = this;
    const few = [...wanted.values()].map(({ service, hostname: host }) => ({ group, service, host }));
    const found = new Map<string, Map<Day, readonly MetricDay[]>>();
    for (const filter of wanted.size > FEW ? [{ group }] : few) {
      for await (const { day, endpoints } of this.reader.metrics(this.span, filter)) {
        for (const { service, host: hostname, metrics } of endpoints) {
          const name = endpointName({ service, hostname });
          if (wanted.has(name)) found.set(name, (found.get(name) ?? new Map<Day, readonly MetricDay[]>()).set(day, metrics));
        }
      }
    }
    return found;
  }

  /** The points of a metric as received for a second, `YYYY-MM-DDTHH:MM:SSZ`, in the order of the log. */
  async pointsAt({ service, hostname }: EndpointName, metric: string, instant: string): Promise<readonly MetricPoint[]> {
    const day = instant.slice(0, 10);
    const key = JSON.stringify([service, hostname, day]);
    const points = this.points.get(key) ?? this.queries.ofEndpoint(this.tenantId, day, hostname, service, new TimeSlice());
    this.points.set(key, points);
    const second = (Date.parse(instant) - Date.parse(day)) / 1_000;
    return (await points).get(metric)?.filter(({ at }) => at === second) ?? [];
  }
}

/** Only for metrics that are expected today. */
const metricSteps = (days: ReadonlyMap<Day, readonly MetricDay[]>, today: Day): EndpointMetricSteps => {
  const expected = new Set(days.get(today)?.map(({ metric }) => metric));
  const timelines = new Map<string, (readonly [Day, ReturnType<typeof timelineOf>])[]>();
  for (const [day, metrics] of days) {
    for (const one of metrics) {
      if (!expected.has(one.metric)) continue;
      const known = timelines.get(one.metric);
      const timeline = [day, timelineOf(one)] as const;
      if (known) known.push(timeline);
      else timelines.set(one.metric, [timeline]);
    }
  }
  return { steps: new Map(Array.from(timelines, ([metric, some]) => [metric, stepsOf(some)])), days };
};
