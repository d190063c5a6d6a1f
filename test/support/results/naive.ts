import { dayBefore } from '#domain/shared/time.js';
import { endpointKey, type Plan, type PlannedEndpoint, type PlannedRecomputation } from '#domain/status/results/plan.js';
import type { Figures, GroupDay, ListedPoint, MetricDay, ServiceDay, SupergroupDay } from '#domain/status/results/results.js';
import { naiveThreshold } from './naive-thresholds.js';

/** A point as it was sent. `at`: seconds of its day. */
export type SentPoint = Readonly<{
  day: string;
  at: number;
  service: string;
  host: string;
  metric: string;
  status: string;
  report?: string;
  group?: string;
  monitoringHost?: string;
  actualData?: string;
}>;

/** What a day comes to. */
export type NaiveResults = Readonly<{ groups: readonly GroupDay[]; supergroups: readonly SupergroupDay[]; metrics: readonly MetricDay[] }>;

const DAY = 86_400;
/** A status at each second, without saying when it changes. */
type StatusAt = (second: number) => string;
type Place = Readonly<{ group: string; service?: string; host?: string; metric?: string }>;
type Overriding = Readonly<{ from: number; to: number; status: string }>;

/**
 * Results of a day as the results contract words them, each rule where it says so and no faster: every status is found anew for every second at
 * which anything may happen. `points` in the order of the log. Shares nothing with the computation but the types.
 */
export class NaiveDay {
  private readonly instants: readonly number[];

  constructor(
    private readonly plan: Plan,
    private readonly points: readonly SentPoint[],
    private readonly now: number,
  ) {
    const windows = [...plan.recomputations.map(({ window }) => window), ...[...plan.downtimes.values()].flat()];
    const all = [0, ...points.map(({ at }) => at), ...windows.flatMap(({ from, to }) => [from, to])];
    this.instants = [...new Set(all)].filter((at) => at < DAY && at <= now).sort((one, other) => one - other);
  }

  results(): NaiveResults {
    const groups = [...this.plan.groups.values()].map(({ name, endpoints }) => this.group(name, endpoints));
    const metrics = [...this.plan.groups.values()].flatMap(({ name, endpoints }) =>
      endpoints.flatMap((endpoint) => endpoint.metrics.map((metric) => this.metric(name, endpoint, metric))),
    );
    return { groups, metrics, supergroups: this.supergroups(groups) };
  }

  private combine(operation: string, statuses: readonly string[]): string {
    const table = this.plan.operations.operations.find(({ name }) => name === operation)?.truth_table ?? [];
    return statuses.reduce((left, right) => {
      if (left === 'EXCLUDED') return right;
      if (right === 'EXCLUDED') return left;
      const row = table.findLast(({ a, b }) => (a === left && b === right) || (a === right && b === left));
      if (row) return row.x;
      return left === right ? left : this.plan.operations.defaults.unknown;
    });
  }

  /** The point after thresholds and states. */
  private read(group: string, point: SentPoint): ListedPoint {
    const { available_states, defaults } = this.plan.operations;
    const place = { group, host: point.host, metric: point.metric };
    const { status, rule } = naiveThreshold(this.plan, place, point, (left, right) => this.combine('AND', [left, right]));
    return {
      at: point.at,
      status: available_states.includes(status) ? status : defaults.unknown,
      ...(point.actualData === undefined ? {} : { actualData: point.actualData }),
      ...(rule === undefined ? {} : { originalStatus: point.status, thresholdRule: rule }),
    };
  }

  /** Points of a metric that count, one an instant, in order of time. */
  private counting(day: string, group: string, { service, host }: PlannedEndpoint, metric: string): readonly SentPoint[] {
    const isExcluded = ({ monitoringHost, at }: SentPoint) => {
      const instant = Date.parse(`${day}T00:00:00Z`) + at * 1000;
      return this.plan.recomputations
        .flatMap((one) => one.exclude_monitoring_source)
        .some((one) => one.host === monitoringHost && Date.parse(one.start_time) <= instant && instant <= Date.parse(one.end_time));
    };
    const found = this.points.filter(
      (point) =>
        point.day === day &&
        point.service === service &&
        point.host === host &&
        point.metric === metric &&
        (point.report ?? this.plan.report) === this.plan.report &&
        (point.group ?? group) === group &&
        !isExcluded(point),
    );
    const byInstant = new Map(found.map((point) => [point.at, point]));
    return [...byInstant.values()].sort((one, other) => one.at - other.at);
  }

  private metric(group: string, endpoint: PlannedEndpoint, metric: string): MetricDay {
    const before = dayBefore(this.plan.day);
    const last = this.counting(before, group, endpoint, metric).at(-1);
    const previous = last
      ? {
          timestamp: new Date(Date.parse(before) + last.at * 1000).toISOString().replace('.000', ''),
          status: this.read(group, last).status,
        }
      : { timestamp: `${this.plan.day}T00:00:00Z`, status: this.plan.operations.defaults.missing };
    const own = this.counting(this.plan.day, group, endpoint, metric).filter(({ at }) => at <= this.now);
    const plain: readonly ListedPoint[] = own.length > 0 ? own.map((one) => this.read(group, one)) : [{ at: 0, status: previous.status }];
    let points = plain;
    for (const { from, to, status } of this.overriding('metric', { group, service: endpoint.service, host: endpoint.host, metric })) {
      if (from > this.now) continue;
      const below = points;
      const statusBelow: StatusAt = (second) => below.findLast(({ at }) => at <= second)?.status ?? previous.status;
      const isThere = (second: number) => below.some(({ at }) => at === second);
      const ends = [from, to]
        .filter((at) => at < DAY && at <= this.now && !isThere(at))
        .map((at): ListedPoint => ({ at, status: statusBelow(at) }));
      points = [...below, ...ends]
        .sort((one, other) => one.at - other.at)
        .map((point) => {
          if (point.at < from || point.at >= to) return point;
          return { at: point.at, status };
        });
    }
    return { metric, previous, points };
  }

  /** Windows of a level for a place, those that win later. */
  private overriding(level: 'metric' | 'hostname' | 'service' | 'group', place: Place): readonly Overriding[] {
    const { available_states, defaults } = this.plan.operations;
    const levels = ['metric', 'hostname', 'service', 'group'] as const;
    const names = { metric: place.metric, hostname: place.host, service: place.service, group: place.group };
    const found: { members: number; overriding: Overriding }[] = [];
    const look = ({ window }: PlannedRecomputation, element: Readonly<Record<string, unknown>>, status: string, isExclusion: boolean) => {
      const given = levels.filter((one) => element[one]);
      if (given.length === 0 || window.from >= window.to) return;
      if (level !== (isExclusion ? 'metric' : given[0])) return;
      if (given.every((one) => element[one] === names[one])) found.push({ members: given.length, overriding: { ...window, status } });
    };
    for (const recomputation of this.plan.recomputations) {
      for (const element of recomputation.exclude_metrics) look(recomputation, element, 'EXCLUDED', true);
      for (const element of recomputation.applied_status_changes) {
        const isKnown = element.state === 'EXCLUDED' || available_states.includes(element.state ?? '');
        look(recomputation, element, isKnown ? element.state! : defaults.unknown, false);
      }
    }
    return [1, 2, 3, 4].flatMap((members) => found.filter((one) => one.members === members).map(({ overriding }) => overriding));
  }

  private overridden(status: string, second: number, windows: readonly Overriding[]): string {
    return windows.findLast(({ from, to }) => from <= second && second < to)?.status ?? status;
  }

  private metricAt(group: string, endpoint: PlannedEndpoint, metric: string): StatusAt {
    const { previous, points } = this.metric(group, endpoint, metric);
    return (second) => points.findLast(({ at }) => at <= second)?.status ?? previous.status;
  }

  private endpointAt(group: string, endpoint: PlannedEndpoint): StatusAt {
    const { service, host } = endpoint;
    const metrics = endpoint.metrics.map((metric) => this.metricAt(group, endpoint, metric));
    const downtimes = this.plan.downtimes.get(endpointKey(service, host)) ?? [];
    const windows = this.overriding('hostname', { group, service, host });
    return (second) => {
      const isDown = downtimes.some(({ from, to }) => from <= second && second < to);
      const combined = this.combine(
        this.plan.aggregation.metric_operation,
        metrics.map((metric) => metric(second)),
      );
      return this.overridden(isDown ? this.plan.operations.defaults.down : combined, second, windows);
    };
  }

  private serviceAt(group: string, service: string, endpoints: readonly StatusAt[]): StatusAt {
    const first = this.plan.aggregation.groups.flatMap(({ services }) => services).find(({ name }) => name === service);
    const windows = this.overriding('service', { group, service });
    return (second) =>
      this.overridden(
        this.combine(
          first?.operation ?? '',
          endpoints.map((endpoint) => endpoint(second)),
        ),
        second,
        windows,
      );
  }

  private groupAt(group: string, services: ReadonlyMap<string, StatusAt>): StatusAt {
    const windows = this.overriding('group', { group });
    const { groups } = this.plan.aggregation;
    const functions = [...new Set(groups.map(({ name }) => name))].sort();
    return (second) => {
      const statuses = functions.flatMap((name) => {
        const same = groups.filter((one) => one.name === name);
        const names = [...new Set(same.flatMap((one) => one.services.map((service) => service.name)))]
          .sort()
          .filter((one) => services.has(one));
        if (names.length === 0) return [];
        return this.combine(
          same[0]!.operation,
          names.map((name) => services.get(name)!(second)),
        );
      });
      return this.overridden(this.combine(this.plan.aggregation.profile_operation, statuses), second, windows);
    };
  }

  private timeline(status: StatusAt) {
    const steps = this.instants.map((at) => ({ at, status: status(at) }));
    return steps.filter((step, index) => index === 0 || steps[index - 1]!.status !== step.status);
  }

  private figures(status: StatusAt): Figures {
    const { defaults } = this.plan.operations;
    const total = Math.max(1, this.now);
    let [up, down, unknown] = [0, 0, 0];
    this.instants.forEach((from, index) => {
      const length = Math.max(0, Math.min(total, this.instants[index + 1] ?? total) - from);
      const held = status(from);
      if (held === 'OK' || held === 'WARNING') up += length;
      if (held === defaults.down) down += length;
      if ([defaults.unknown, defaults.missing, 'EXCLUDED'].includes(held)) unknown += length;
    });
    const rounded = (part: number, whole: number) => {
      if (whole <= 0) return -1;
      const [numerator, denominator] = [BigInt(part) * 100_000n, BigInt(whole)];
      return Number((2n * numerator + denominator) / (2n * denominator)) / 100_000;
    };
    return {
      availability: rounded(100 * up, total - unknown),
      reliability: rounded(100 * up, total - unknown - down),
      unknown: rounded(unknown, total),
      uptime: rounded(up, total),
      downtime: rounded(down, total),
    };
  }

  private row(status: StatusAt, flagged: boolean, figuresFrom = status) {
    return { timeline: this.timeline(status), flagged, figures: this.figures(figuresFrom) };
  }

  private group(name: string, endpoints: readonly PlannedEndpoint[]): GroupDay {
    const at = new Map<string, StatusAt>();
    const services = [...new Set(endpoints.map(({ service }) => service))].map((service): ServiceDay => {
      const members = endpoints.filter((endpoint) => endpoint.service === service);
      const days = members.map((endpoint) => {
        const metrics = endpoint.metrics.map((metric) => this.metric(name, endpoint, metric));
        const flagged = metrics.some(({ points }) => points.some(({ thresholdRule }) => thresholdRule !== undefined));
        const counts = metrics.map(({ metric, previous, points }) => {
          const carriedOver = points.some(({ at }) => at === 0) ? [] : [previous.status];
          const listed = [...carriedOver, ...points.map(({ status }) => status)];
          const events = [...new Set(listed)].map((status) => [status, listed.filter((one) => one === status).length]);
          const flapping = this.timeline(this.metricAt(name, endpoint, metric)).length - 1;
          return { metric, flapping, events: Object.fromEntries(events) };
        });
        const info = endpoint.info ? { info: endpoint.info } : {};
        return { host: endpoint.host, ...info, ...this.row(this.endpointAt(name, endpoint), flagged), metrics: counts };
      });
      const status = this.serviceAt(
        name,
        service,
        members.map((endpoint) => this.endpointAt(name, endpoint)),
      );
      at.set(service, status);
      return {
        service,
        ...this.row(
          status,
          days.some(({ flagged }) => flagged),
        ),
        endpoints: days,
      };
    });
    const status = this.groupAt(name, at);
    const excluded = this.plan.recomputations.filter(({ exclude }) => exclude.includes(name)).map(({ window }) => window);
    const withoutExcluded: StatusAt = (second) =>
      excluded.some(({ from, to }) => from <= second && second < to) ? this.plan.operations.defaults.unknown : status(second);
    return {
      name,
      ...this.row(
        status,
        services.some(({ flagged }) => flagged),
        withoutExcluded,
      ),
      services,
    };
  }

  private supergroups(groups: readonly GroupDay[]): readonly SupergroupDay[] {
    return [...this.plan.supergroups].map(([name, names]) => {
      const mean = (measure: 'availability' | 'reliability') => {
        const known = groups.filter((group) => names.includes(group.name) && group.figures[measure] >= 0);
        const weights = known.map((group) => (this.plan.weights.get(group.name) ?? 0) + 1);
        if (known.length === 0) return -1;
        const sum = known.reduce((all, group, index) => all + group.figures[measure] * weights[index]!, 0);
        return sum / weights.reduce((all, weight) => all + weight, 0);
      };
      return { name, groups: names, availability: mean('availability'), reliability: mean('reliability') };
    });
  }
}
