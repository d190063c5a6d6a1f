import type { AggregationProfile } from '#domain/status/dated-records/aggregation-profiles.js';
import type { Operation, OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import { computingEndpoint, type PointsOfDays } from '#domain/status/results/compute-endpoint.js';
import { computeGroup, supergroupDays } from '#domain/status/results/compute-group.js';
import { numberText } from '#domain/status/results/figures/number-text.js';
import type { Measures, Sum } from '#domain/status/results/figures/periods.js';
import {
  endpointKey,
  type MetricPoint,
  type Plan,
  type PlannedEndpoint,
  type PlannedRecomputation,
  type PointOrigin,
} from '#domain/status/results/plan.js';
import type { EndpointDay, Figures, GroupDay, MetricDay, ServiceDay, SupergroupDay } from '#domain/status/results/results.js';
import { DAY_SECONDS, type Timeline } from '#domain/status/results/timeline.js';
import { timeOfDay } from '#domain/status/results/windows.js';

export const DAY = '2024-05-02';
export const DAY_BEFORE = '2024-05-01';

/** The later of two statuses in the list. */
const later = (states: readonly string[]): Operation['truth_table'] =>
  states.flatMap((a, index) => states.slice(index).map((b) => ({ a, b, x: b })));

/** Profile V of results contract 14. */
export const PROFILE_V: OperationsProfile = {
  name: 'V',
  available_states: ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'CRITICAL', 'DOWNTIME'],
  defaults: { down: 'DOWNTIME', missing: 'MISSING', unknown: 'UNKNOWN' },
  operations: [
    { name: 'AND', truth_table: later(['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'DOWNTIME', 'CRITICAL']) },
    { name: 'OR', truth_table: later(['MISSING', 'DOWNTIME', 'UNKNOWN', 'CRITICAL', 'WARNING', 'OK']) },
  ],
};

/** Service `web` and `db` in one function each. */
export const AGGREGATION: AggregationProfile = {
  name: 'critical',
  namespace: '',
  endpoint_group: 'SITES',
  metric_operation: 'AND',
  profile_operation: 'AND',
  metric_profile: { name: 'metrics', id: 'metrics' },
  groups: [
    { name: 'access', operation: 'OR', services: [{ name: 'web', operation: 'OR' }] },
    { name: 'storage', operation: 'OR', services: [{ name: 'db', operation: 'AND' }] },
  ],
};

/** Seconds of the day of `HH:MM` or `HH:MM:SS`. */
export const at = (time: string): number => {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return hours * 3600 + minutes * 60 + seconds;
};

/** Where a point is: service `web` on `h1`, metric `a`, unless told otherwise. */
type Sample = Pick<MetricPoint, 'at' | 'status' | 'actualData'> &
  PointOrigin &
  Readonly<{ service: string; host: string; metric: string; day: string }>;

/** A point of {@link DAY}. */
export const point = (time: string, status: string, more: Partial<Sample> = {}): Sample => ({
  service: 'web',
  host: 'h1',
  metric: 'a',
  day: DAY,
  at: at(time),
  status,
  ...more,
});

/** The last point of the day before, as most vectors have it. */
export const okBefore = (more: Partial<Sample> = {}): Sample => point('23:00', 'OK', { day: DAY_BEFORE, ...more });

/** A recomputation with a window on {@link DAY}, `to` not included. */
export const recomputation = (from: string, to: string, more: Partial<PlannedRecomputation>): PlannedRecomputation => ({
  id: 'r1',
  window: { from: at(from), to: at(to) },
  exclude: [],
  exclude_metrics: [],
  exclude_monitoring_source: [],
  applied_status_changes: [],
  ...more,
});

/** Metrics `a` of service `web` on the hosts. */
export const web = (hosts: readonly string[] = ['h1'], metrics: readonly string[] = ['a']): readonly PlannedEndpoint[] =>
  hosts.map((host) => ({ service: 'web', host, metrics }));

/** One group `site` of supergroup `ngi`. */
export const planOf = (changes: Partial<Plan> = {}, endpoints: readonly PlannedEndpoint[] = web()): Plan => ({
  report: 'report-1',
  day: DAY,
  operations: PROFILE_V,
  aggregation: AGGREGATION,
  thresholds: [],
  groups: new Map([['site', { name: 'site', endpoints }]]),
  supergroups: new Map([['ngi', ['site']]]),
  downtimes: new Map(),
  weights: new Map(),
  recomputations: [],
  ...changes,
});

/** Downtimes of `web` on `h1`, each up to a second that is not included. */
export const downtime = (...windows: readonly (readonly [string, string])[]): Plan['downtimes'] =>
  new Map([[endpointKey('web', 'h1'), windows.map(([from, to]) => ({ from: at(from), to: at(to) }))]]);

/** `HH:MM:SS status` for each step. */
export const shown = (timeline: Timeline): readonly string[] => timeline.map((step) => `${timeOfDay(step.at)} ${step.status}`);

/** Availability, reliability, unknown, uptime and downtime as on the wire. */
export const figureTexts = ({ availability, reliability, unknown, uptime, downtime: down }: Figures): string =>
  [availability, reliability, unknown, uptime, down].map(numberText).join(' / ');

/** Days taken together, in order. */
export const summed = <Value extends Measures>(sum: Sum<Value>, days: readonly Value[]): Value => {
  for (const day of days) sum.add(day);
  return sum.result();
};

/** All results of a plan, and the first of each level. */
export type Computed = Readonly<{
  groups: readonly GroupDay[];
  supergroups: readonly SupergroupDay[];
  metrics: readonly MetricDay[];
  group: GroupDay;
  service: ServiceDay;
  endpoint: EndpointDay;
  metric: MetricDay;
  /** Of the first endpoint. */
  nextChangeAt: number | undefined;
}>;

/** Points of one endpoint on one day by metric. A point's place in the list is its place in the log. */
const pointsOf = (samples: readonly Sample[], day: string, { service, host }: PlannedEndpoint): ReadonlyMap<string, MetricPoint[]> => {
  const byMetric = new Map<string, MetricPoint[]>();
  samples.forEach(({ service: ofService, host: ofHost, metric, day: ofDay, at: second, status, actualData, ...origin }, position) => {
    if (ofService !== service || ofHost !== host || ofDay !== day) return;
    const sample = { at: second, status, position, index: 0, origin, ...(actualData !== undefined && { actualData }) };
    byMetric.set(metric, [...(byMetric.get(metric) ?? []), sample]);
  });
  for (const points of byMetric.values()) points.sort((one, other) => one.at - other.at || one.position - other.position);
  return byMetric;
};

/** Computes one endpoint at once, with the days of its metrics. */
const computeEndpoint = (plan: Plan, group: string, endpoint: PlannedEndpoint, points: PointsOfDays, now: number) => {
  const metrics: MetricDay[] = [];
  const steps = computingEndpoint(plan, group, endpoint, points, now, (metric) => metrics.push(metric));
  for (;;) {
    const step = steps.next();
    if (step.done) return { ...step.value, metrics };
  }
};

/** Computes a plan from points in the order of the log, at a second of the day. */
export const compute = (plan: Plan, samples: readonly Sample[], now = DAY_SECONDS): Computed => {
  const computed = [...plan.groups.values()].map(({ name, endpoints }) => ({
    name,
    endpoints: endpoints.map((endpoint) => {
      const points = { today: pointsOf(samples, DAY, endpoint), before: pointsOf(samples, DAY_BEFORE, endpoint) };
      return computeEndpoint(plan, name, endpoint, points, now);
    }),
  }));
  const groups = computed.map(({ name, endpoints }) => computeGroup(plan, name, endpoints, now));
  const metrics = computed.flatMap(({ endpoints }) => endpoints.flatMap((endpoint) => endpoint.metrics));
  const group = groups[0]!;
  const service = group.services[0]!;
  return {
    groups,
    supergroups: supergroupDays(plan, groups),
    metrics,
    group,
    service,
    endpoint: service.endpoints[0]!,
    metric: metrics[0]!,
    nextChangeAt: computed[0]!.endpoints[0]!.nextChangeAt,
  };
};
