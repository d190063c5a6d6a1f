import { Inject, Injectable } from '@nestjs/common';
import type { AnswerBudget } from '#api/status/answers/answer-memory.js';
import * as errors from '#api/status/errors.js';
import type { Day } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { ListedPoint, MetricDay } from '#domain/status/results/results.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import {
  type EndpointMetrics,
  type EndpointTimeline,
  MetricDataQueries,
  type MetricOfDay,
  POINT_BYTES,
  type TimelineDocument,
  timelineDocument,
} from '#projections/status/metric-data/queries.js';
import {
  type EndpointMetrics as ComputedEndpoint,
  type DaySpan,
  RESULTS,
  type ReportReader,
  type Results,
} from '#projections/status/results/report-reader.js';
import { byMembers } from '#projections/status/text-order.js';
import { expectedItems } from './expecting.js';

/** The endpoint whose points are listed, and the name of the report. */
type ListedMetrics = EndpointMetrics & Readonly<{ name: string }>;

type Info = TimelineDocument['info'];
type ComputedMetric = Readonly<{ metric: string; day: Day; computed: MetricDay }>;
/** Days of metrics with points, in the order of metric and day, and the `info` of the endpoint. */
export type ListedPoints = Readonly<{ info: Info; days: readonly (ComputedMetric | MetricOfDay)[] }>;
/** Points by metric. */
type ReceivedPoints = Awaited<ReturnType<MetricDataQueries['firstCounting']>>;
/** `info`: of the endpoint on the first of these days. */
type Computed = Readonly<{ metrics: readonly ComputedMetric[]; info: Info }>;

/** Memory of one part of an answer: reserves what it has grown by. @throws StatusError 503 if memory is short */
const holding = ({ grow, isGone }: AnswerBudget): ((bytes: number) => void) => {
  let held = 0;
  return (bytes) => {
    if (isGone()) throw errors.nobodyWaits();
    if (bytes > held && !grow(bytes - held)) throw errors.unavailable();
    held = Math.max(held, bytes);
  };
};

/** The metrics of an endpoint on consecutive days. */
class ComputedDays {
  readonly metrics: ComputedMetric[] = [];
  info: Info;
  private days = 0;
  private points = 0;
  private size = 0;

  constructor(private readonly hold: (bytes: number) => void) {}

  /** @throws DomainError `OVER_LIMIT`, StatusError 503 if memory is short */
  add(day: Day, { info, metrics }: ComputedEndpoint): void {
    if (this.days === 0) this.info = info;
    this.days += 1;
    for (const computed of metrics) {
      this.metrics.push({ metric: computed.metric, day, computed });
      this.points += computed.points.length;
      for (const { actualData = '', originalStatus = '', thresholdRule = '' } of computed.points)
        this.size += actualData.length + originalStatus.length + thresholdRule.length;
    }
    if (this.days > STATUS_LIMITS.daysPerAnswer.value) throw overLimit('daysPerAnswer');
    if (this.points > STATUS_LIMITS.resultsPerAnswer.value) throw overLimit('resultsPerAnswer');
    if (this.size > STATUS_LIMITS.statusTexts.value) throw overLimit('statusTexts');
    this.hold(POINT_BYTES * this.points + this.size);
  }
}

const byMetricAndDay = byMembers('metric', 'day');

const instant = (day: Day, second: number): string => `${day}T${new Date(second * 1_000).toISOString().slice(11, 19)}Z`;

const documentOf = ({ metric, day, computed: { previous } }: ComputedMetric, point: ListedPoint): TimelineDocument => {
  const { at, status, actualData, thresholdRule, originalStatus } = point;
  return {
    metric,
    timestamp: instant(day, at),
    value: status,
    previous_timestamp: previous.timestamp,
    previous_state: previous.status,
    ...(actualData !== undefined && { actual_data: actualData }),
    ...(thresholdRule !== undefined && { threshold_rule_applied: thresholdRule }),
    ...(originalStatus !== undefined && { original_status: originalStatus }),
  };
};

/** The points of a metric on a day in the format of answers. */
export function* documentsOf(one: ListedPoints['days'][number]): Generator<TimelineDocument> {
  if ('computed' in one) for (const point of one.computed.points) yield documentOf(one, point);
  else for (const point of one.points) yield timelineDocument(one.day, point);
}

const asReceived = (days: readonly MetricOfDay[]): ListedPoints => {
  const [first] = days[0] ? documentsOf(days[0]) : [];
  return { info: first?.info, days };
};

/** Points of an endpoint's metrics in a report (results contract 12.4): computed ones for days that can be computed, else received ones. */
@Injectable()
export class MetricTimelines {
  constructor(
    private readonly metrics: MetricDataQueries,
    @Inject(RESULTS) private readonly results: Results,
  ) {}

  /** @throws DomainError `OVER_LIMIT`, StatusError 503 if memory is short */
  async of(endpoint: ListedMetrics, span: DaySpan, budget: AnswerBudget): Promise<ListedPoints> {
    const report = await this.results.report(endpoint.tenantId, endpoint.name, budget.isGone);
    const received = { ...endpoint, expecting: (day: Day) => expectedItems(report, day) };
    const timeline = (wanted?: (day: Day) => boolean) => this.metrics.timeline(received, span, new TimeSlice(), wanted, holding(budget));
    if (!report?.computations.status) return asReceived(await timeline());
    const computed = await this.computed(report, endpoint, span, budget);
    const others = await this.daysNotComputed(report, received, span);
    const asTheyCame = asReceived(await timeline((day) => others.has(day)));
    if (computed.metrics.length === 0) return asTheyCame;
    const days = [...computed.metrics.filter(({ computed: { points } }) => points.length > 0), ...asTheyCame.days];
    await sortInSlices(days, byMetricAndDay, new TimeSlice());
    const isReceived = days[0] !== undefined && days[0] === asTheyCame.days[0];
    const info = computed.info ?? (isReceived ? asTheyCame.info : await this.infoOfFirst(report, endpoint, computed.metrics));
    return { info, days };
  }

  private async computed(
    report: ReportReader,
    { group, service, host, metric }: ListedMetrics,
    span: DaySpan,
    budget: AnswerBudget,
  ): Promise<Computed> {
    const found = new ComputedDays(holding(budget));
    for await (const { day, endpoints } of report.metrics(span, { group, service, host, ...(metric !== undefined && { metric }) }))
      for (const endpoint of endpoints) found.add(day, endpoint);
    await sortInSlices(found.metrics, byMetricAndDay, new TimeSlice());
    return found;
  }

  /** The `info` of the first computed point that was received: others are carried over, or begin or end windows. */
  private async infoOfFirst(report: ReportReader, endpoint: ListedMetrics, metrics: readonly ComputedMetric[]): Promise<Info> {
    const days = new Map<Day, ReceivedPoints>();
    for (const { metric, day, computed } of metrics) {
      const received = days.get(day) ?? (await this.firstReceived(report, endpoint, day));
      days.set(day, received);
      const first = received.get(metric);
      if (first && computed.points.some(({ at }) => at === first.at)) return first.extras?.info;
    }
    return undefined;
  }

  private async firstReceived(report: ReportReader, endpoint: ListedMetrics, day: Day): Promise<ReceivedPoints> {
    const plan = await report.plan(day);
    return plan ? this.metrics.firstCounting({ ...endpoint, plan }, new TimeSlice()) : new Map();
  }

  /** Days whose points name the report and that cannot be computed. */
  private async daysNotComputed(report: ReportReader, endpoint: EndpointTimeline, span: DaySpan): Promise<ReadonlySet<Day>> {
    const days = new Set<Day>();
    for await (const day of this.metrics.timelineDays(endpoint, span, new TimeSlice())) if (!(await report.expected(day))) days.add(day);
    return days;
  }
}
