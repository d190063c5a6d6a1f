import type { Day } from '#domain/shared/time.js';
import type { ReportComputations } from '#domain/status/reports/reports.js';
import type { Plan, PlannedGroup } from '#domain/status/results/plan.js';
import type { GroupDay, MetricDay, ResultsDay } from '#domain/status/results/results.js';

/** Both days included. */
export type DaySpan = Readonly<{ from: Day; to: Day }>;

/** What is left out matches everything. */
export type EndpointFilter = Readonly<{ group?: string; service?: string; host?: string; metric?: string }>;

/** The metrics of an endpoint of a group, by name. */
export type EndpointMetrics = Readonly<{
  group: string;
  service: string;
  host: string;
  info?: Readonly<Record<string, string>>;
  metrics: readonly MetricDay[];
}>;

/**
 * Computed results of one report, as they are at one moment: `now` is the same in all calls. Days without results are left out, the others come in
 * order. Whether the report wants availability, statuses or trends at all (`computations`) is for the caller to look at. All calls throw
 * ReadStoreUnavailable; work is done in slices of time.
 */
export interface ReportReader {
  readonly id: string;
  readonly name: string;
  /** From the outermost group inwards; results exist only for two. */
  readonly types: readonly string[];
  readonly computations: ReportComputations;
  readonly disabled: boolean;
  /** Milliseconds since 1970, UTC. */
  readonly now: number;

  /**
   * How much there is to read: entries of the lists of endpoint groups, or of endpoints, that hold on the days of the span that may have results, counted
   * for each day. No list is read for that.
   * @throws DomainError `OVER_LIMIT`: more days than a call may cover
   */
  itemDays(span: DaySpan, kind: 'groups' | 'endpoints'): Promise<number>;

  /** Groups and groups of groups. */
  days(span: DaySpan): AsyncIterable<ResultsDay>;

  /** The same with services, endpoints and counts of metrics; `group`: of that endpoint group only, days without it are left out. */
  details(span: DaySpan, group?: string): AsyncIterable<ResultsDay<GroupDay>>;

  /** Listed points (results contract 3), by group, service and host. Only of metrics that are expected. A day with many endpoints comes in several parts. */
  metrics(span: DaySpan, filter: EndpointFilter): AsyncIterable<Readonly<{ day: Day; endpoints: readonly EndpointMetrics[] }>>;

  /** Whether the configuration of the day allows to compute it at all, with or without points (results contract 1). */
  isComputable(day: Day): Promise<boolean>;

  /** The items that are expected on a day, by endpoint group as in a plan; `undefined`: the day cannot be computed. With or without points. */
  expected(day: Day): Promise<ReadonlyMap<string, PlannedGroup> | undefined>;

  /** What the results of a day are made of besides points, with or without them; `undefined`: the day cannot be computed. */
  plan(day: Day): Promise<Plan | undefined>;
}

/** Computed results of the reports of tenants. */
export interface Results {
  /** `undefined`: the tenant has no report of that name. */
  report(tenantId: string, name: string): Promise<ReportReader | undefined>;
}

/** For injection into what answers calls: reading is bounded. */
export const RESULTS = Symbol('Results');

/** The same for work in the background, without the bounds of calls. */
export const BACKGROUND_RESULTS = Symbol('BackgroundResults');
