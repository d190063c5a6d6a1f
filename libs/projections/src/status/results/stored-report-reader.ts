import { type Day, dayAt, dayBefore } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { ReportComputations } from '#domain/status/reports/reports.js';
import { computingEndpoint } from '#domain/status/results/compute-endpoint.js';
import type { Plan, PlannedGroup } from '#domain/status/results/plan.js';
import type { GroupDay, MetricDay, ResultsDay } from '#domain/status/results/results.js';
import { DAY_SECONDS } from '#domain/status/results/timeline.js';
import { inTurns } from '#projections/shared/in-turns.js';
import type { Slice } from '#projections/shared/pages.js';
import type { PointQueries } from '#projections/status/metric-results/point-queries.js';
import type { Days, DayToCompute } from './computed-days.js';
import type { Configurations, DayConfiguration } from './configuration.js';
import { withCurrent } from './current-configuration.js';
import type { EndpointsPoints, ExpectedEndpoint, PointsOfExpected } from './endpoint-points.js';
import type { FirstDays, FirstDaysAndChanges } from './first-day.js';
import type { GroupNames } from './group-names.js';
import type { Plans } from './plans.js';
import type { DaySpan, EndpointFilter, EndpointMetrics, ReportReader } from './report-reader.js';
import type { ReportSettings } from './report-settings.js';
import { earlier, later, lengthOf, monthOf, monthsOf } from './span.js';

/** Dependencies of report readers. May be shared. */
export type ReaderParts = Readonly<{
  configurations: Configurations;
  plans: Plans;
  points: PointQueries;
  endpointsPoints: EndpointsPoints;
  firstDays: FirstDays;
  days: Days;
}>;

/** Endpoints in one part of the listed points of a day. */
const ENDPOINTS_AT_ONCE = 200;

type Moment = Readonly<{ computations: ReportComputations; disabled: boolean; now: number }>;

/** Computes requested results from the documents of read models. */
export class StoredReportReader implements ReportReader {
  readonly id: string;
  readonly name: string;
  readonly types: readonly string[];
  readonly computations: ReportComputations;
  readonly disabled: boolean;
  readonly now: number;
  private readonly today: Day;
  private earliest: Promise<FirstDaysAndChanges> | undefined;
  /** The first day with results. */
  private first: Promise<Day | undefined> | undefined;
  private month: Readonly<{ from: Day; configurations: Promise<ReadonlyMap<Day, DayConfiguration>> }> | undefined;

  constructor(
    private readonly parts: ReaderParts,
    private readonly settings: ReportSettings,
    { computations, disabled, now }: Moment,
  ) {
    this.id = settings.id;
    this.name = settings.name;
    this.types = settings.types;
    this.computations = computations;
    this.disabled = disabled;
    this.now = now;
    this.today = dayAt(now);
  }

  async itemDays(span: DaySpan, kind: 'groups' | 'endpoints'): Promise<number> {
    const [[first] = []] = (await this.beginning(new TimeSlice())).days;
    if (first === undefined) return 0;
    const clipped = { from: later(span.from, first), to: earlier(span.to, this.today) };
    if (lengthOf(clipped) > STATUS_LIMITS.daysPerAnswer.value) throw overLimit('daysPerAnswer');
    return this.parts.configurations.itemDays(this.settings, clipped, kind);
  }

  async *days(span: DaySpan): AsyncGenerator<ResultsDay> {
    for await (const day of this.wanted(span, (wanted) => this.parts.days.groups(wanted))) yield day;
  }

  async *details(span: DaySpan, group?: string): AsyncGenerator<ResultsDay<GroupDay>> {
    for await (const { day } of this.wanted(span, (wanted) => this.parts.days.of(wanted, group))) {
      const groups = group === undefined ? day.groups : day.groups.filter(({ name }) => name === group);
      if (group === undefined || groups.length > 0) yield { ...day, groups };
    }
  }

  async *metrics(span: DaySpan, filter: EndpointFilter): AsyncGenerator<Readonly<{ day: Day; endpoints: readonly EndpointMetrics[] }>> {
    const slice = new TimeSlice();
    for await (const { configurations } of this.months(span, slice)) {
      for (const configuration of configurations) {
        const plan = await this.current(configuration, (current) => this.parts.plans.plan(this.settings, current));
        if (plan) yield* this.metricsOf(plan, filter, slice);
        if (slice.isOver) await slice.next();
      }
    }
  }

  async expected(day: Day): Promise<ReadonlyMap<string, PlannedGroup> | undefined> {
    const configuration = await this.configurationOf(day);
    const topology = configuration && (await this.current(configuration, (current) => this.parts.plans.topology(this.settings, current)));
    return topology?.hasGroups ? topology.groups : undefined;
  }

  async names(day: Day): Promise<readonly GroupNames[]> {
    const configuration = (await this.parts.configurations.during(this.settings, { from: day, to: day })).get(day);
    return (configuration && (await this.current(configuration, (current) => this.parts.plans.names(this.settings, current)))) ?? [];
  }

  async plan(day: Day): Promise<Plan | undefined> {
    const configuration = await this.configurationOf(day);
    return configuration && this.current(configuration, (current) => this.parts.plans.plan(this.settings, current));
  }

  /** Results of `find` for the days of a span. */
  private async *wanted<Found>(span: DaySpan, find: (wanted: DayToCompute) => Promise<Found | undefined>): AsyncGenerator<Found> {
    const { points, plans } = this.parts;
    const report = this.settings;
    const slice = new TimeSlice();
    for await (const { month, configurations } of this.months(span, slice)) {
      const stamps = await points.stamps(report.tenantId, dayBefore(month.from), month.to, slice);
      for (const found of configurations) {
        const result = await this.current(found, (configuration) => {
          const now = this.secondOf(configuration.day);
          return find({ report, configuration, stamps, now, plan: () => plans.plan(report, configuration) });
        });
        if (result !== undefined) yield result;
        if (slice.isOver) await slice.next();
      }
    }
  }

  private async *metricsOf(
    plan: Plan,
    filter: EndpointFilter,
    slice: Slice,
  ): AsyncGenerator<Readonly<{ day: Day; endpoints: readonly EndpointMetrics[] }>> {
    const { day } = plan;
    let endpoints: EndpointMetrics[] = [];
    for await (const page of this.parts.endpointsPoints.inOrder(this.settings.tenantId, day, [...expectedIn(plan, filter)], slice)) {
      for (const found of page) {
        const when = { metric: filter.metric, now: this.secondOf(day) };
        endpoints.push(...(await metricsOf(plan, found, when, slice)));
        if (slice.isOver) await slice.next();
      }
      if (endpoints.length < ENDPOINTS_AT_ONCE) continue;
      yield { day, endpoints };
      endpoints = [];
    }
    if (endpoints.length > 0) yield { day, endpoints };
  }

  /** Last second of the day that counts. */
  private secondOf(day: Day): number {
    return day === this.today ? Math.floor((this.now - Date.parse(day)) / 1_000) : DAY_SECONDS;
  }

  /** Configurations of the days of a span that may have results, by month. */
  private async *months(
    span: DaySpan,
    slice: Slice,
  ): AsyncGenerator<Readonly<{ month: DaySpan; configurations: Iterable<DayConfiguration> }>> {
    if (!this.settings.computable) return;
    await slice.next(); // takes turns with other calls that start at the same time
    this.first ??= this.firstDay(slice);
    const first = await this.first;
    if (first === undefined) return;
    const clipped = { from: later(span.from, first), to: earlier(span.to, this.today) };
    const { configurations: lookUp } = this.parts;
    const known = { changes: (await this.beginning(slice)).changes, recomputations: await lookUp.inForce(this.settings, clipped, slice) };
    for (const month of monthsOf(clipped)) {
      const configurations = await lookUp.during(this.settings, month, slice, known);
      yield { month, configurations: configurations.values() };
      if (slice.isOver) await slice.next();
    }
  }

  private beginning(slice: Slice): Promise<FirstDaysAndChanges> {
    this.earliest ??= this.parts.firstDays.earliest(this.settings, slice);
    return this.earliest;
  }

  private async firstDay(slice: Slice): Promise<Day | undefined> {
    const earliest = await this.beginning(slice);
    const now = { day: this.today, second: this.secondOf(this.today) };
    return this.parts.firstDays.of(this.settings, earliest, now, slice);
  }

  /** Caches the month of the last day, because neighbouring days are often requested next. */
  private async configurationOf(day: Day): Promise<DayConfiguration | undefined> {
    const month = monthOf(day);
    if (this.month?.from !== month.from)
      this.month = { from: month.from, configurations: this.parts.configurations.during(this.settings, month) };
    return (await this.month.configurations).get(day);
  }

  private current<Result>(
    configuration: DayConfiguration,
    use: (configuration: DayConfiguration) => Promise<Result>,
  ): Promise<Result | undefined> {
    return withCurrent(this.parts.configurations, this.settings, configuration, use);
  }
}

/** The endpoints of a plan that match, by group, service and host, once for each of their groups. */
function* expectedIn(plan: Plan, { group, service, host, metric }: EndpointFilter): Generator<ExpectedEndpoint> {
  const groups = group === undefined ? [...plan.groups.values()] : [plan.groups.get(group) ?? []].flat();
  for (const one of groups) {
    for (const [index, planned] of one.endpoints.entries()) {
      const passes =
        (service === undefined || planned.service === service) &&
        (host === undefined || planned.host === host) &&
        (metric === undefined || planned.metrics.includes(metric));
      if (passes) yield { service: planned.service, host: planned.host, places: [{ group: one, index, planned }] };
    }
  }
}

/** Listed points of an endpoint in its requested groups. `metric`: only this one. */
const metricsOf = async (
  plan: Plan,
  { endpoint, points }: PointsOfExpected,
  { metric, now }: Readonly<{ metric: string | undefined; now: number }>,
  slice: Slice,
): Promise<readonly EndpointMetrics[]> => {
  const found: EndpointMetrics[] = [];
  for (const { group, planned } of endpoint.places) {
    const { service, host, info } = planned;
    const wanted = metric === undefined ? planned : { ...planned, metrics: [metric] };
    const metrics: MetricDay[] = [];
    await inTurns(
      computingEndpoint(plan, group.name, wanted, points, now, (one) => metrics.push(one)),
      slice,
    );
    found.push({ group: group.name, service, host, ...(info && { info }), metrics });
  }
  return found;
};
