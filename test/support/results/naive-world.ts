import type { AggregationProfile } from '#domain/status/dated-records/aggregation-profiles.js';
import type { MetricProfile } from '#domain/status/dated-records/metric-profiles.js';
import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import type { ThresholdsProfile } from '#domain/status/dated-records/thresholds-profiles.js';
import type { Weights } from '#domain/status/dated-records/weights.js';
import type { Downtime } from '#domain/status/downtimes/downtimes.js';
import type { Exclusions } from '#domain/status/recomputations/recomputations.js';
import { type DayWindow, endpointKey, type Plan, type PlannedEndpoint } from '#domain/status/results/plan.js';
import { NaiveDay, type NaiveResults, type SentPoint } from './naive.js';

/** Bodies of profiles by type, as they are sent. */
export type Profiles = {
  operations: OperationsProfile;
  metric: MetricProfile;
  aggregation: AggregationProfile;
  thresholds: ThresholdsProfile;
  weights: Weights;
};
export type ProfileType = keyof Profiles;

export type TopologyItem = Readonly<{
  group: string;
  type: string;
  service: string;
  hostname: string;
  tags: Readonly<Record<string, string>>;
}>;
export type GroupItem = Readonly<{ group: string; type: string; subgroup: string }>;
/** In force if it is `approved`. */
export type Requested = Readonly<{ start_time: string; end_time: string; exclude: readonly string[]; approved: boolean; own: boolean }> &
  Exclusions;

/** What somebody sends. A list or snapshot replaces that of its day. */
export type Write =
  | { [Type in ProfileType]: Readonly<{ kind: 'profile'; type: Type; day: string; body: Profiles[Type] }> }[ProfileType]
  | Readonly<{ kind: 'groups'; day: string; items: readonly GroupItem[] }>
  | Readonly<{ kind: 'endpoints'; day: string; items: readonly TopologyItem[] }>
  | Readonly<{ kind: 'downtimes'; day: string; items: readonly Downtime[] }>
  | Readonly<{ kind: 'points'; points: readonly SentPoint[] }>
  | Readonly<{ kind: 'recomputation'; request: Requested }>
  /** Deletes the oldest recomputation that is left. */
  | Readonly<{ kind: 'forget' }>
  /** Whether the report names thresholds and weights. */
  | Readonly<{ kind: 'report'; thresholds: boolean; weights: boolean }>;

const DAY_MILLISECONDS = 86_400_000;
const dayAfter = (day: string): string => new Date(Date.parse(day) + DAY_MILLISECONDS).toISOString().slice(0, 10);

/** The value of the greatest day up to a day. */
const asOf = <T>(byDay: ReadonlyMap<string, T>, day: string): readonly [string, T] | undefined =>
  [...byDay]
    .filter(([one]) => one <= day)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .at(-1);

/** What a window of two instants has of a day, the end of which counts with so many seconds, up to midnight. */
const windowOf = (day: string, start: string, end: string, seconds: number): DayWindow => {
  const second = (instant: string) => (Date.parse(instant) - Date.parse(`${day}T00:00:00Z`)) / 1000;
  const until = end.slice(0, 10) < day ? 0 : second(end) + seconds;
  return { from: Math.min(86_400, Math.max(0, second(start))), to: Math.min(86_400, Math.max(0, until)) };
};

/** All that was sent, in its order, and what the contract makes of it from scratch (results contract 1, 2). */
export class NaiveWorld {
  private readonly profiles: { [Type in ProfileType]: Map<string, Profiles[Type]> } = {
    operations: new Map(),
    metric: new Map(),
    aggregation: new Map(),
    thresholds: new Map(),
    weights: new Map(),
  };
  private readonly groups = new Map<string, readonly GroupItem[]>();
  private readonly endpoints = new Map<string, readonly TopologyItem[]>();
  private readonly downtimes = new Map<string, readonly Downtime[]>();
  private readonly points: SentPoint[] = [];
  private recomputations: Requested[] = [];
  private named = { thresholds: true, weights: true };

  /** @param report its id @param types of its groups, from the outermost inwards */
  constructor(
    private readonly report: string,
    private readonly types: readonly [string, string],
    writes: readonly Write[],
  ) {
    for (const write of writes) this.apply(write);
  }

  /** Days with results up to today, `now` seconds of which have passed. */
  results(today: string, now: number): ReadonlyMap<string, NaiveResults> {
    const days = new Map<string, NaiveResults>();
    const sent = [...new Set(this.points.map(({ day }) => day))].sort();
    const first = sent.find((day) => day <= today && this.hasCounting(day, day === today ? now : 86_400));
    for (let day = first; day !== undefined && day <= today; day = dayAfter(day)) {
      const plan = this.plan(day);
      if (plan) days.set(day, new NaiveDay(plan, this.points, day === today ? now : 86_400).results());
    }
    return days;
  }

  private apply(write: Write): void {
    if (write.kind === 'profile') (this.profiles[write.type] as Map<string, unknown>).set(write.day, write.body);
    else if (write.kind === 'points') this.points.push(...write.points);
    else if (write.kind === 'recomputation') this.recomputations.push(write.request);
    else if (write.kind === 'forget') this.recomputations = this.recomputations.slice(1);
    else if (write.kind === 'report') this.named = write;
    else (this[write.kind] as Map<string, unknown>).set(write.day, write.items);
  }

  private hasCounting(day: string, now: number): boolean {
    const plan = this.plan(day);
    return this.points.some(
      (point) =>
        point.day === day &&
        point.at <= now &&
        (point.report ?? this.report) === this.report &&
        [...(plan?.groups.values() ?? [])].some(
          ({ name, endpoints }) =>
            (point.group ?? name) === name &&
            endpoints.some(
              ({ service, host, metrics }) => service === point.service && host === point.host && metrics.includes(point.metric),
            ),
        ),
    );
  }

  private plan(day: string): Plan | undefined {
    const { operations, metric, aggregation } = this.profiles;
    const [ops, metrics, aggregated] = [asOf(operations, day)?.[1], asOf(metric, day)?.[1], asOf(aggregation, day)?.[1]];
    const [listed, lists] = asOf(this.groups, day) ?? [day, []];
    const supergroups = lists.filter(({ type }) => type === this.types[0]);
    if (!ops || !metrics || !aggregated || supergroups.length === 0) return undefined;
    const groups = this.expected(this.endpoints.get(listed) ?? [], supergroups, metrics, aggregated);
    const names = [...new Set(supergroups.map(({ group }) => group))].sort();
    const subgroupsOf = (name: string) =>
      [...groups.keys()].filter((one) => supergroups.some(({ group, subgroup }) => group === name && subgroup === one));
    const weighed = this.named.weights ? (asOf(this.profiles.weights, day)?.[1].groups ?? []) : [];
    return {
      report: this.report,
      day,
      operations: ops,
      aggregation: aggregated,
      thresholds: this.named.thresholds ? (asOf(this.profiles.thresholds, day)?.[1].rules ?? []) : [],
      groups,
      supergroups: new Map(names.map((name) => [name, subgroupsOf(name)] as const).filter(([, subgroups]) => subgroups.length > 0)),
      downtimes: this.down(day),
      weights: new Map(weighed.map(({ name, value }) => [name, value])),
      recomputations: this.recomputations
        .filter((one) => one.approved && one.own && one.start_time.slice(0, 10) <= day && day <= one.end_time.slice(0, 10))
        .map((one) => ({ ...one, id: '', window: windowOf(day, one.start_time, one.end_time, 1) })),
    };
  }

  private expected(
    items: readonly TopologyItem[],
    supergroups: readonly GroupItem[],
    metrics: MetricProfile,
    aggregation: AggregationProfile,
  ): Plan['groups'] {
    const wanted = items.filter(({ group, type }) => type === this.types[1] && supergroups.some(({ subgroup }) => subgroup === group));
    const names = [...new Set(wanted.map(({ group }) => group))].sort();
    const isGrouped = (service: string) => aggregation.groups.some(({ services }) => services.some(({ name }) => name === service));
    const found = names.map((name) => {
      const own = wanted.filter(({ group }) => group === name);
      const keys = [...new Set(own.map(({ service, hostname }) => endpointKey(service, hostname)))].sort();
      const endpoints = keys.flatMap((key): PlannedEndpoint[] => {
        const item = own.find(({ service, hostname }) => endpointKey(service, hostname) === key)!;
        const lists = metrics.services.filter(({ service }) => service === item.service).flatMap((one) => one.metrics);
        if (lists.length === 0 || !isGrouped(item.service)) return [];
        const info = Object.fromEntries(
          Object.entries(item.tags)
            .filter(([tag, value]) => tag.startsWith('info_') && value)
            .map(([tag, value]) => [tag.slice(5), value]),
        );
        const more = Object.keys(info).length > 0 ? { info } : {};
        return [{ service: item.service, host: item.hostname, metrics: [...new Set(lists)].sort(), ...more }];
      });
      return { name, endpoints };
    });
    return new Map(found.filter(({ endpoints }) => endpoints.length > 0).map((group) => [group.name, group]));
  }

  private down(day: string): Plan['downtimes'] {
    const windows = new Map<string, DayWindow[]>();
    for (const { service, hostname, start_time, end_time } of this.downtimes.get(day) ?? []) {
      if (Number.isNaN(Date.parse(start_time)) || Number.isNaN(Date.parse(end_time))) continue;
      const key = endpointKey(service, hostname);
      const window = windowOf(day, start_time, end_time, 60);
      if (window.from < window.to) windows.set(key, [...(windows.get(key) ?? []), window]);
    }
    return windows;
  }
}
