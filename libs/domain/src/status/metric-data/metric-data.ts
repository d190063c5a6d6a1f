import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';
import { sha256 } from '#domain/shared/sha256.js';

/**
 * Result of one probe of a metric of a service on a host, as sent by the monitoring engine (status contract 13.1). Instants are UTC,
 * `YYYY-MM-DDTHH:MM:SSZ`. `report`: id of an existing or unknown report. Absent if the result is for every report. `endpoint_group`: empty if none
 * was given. `service` may be empty. Optional members are absent if empty.
 */
export type MetricResult = Readonly<{
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

/** Results of one host from one call, in the order of the call. Results share an event, because an event costs more than a result. */
export type MetricResultsRecorded = Readonly<{
  type: 'MetricResultsRecorded';
  data: Readonly<{ tenantId: string; host: string; results: readonly MetricResult[] }>;
}>;

type MetricDataCommand = Readonly<{ type: 'RecordMetricResults'; tenantId: string; host: string; results: readonly MetricResult[] }>;

export const METRIC_DATA_CATEGORY = 'status.metric_data';
export const metricDataEvents: CatalogueOf<MetricResultsRecorded> = { MetricResultsRecorded: { resource: none } };

const SAFE_HOST = /^[\w.:-]{1,128}$/;

/** One stream per host of a tenant. A long or unusual host name is replaced by its hash, prefixed with `~` to avoid collisions. */
export const streamOfMetricData = (tenantId: string, host: string): string =>
  `${METRIC_DATA_CATEGORY}-${tenantId}.${SAFE_HOST.test(host) ? host : `~${sha256(host)}`}`;

/** Results are independent facts without rules between them. */
export const metricData: Decider<null, MetricDataCommand, MetricResultsRecorded> = {
  window: 0,
  initialState: () => null,
  decide: ({ tenantId, host, results }) =>
    results.length > 0 ? [{ type: 'MetricResultsRecorded', data: { tenantId, host, results } }] : [],
  evolve: (state) => state,
};

/** A call with an `Idempotency-Key` was accepted. Its results go to the streams of their hosts. */
export type MetricDataSubmitted = Readonly<{ type: 'MetricDataSubmitted'; data: Readonly<{ tenantId: string; results: number }> }>;
type MetricCallCommand = Readonly<{ type: 'SubmitMetricData'; tenantId: string; results: number }>;

export const METRIC_CALLS_CATEGORY = 'status.metric_calls';
export const metricCallEvents: CatalogueOf<MetricDataSubmitted> = { MetricDataSubmitted: { resource: none } };

/** One stream per idempotency key, given as its hash. A different body with the same key is rejected there, before any host is changed. */
export const streamOfMetricCall = (key: string): string => `${METRIC_CALLS_CATEGORY}-${key}`;

export const metricCalls: Decider<null, MetricCallCommand, MetricDataSubmitted> = {
  window: 0,
  initialState: () => null,
  decide: ({ tenantId, results }) => [{ type: 'MetricDataSubmitted', data: { tenantId, results } }],
  evolve: (state) => state,
};
