import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import { collection } from '#projections/shared/collection.js';
import { type Headed, headedCodec } from '#projections/shared/headed.js';
import { keyOf } from '#projections/shared/key-part.js';
import { itemsCodec, RECORD_DEPTH, wireCodec } from '#projections/status/layout.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const METRIC_DATA = 'status.metric-data';

/** Depth of an element of `Details` in an answer (status contract 13.3). */
export const DETAIL_DEPTH = 6;
/** Depth of an element of `metric_data` in an answer (status extended contract 8). */
export const LATEST_DEPTH = 3;

/** Members by which answers on the results of a host are sorted, filtered and grouped. */
export type ResultHead = Readonly<{
  service: string;
  metric: string;
  timestamp: string;
  status: string;
  report?: string;
  info?: MetricResult['info'];
}>;

/** A metric's values in answers on the results of a host, with members in wire order (status contract 13.3). */
export type ResultDetail = Readonly<{
  Timestamp: string;
  Value: string;
  Summary: string;
  Message: string;
  actual_data?: string;
  threshold_rule_applied?: string;
  original_status?: string;
}>;

/** A point of a metric's timeline (status contract 14). Empty members are absent. */
export type TimelineDocument = Readonly<{ metric: string; timestamp: string; value: string }> &
  Pick<MetricResult, 'previous_timestamp' | 'previous_state' | 'info' | 'actual_data' | 'threshold_rule_applied' | 'original_status'>;

/** Members in wire order (status extended contract 8). */
export type LatestDocument = Readonly<{
  endpoint_group: string;
  service: string;
  endpoint: string;
  metric: string;
  timestamp: string;
  status: string;
  summary?: string;
  message?: string;
}>;

/** The last point of an endpoint on a day in a report. Members are in wire order (status extended contract 7), like those of {@link StatusDocument}. */
export type EndpointDocument = Readonly<{
  timestamp: string;
  endpoint_group: string;
  service: string;
  endpoint: string;
  status: string;
  info?: MetricResult['info'];
}>;

/** A status that a metric had on a day in a report. */
export type StatusDocument = Readonly<{ service: string; hostname: string; metric: string; status: string; info?: MetricResult['info'] }>;

/** The last point of a metric on a day, and each status that it had on the day. */
export type MetricOfDay = Readonly<{
  metric: string;
  timestamp: string;
  sequence: string;
  status: string;
  info?: MetricResult['info'];
  statuses: readonly Pick<StatusDocument, 'status' | 'info'>[];
}>;

/**
 * The metrics of an endpoint on a day, from the points without a report and with the same group, or without one. When the document is full,
 * every further event has one of its own, with the sequence of its first point in the key.
 */
export type MetricsDocument = Readonly<{
  endpoint_group: string;
  service: string;
  endpoint: string;
  metrics: readonly MetricOfDay[];
}>;

/** Placeholder for the report in the keys of points without one. No report has this id. */
export const NO_REPORT = '';

type OfReport = Readonly<{ tenantId: string; report: string; day: string }>;
/** `sequence`: position of the result in the log, of several results that of the first one. */
type Point = Readonly<{ time: string; sequence: string }>;

/** Points of an event in one second, in its order. The head has the index of each among the results of the event. */
export type LatestDocuments = Headed<readonly number[], readonly LatestDocument[]>;

const details = itemsCodec(DETAIL_DEPTH);
const latestPoints = itemsCodec(LATEST_DEPTH);
const latestCodec = headedCodec(latestPoints.encode, latestPoints.decode);

/**
 * Every read of a day or a range of days is one range of one collection. Names are encoded with `keyOf`, so keys do not always sort like names.
 * Points without a report have keys of their own, because only the topology and profiles of a report determine where they count.
 * The results of an event share documents where their keys would differ only in the sequence or the metric.
 */
export const metricCollections = {
  results: collection<
    Headed<readonly ResultHead[], readonly ResultDetail[]>,
    Point & Readonly<{ tenantId: string; host: string; day: string }>
  >('results', {
    key: ({ tenantId, host, day, time, sequence }) => keyOf(tenantId, host, day, time, sequence),
    codec: headedCodec(details.encode, details.decode),
    owner: tenantFirst,
  }),
  timelines: collection<TimelineDocument, OfReport & Point & Readonly<{ group: string; service: string; host: string; metric: string }>>(
    'timelines',
    {
      key: ({ tenantId, report, group, service, host, day, metric, time, sequence }) =>
        keyOf(tenantId, report, group, service, host, day, metric, time, sequence),
      owner: tenantFirst,
    },
  ),
  latest: collection<LatestDocuments, OfReport & Point>('latest', {
    key: ({ tenantId, report, day, time, sequence }) => keyOf(tenantId, report, day, time, sequence),
    codec: latestCodec,
    owner: tenantFirst,
  }),
  latestOfGroup: collection<LatestDocuments, OfReport & Point & Readonly<{ group: string }>>('latest-of-group', {
    key: ({ tenantId, report, group, day, time, sequence }) => keyOf(tenantId, report, group, day, time, sequence),
    codec: latestCodec,
    owner: tenantFirst,
  }),
  endpoints: collection<EndpointDocument, OfReport & Readonly<{ host: string; service: string; group: string }>>('endpoints', {
    key: ({ tenantId, report, day, host, service, group }) => keyOf(tenantId, report, day, host, service, group),
    codec: wireCodec(RECORD_DEPTH),
    owner: tenantFirst,
  }),
  statuses: collection<
    StatusDocument,
    OfReport & Readonly<{ group: string; service: string; host: string; metric: string; status: string }>
  >('statuses', {
    key: ({ tenantId, report, group, day, service, host, metric, status }) =>
      keyOf(tenantId, report, group, day, service, host, metric, status),
    codec: wireCodec(RECORD_DEPTH),
    owner: tenantFirst,
  }),
  metrics: collection<
    MetricsDocument,
    Readonly<{ tenantId: string; day: string; group: string; host: string; service: string; sequence: string }>
  >('metrics', {
    key: ({ tenantId, day, group, host, service, sequence }) => keyOf(tenantId, day, group, host, service, sequence),
    owner: tenantFirst,
  }),
} as const;
