import type { Day } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import { computingEndpoint, type PointsOfDays } from '#domain/status/results/compute-endpoint.js';
import { functionDays } from '#domain/status/results/compute-group.js';
import {
  type DayWindow,
  endpointKey,
  type MetricPoint,
  type Plan,
  type PlannedEndpoint,
  type PlannedGroup,
} from '#domain/status/results/plan.js';
import { lastBefore, type UsedPoint, usesOfPoints } from '#domain/status/results/point-uses.js';
import type { EndpointDay, FunctionDay, GroupDay, ListedPoint, MetricDay } from '#domain/status/results/results.js';
import { DAY_SECONDS } from '#domain/status/results/timeline.js';
import { inTurns } from '#projections/shared/in-turns.js';
import type { Slice } from '#projections/shared/pages.js';
import type { ReportQueries } from '#projections/status/reports/queries.js';
import type { Configurations, DayConfiguration } from '#projections/status/results/configuration.js';
import { readAnew } from '#projections/status/results/current-configuration.js';
import type { EndpointsPoints } from '#projections/status/results/endpoint-points.js';
import type { Plans } from '#projections/status/results/plans.js';
import type { Results } from '#projections/status/results/report-reader.js';
import { type ReportSettings, settingsOf } from '#projections/status/results/report-settings.js';

/** Sources of an explanation, the same as those of the results. */
type ExplainerParts = Readonly<{
  reports: ReportQueries;
  results: Results;
  configurations: Configurations;
  plans: Plans;
  endpointsPoints: EndpointsPoints;
}>;

/** Identifies the results of a group on a day. */
export type ExplainedDay = Readonly<{ tenantId: string; report: string; group: string; day: Day }>;

/** Start of a page: index of an endpoint in its group, and of a row in the endpoint. */
type RowPlace = Readonly<{ endpoint: number; row: number }>;

/** A point of the day, or the last point of the previous day that counts. `listed`: as shown in results; absent if it does not count. */
export type ExplainedPoint = UsedPoint & Readonly<{ day: 'before' | 'same'; listed?: ListedPoint }>;

export type ExplainedMetric = Pick<MetricDay, 'metric' | 'previous'> & Readonly<{ points: readonly ExplainedPoint[] }>;

/** An endpoint, or the part of its metrics and points that fits into the page. */
export type ExplainedEndpoint = Readonly<{
  service: string;
  day: EndpointDay;
  downtimes: readonly DayWindow[];
  metrics: readonly ExplainedMetric[];
}>;

export type Explanation = Readonly<{
  settings: ReportSettings;
  configuration: DayConfiguration;
  /** States that stand for downtimes, for missing points and for what is unknown. */
  defaults: OperationsProfile['defaults'];
  /** Number of seconds of the day that count. */
  seconds: number;
  group: GroupDay;
  functions: readonly FunctionDay[];
  /** Groups of groups that contain the group, and its weight in them. */
  supergroups: readonly string[];
  weight: number;
  endpoints: readonly ExplainedEndpoint[];
  next: RowPlace | null;
}>;

type Row = Readonly<{ metric: number; point: ExplainedPoint }>;

/** From an index up to another, exclusive. */
type Span = Readonly<{ from: number; to: number }>;

/** The part of a span behind a number of rows, counted from there. */
const behind = (rows: number, { from, to }: Span): Span => ({ from: Math.max(0, from - rows), to: Math.max(0, to - rows) });

/** Limits the length of a page. Rows are as long as their data, so these numbers of characters, and of timeline steps, count as one more row. */
const [ROW_CHARACTERS, ROW_STEPS] = [1_024, 20];

const costOf = ({ point: { point } }: Row): number => 1 + Math.floor((point.actualData?.length ?? 0) / ROW_CHARACTERS);

/** The rows that fit, at least one if there is any, and their cost. */
const affordable = (rows: readonly Row[], room: number): Readonly<{ shown: readonly Row[]; cost: number }> => {
  let [end, cost] = [0, 0];
  for (; end < rows.length && (end === 0 || cost < room); end++) cost += costOf(rows[end] as Row);
  return { shown: rows.slice(0, end), cost };
};

/** A metric with those of its points that are in the span, and the number of all. A point is listed at its instant, unless another one of that instant counts. */
const metricOf = (
  plan: Plan,
  { group, metric, now }: Readonly<{ group: string; metric: MetricDay; now: number }>,
  points: PointsOfDays,
  span: Span,
): Readonly<{ explained: ExplainedMetric; count: number }> => {
  const of = (all: PointsOfDays['today']): readonly MetricPoint[] => all.get(metric.metric) ?? [];
  const [today, before] = [of(points.today), lastBefore(plan, group, of(points.before))];
  const first: readonly ExplainedPoint[] = before ? [{ point: before, use: 'counts', day: 'before' }] : [];
  const used = usesOfPoints(plan, group, today, now, behind(first.length, span));
  const instants = new Set(used.map(({ point }) => point.at));
  const listed = new Map(metric.points.filter(({ at }) => instants.has(at)).map((one) => [one.at, one]));
  const own = used.map(({ point, use }): ExplainedPoint => {
    const shown = use === 'counts' ? listed.get(point.at) : undefined;
    return { point, use, day: 'same', ...(shown && { listed: shown }) };
  });
  const explained = { metric: metric.metric, previous: metric.previous, points: [...first.slice(span.from, span.to), ...own] };
  return { explained, count: first.length + today.length };
};

/** Explains figures: collects all their inputs in the same way as the computation does. */
export class Explainer {
  constructor(
    private readonly parts: ExplainerParts,
    private readonly slice: Slice = new TimeSlice(),
  ) {}

  /**
   * @param limit approximate number of endpoints and points together
   * @returns `undefined`: the group has no results on that day
   * @throws ReadStoreUnavailable; DomainError `OVER_LIMIT`
   */
  async explain(question: ExplainedDay, start: RowPlace, limit: number): Promise<Explanation | undefined> {
    const { tenantId, report: name } = question;
    const document = await this.parts.reports.byName({ tenantId, name });
    if (!document) return undefined;
    const settings = settingsOf(tenantId, name, document);
    return readAnew(this.parts.configurations, question.day, () => this.once(settings, question, start, limit));
  }

  private async once(
    settings: ReportSettings,
    { tenantId, report, group: name, day }: ExplainedDay,
    start: RowPlace,
    limit: number,
  ): Promise<Explanation | undefined> {
    const configuration = (await this.parts.configurations.during(settings, { from: day, to: day })).get(day);
    const plan = configuration && (await this.parts.plans.plan(settings, configuration));
    const planned = plan?.groups.get(name);
    const computed = await this.groupOf(tenantId, report, name, day);
    if (!configuration || !plan || !planned || !computed) return undefined;
    const { group, seconds, now } = computed;
    return {
      settings,
      configuration,
      defaults: plan.operations.defaults,
      seconds,
      group,
      functions: functionDays(plan, group.services),
      supergroups: [...plan.supergroups].flatMap(([supergroup, names]) => (names.includes(name) ? [supergroup] : [])),
      weight: plan.weights.get(name) ?? 0,
      ...(await this.page(tenantId, plan, planned, { start, limit, now })),
    };
  }

  private async groupOf(tenantId: string, name: string, group: string, day: Day) {
    const reader = await this.parts.results.report(tenantId, name);
    if (!reader) return undefined;
    const since = Math.floor((reader.now - Date.parse(day)) / 1_000);
    for await (const { groups, seconds } of reader.details({ from: day, to: day }, group)) {
      const [found] = groups;
      if (found) return { group: found, seconds, now: Math.min(since, DAY_SECONDS) };
    }
    return undefined;
  }

  private async page(
    tenantId: string,
    plan: Plan,
    group: PlannedGroup,
    { start, limit, now }: Readonly<{ start: RowPlace; limit: number; now: number }>,
  ): Promise<Pick<Explanation, 'endpoints' | 'next'>> {
    const endpoints: ExplainedEndpoint[] = [];
    let room = limit;
    let { row } = start;
    for (let index = start.endpoint; index < group.endpoints.length; index++) {
      if (room <= 0) return { endpoints, next: { endpoint: index, row: 0 } };
      const planned = group.endpoints[index];
      if (!planned) break;
      const { whole, rows, count } = await this.endpoint(tenantId, plan, { group, index, planned }, now, { from: row, to: row + room });
      const { shown, cost } = affordable(rows, room);
      endpoints.push(partOf(whole, shown, row === 0 && shown.length === count));
      room -= 1 + cost + Math.floor(whole.day.timeline.length / ROW_STEPS);
      if (row + shown.length < count) return { endpoints, next: { endpoint: index, row: row + shown.length } };
      row = 0;
    }
    return { endpoints, next: null };
  }

  /** An endpoint with its rows in the span, and the number of all: it can have a million points. */
  private async endpoint(
    tenantId: string,
    plan: Plan,
    place: Readonly<{ group: PlannedGroup; index: number; planned: PlannedEndpoint }>,
    now: number,
    span: Span,
  ): Promise<Readonly<{ whole: ExplainedEndpoint; rows: readonly Row[]; count: number }>> {
    const { group, planned } = place;
    const { service, host } = planned;
    const wanted = { service, host, places: [place] };
    let points: PointsOfDays = { today: new Map(), before: new Map() };
    for await (const page of this.parts.endpointsPoints.inOrder(tenantId, plan.day, [wanted])) points = page[0]?.points ?? points;
    const metrics: ExplainedMetric[] = [];
    let count = 0;
    const explain = (metric: MetricDay): void => {
      const found = metricOf(plan, { group: group.name, metric, now }, points, behind(count, span));
      metrics.push(found.explained);
      count += found.count;
    };
    const { day } = await inTurns(computingEndpoint(plan, group.name, planned, points, now, explain), this.slice);
    const rows = metrics.flatMap(({ points: all }, metric) => all.map((point): Row => ({ metric, point })));
    const downtimes = plan.downtimes.get(endpointKey(service, host)) ?? [];
    return { whole: { service, day, downtimes, metrics }, rows, count };
  }
}

/** The endpoint with some of its rows. Only the metrics of these rows are included, unless the endpoint is complete. */
const partOf = (endpoint: ExplainedEndpoint, rows: readonly Row[], whole: boolean): ExplainedEndpoint => {
  if (whole) return endpoint;
  const points = new Map<number, ExplainedPoint[]>();
  for (const { metric, point } of rows) points.set(metric, [...(points.get(metric) ?? []), point]);
  const metrics = endpoint.metrics.flatMap((metric, index) => {
    const some = points.get(index);
    return some ? [{ ...metric, points: some }] : [];
  });
  return { ...endpoint, metrics };
};
