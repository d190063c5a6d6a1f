import { sha256 } from '#domain/shared/bytes/sha256.js';
import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { JsonObject } from '#domain/shared/events.js';
import { none } from '#domain/shared/resource-change.js';

// Up to release 1.0.0 each host of a tenant had a stream, and a call with an idempotency key one of its own, for the key.

const SAFE_HOST = /^[\w.:-]{1,128}$/;

/** The stream in which releases up to 1.0.0 recorded the results of a host. */
export const streamOfHost = (tenantId: string, host: string): string =>
  `status.metric_data-${tenantId}.${SAFE_HOST.test(host) ? host : `~${sha256(host)}`}`;

/** Version 1 to 2: each result has the host of the event. */
export const withHosts = ({ host = '', results, ...rest }: JsonObject): JsonObject => ({
  ...rest,
  results: Array.isArray(results) ? results.map((result) => ({ host, ...(result as JsonObject) })) : [],
});

/** A call with an `Idempotency-Key` was accepted. Its results went to the streams of their hosts. */
export type MetricDataSubmitted = Readonly<{ type: 'MetricDataSubmitted'; data: Readonly<{ tenantId: string; results: number }> }>;

export const METRIC_CALLS_CATEGORY = 'status.metric_calls';
export const metricCallEvents: CatalogueOf<MetricDataSubmitted> = { MetricDataSubmitted: { resource: none } };

/** One stream per idempotency key, given as its hash. */
export const streamOfSubmission = (key: string): string => `${METRIC_CALLS_CATEGORY}-${key}`;
