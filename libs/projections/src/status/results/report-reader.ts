import type { Day } from '#domain/shared/time.js';
import type { ReportComputations } from '#domain/status/reports/reports.js';
import type { Plan, PlannedGroup } from '#domain/status/results/plan.js';
import type { GroupDay, MetricDay, ResultsDay } from '#domain/status/results/results.js';
import type { GroupNames } from './group-names.js';

/** Both days are inclusive. */
export type DaySpan = Readonly<{ from: Day; to: Day }>;

/** Absent members match everything. */
export type EndpointFilter = Readonly<{ group?: string; service?: string; host?: string; metric?: string }>;

/** The metrics of an endpoint in a group, by name. */
export type EndpointMetrics = Readonly<{
  group: string;
  service: string;
  host: string;
  info?: Readonly<Record<string, string>>;
  metrics: readonly MetricDay[];
}>;

/**
 * Computed results of one report at one moment: `now` is the same in all calls. Days without results are absent, the others are in order. The caller
 * checks whether the report includes availability, statuses or trends (`computations`). All calls throw ReadStoreUnavailable. Work is divided into
 * time slices.
 */
export interface ReportReader {
  readonly id: string;
  readonly name: string;
  /** From the outermost group inwards. Results exist only for two types. */
  readonly types: readonly string[];
  readonly computations: ReportComputations;
  readonly disabled: boolean;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: number;

  /**
   * Amount of data to read: entries of the lists of endpoint groups, or of endpoints, that are valid on days of the span with possible results.
   * Entries are counted for each day. No list is read for this.
   * @throws DomainError `OVER_LIMIT`: more days than a call may cover
   */
  itemDays(span: DaySpan, kind: 'groups' | 'endpoints'): Promise<number>;

  /** Groups and groups of groups. */
  days(span: DaySpan): AsyncIterable<ResultsDay>;

  /** Like `days`, with services, endpoints and counts of metrics. `group`: only that endpoint group; days without it are absent. */
  details(span: DaySpan, group?: string): AsyncIterable<ResultsDay<GroupDay>>;

  /** Listed points (results contract 3) of expected metrics, by group, service and host. A day with many endpoints is returned in several parts. */
  metrics(span: DaySpan, filter: EndpointFilter): AsyncIterable<Readonly<{ day: Day; endpoints: readonly EndpointMetrics[] }>>;

  /** The items expected on a day, with or without points, by endpoint group as in a plan. `undefined`: the day cannot be computed (results contract 1). */
  expected(day: Day): Promise<ReadonlyMap<string, PlannedGroup> | undefined>;

  /** Names of the groups in `expected` and of their hosts. Empty: there are none, or the day cannot be computed. */
  names(day: Day): Promise<readonly GroupNames[]>;

  /** All inputs of a day's results except points. `undefined`: the day cannot be computed. */
  plan(day: Day): Promise<Plan | undefined>;
}

/** Computed results of the reports of tenants. */
export interface Results {
  /**
   * `undefined`: the tenant has no report with this name.
   * @param isGone returns whether the client of the call has disconnected, which ends large reads; default: it has not
   */
  report(tenantId: string, name: string, isGone?: () => boolean): Promise<ReportReader | undefined>;
}

/** Injection token for results in calls, with limits on the amount read. */
export const RESULTS = Symbol('Results');

/** Injection token for results in background work, without the limits of calls. */
export const BACKGROUND_RESULTS = Symbol('BackgroundResults');
