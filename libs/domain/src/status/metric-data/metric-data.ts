import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';
import { withHosts } from './earlier-releases.js';

/**
 * Result of one probe of a metric of a service on a host, as sent by the monitoring engine (status contract 13.1). Instants are UTC,
 * `YYYY-MM-DDTHH:MM:SSZ`. `report`: id of an existing or unknown report. Absent if the result is for every report. `endpoint_group`: empty if none
 * was given. `service` may be empty. Optional members are absent if empty.
 */
export type MetricResult = Readonly<{
  host: string;
  timestamp: string;
  report?: string;
  endpoint_group: string;
  /** The engine that produced the result (results contract 1). */
  monitoring_host?: string;
  service: string;
  metric: string;
  status: string;
  summary: string;
  message: string;
  /** The metric's point before this one, usually of the previous day, and its status. */
  previous_timestamp?: string;
  previous_state?: string;
  info?: Readonly<Record<string, string>>;
  actual_data?: string;
  threshold_rule_applied?: string;
  original_status?: string;
}>;

/**
 * Results of one call, in its order, or of messages of a subscription. Results share an event, because an event costs more than a result. In events
 * of version 1 the host stood beside the results, all of one host.
 */
export type MetricResultsRecorded = Readonly<{
  type: 'MetricResultsRecorded';
  data: Readonly<{ tenantId: string; results: readonly MetricResult[] }>;
}>;

/** Bounds of an event, because read models process hundreds of them at a time. The index of a result in its event has three digits. */
const MOST_RESULTS = 999;
const MOST_BYTES = 256 * 1024;

/** Results of one event, and the size of their text. */
export type ResultsOfEvent = Readonly<{ results: readonly MetricResult[]; bytes: number }>;

/** Divides results into events, in their order. */
export class EventsOfResults {
  private readonly full: ResultsOfEvent[] = [];
  private results: MetricResult[] = [];
  private bytes = 0;

  /** @param bytes approximate size of their text */
  add(results: readonly MetricResult[], bytes: number): void {
    if (this.results.length + results.length > MOST_RESULTS || this.bytes + bytes > MOST_BYTES) this.close();
    this.results.push(...results);
    this.bytes += bytes;
  }

  /** All events; no further results may be added. */
  all(): readonly ResultsOfEvent[] {
    this.close();
    return this.full;
  }

  private close(): void {
    if (this.results.length > 0) this.full.push({ results: this.results, bytes: this.bytes });
    this.results = [];
    this.bytes = 0;
  }
}

type RecordMetricResults = Readonly<{ type: 'RecordMetricResults'; tenantId: string; events: readonly Pick<ResultsOfEvent, 'results'>[] }>;

export const METRIC_DATA_CATEGORY = 'status.metric_data';
export const metricDataEvents: CatalogueOf<MetricResultsRecorded> = {
  MetricResultsRecorded: { version: 2, upcasters: [withHosts], resource: none },
};

/** One stream per tenant. */
export const streamOfMetricData = (tenantId: string): string => `${METRIC_DATA_CATEGORY}-${tenantId}`;

/** Results are independent facts without rules between them. */
export const metricData: Decider<null, RecordMetricResults, MetricResultsRecorded> = {
  window: 0,
  expects: 'any',
  initialState: () => null,
  decide: ({ tenantId, events }) => events.map(({ results }) => ({ type: 'MetricResultsRecorded', data: { tenantId, results } })),
  evolve: (state) => state,
};

/** One stream per idempotency key, given as its hash: such a call needs an expected revision, so that no two nodes record it. */
export const streamOfKeyedCall = (tenantId: string, key: string): string => `${streamOfMetricData(tenantId)}.${key}`;

const { expects: _, ...exact } = metricData;
/** For {@link streamOfKeyedCall}. */
export const keyedMetricData: typeof metricData = exact;
