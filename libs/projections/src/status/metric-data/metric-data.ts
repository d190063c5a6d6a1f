import { dayOf } from '#domain/shared/time.js';
import { METRIC_DATA_CATEGORY, type MetricResult, type MetricResultsRecorded } from '#domain/status/metric-data/metric-data.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import { defineProjection, type EventOf } from '#projections/shared/define.js';
import { keyOf } from '#projections/shared/key-part.js';
import {
  type DocumentChange,
  type DocumentCodec,
  type Projection,
  put,
  type ReadDocument,
  removePrefix,
} from '#projections/shared/projection.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { byTenant } from '#projections/status/partitions.js';

export const METRIC_DATA_PROJECTION = 'status.metric-data';

/**
 * Every read of a day, or of a span of days, is one range of one collection. Names are {@link keyOf} parts, so their order in a key is not
 * always that of the names; `<sequence>` is the place of the result in the log. A result that names no report stands in `results` only.
 */
export const metricCollections = {
  /** `<tenant>/<host>/<day>/<metric>/<time>/<service>/<sequence>` → {@link ResultDocument} */
  results: 'results',
  /** `<tenant>/<report>/<group>/<service>/<host>/<day>/<metric>/<time>/<sequence>` → {@link TimelineDocument} */
  timelines: 'timelines',
  /** `<tenant>/<report>/<day>/<time>/<sequence>` → {@link LatestDocument} */
  latest: 'latest',
  /** `<tenant>/<report>/<group>/<day>/<time>/<sequence>` → {@link LatestDocument} */
  latestOfGroup: 'latest-of-group',
  /** `<tenant>/<report>/<day>/<host>/<service>/<group>` → {@link EndpointDocument}: the last point of the endpoint on that day. */
  endpoints: 'endpoints',
  /** `<tenant>/<report>/<group>/<day>/<service>/<host>/<metric>/<status>` → {@link StatusDocument}: the metric had that status on that day. */
  statuses: 'statuses',
} as const;

/** A metric's values in the answers on results of a host; members in the order of the wire (status contract 13.3). */
export type ResultDocument = Readonly<{
  /** What answers are sorted, filtered and grouped by. */
  head: Readonly<{ service: string; metric: string; timestamp: string; status: string; report?: string; info?: MetricResult['info'] }>;
  detail: Readonly<{
    Timestamp: string;
    Value: string;
    Summary: string;
    Message: string;
    actual_data?: string;
    threshold_rule_applied?: string;
    original_status?: string;
  }>;
}>;

/** A point of the timeline of a metric; what is empty is left out (status contract 14). */
export type TimelineDocument = Readonly<{ metric: string; timestamp: string; value: string }> &
  Pick<MetricResult, 'previous_timestamp' | 'previous_state' | 'info' | 'actual_data' | 'threshold_rule_applied' | 'original_status'>;

/** Members in the order of the wire (extended contract 8). */
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

/** Members in the order of the wire (extended contract 7), like those of {@link StatusDocument}. */
export type EndpointDocument = Readonly<{
  timestamp: string;
  endpoint_group: string;
  service: string;
  endpoint: string;
  status: string;
  info?: MetricResult['info'];
}>;
export type StatusDocument = Readonly<{ service: string; hostname: string; metric: string; status: string; info?: MetricResult['info'] }>;

/** How deep an element of `Details` stands in an answer (status contract 13.3). */
export const DETAIL_DEPTH = 6;
/** How deep an element of `metric_data` stands in an answer (extended contract 8). */
export const LATEST_DEPTH = 3;

/** A line with the head, then the detail as it stands in an answer. */
const resultCodec: DocumentCodec = {
  encode: (document) => {
    const { head, detail } = document as ResultDocument;
    return `${JSON.stringify(head)}\n${wireText(detail, DETAIL_DEPTH)}`;
  },
  decode: (text) => {
    const end = text.indexOf('\n');
    return { head: JSON.parse(text.slice(0, end)), detail: JSON.parse(text.slice(end)) };
  },
};
const wireCodec = (depth: number): DocumentCodec => ({ encode: (document) => wireText(document, depth), decode: JSON.parse });

/** The members that have something to say, in their order. */
const filled = <T extends object>(members: T): Partial<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== '')) as Partial<T>;

const resultDocument = (result: MetricResult): ResultDocument => {
  const { service, metric, timestamp, status, report, info, actual_data, threshold_rule_applied, original_status } = result;
  return {
    head: { service, metric, timestamp, status, ...filled({ report, info }) },
    detail: {
      Timestamp: timestamp,
      Value: status,
      Summary: result.summary,
      Message: result.message,
      ...filled({ actual_data, threshold_rule_applied, original_status }),
    },
  };
};

const timelineDocument = (result: MetricResult): TimelineDocument => {
  const { metric, timestamp, status, previous_timestamp, previous_state, info } = result;
  const { actual_data, threshold_rule_applied, original_status } = result;
  return {
    metric,
    timestamp,
    value: status,
    ...filled({ previous_timestamp, previous_state, info, actual_data, threshold_rule_applied, original_status }),
  };
};

const latestDocument = (host: string, result: MetricResult): LatestDocument => {
  const { endpoint_group, service, metric, timestamp, status, summary, message } = result;
  return { endpoint_group, service, endpoint: host, metric, timestamp, status, ...filled({ summary, message }) };
};

type Recorded = EventOf<MetricResultsRecorded>;
type ReportResult = MetricResult & Readonly<{ report: string }>;

const isOfReport = (result: MetricResult): result is ReportResult => result.report !== undefined;

const endpointKey = (tenantId: string, host: string, { report, timestamp, service, endpoint_group }: ReportResult): string =>
  keyOf(tenantId, report, dayOf(timestamp), host, service, endpoint_group);

/** The last point of each endpoint and day that the event touches; of two at one second the one that came later. */
const endpointChanges = ({ data: { tenantId, host, results } }: Recorded, read: ReadDocument): readonly DocumentChange[] => {
  const last = new Map<string, EndpointDocument>();
  for (const result of results.filter(isOfReport)) {
    const { timestamp, endpoint_group, service, status, info } = result;
    const key = endpointKey(tenantId, host, result);
    const known = last.get(key) ?? (read(metricCollections.endpoints, key) as EndpointDocument | undefined);
    if (known && known.timestamp > timestamp) continue;
    last.set(key, { timestamp, endpoint_group, service, endpoint: host, status, ...filled({ info }) });
  }
  return [...last].map(([key, document]) => put(metricCollections.endpoints, key, document));
};

const resultChanges = (event: Recorded, result: MetricResult, index: number): readonly DocumentChange[] => {
  const { tenantId, host } = event.data;
  const { report, endpoint_group, service, metric, timestamp, status, info } = result;
  const day = dayOf(timestamp);
  const time = timestamp.slice(11, 19);
  const sequence = `${String(event.position).padStart(20, '0')}.${String(index).padStart(3, '0')}`;
  const ofHost = put(metricCollections.results, keyOf(tenantId, host, day, metric, time, service, sequence), resultDocument(result));
  if (report === undefined) return [ofHost];
  const latest = latestDocument(host, result);
  const state: StatusDocument = { service, hostname: host, metric, status, ...filled({ info }) };
  return [
    ofHost,
    put(
      metricCollections.timelines,
      keyOf(tenantId, report, endpoint_group, service, host, day, metric, time, sequence),
      timelineDocument(result),
    ),
    put(metricCollections.latest, keyOf(tenantId, report, day, time, sequence), latest),
    put(metricCollections.latestOfGroup, keyOf(tenantId, report, endpoint_group, day, time, sequence), latest),
    put(metricCollections.statuses, keyOf(tenantId, report, endpoint_group, day, service, host, metric, status), state),
  ];
};

/** Metric results as each of the reads wants them. */
export const metricDataProjection: Projection = defineProjection<MetricResultsRecorded | TenantDeleted>({
  name: METRIC_DATA_PROJECTION,
  version: 1,
  service: 'status',
  categories: [METRIC_DATA_CATEGORY, TENANTS_CATEGORY],
  handles: ['MetricResultsRecorded', 'TenantDeleted'],
  partitions: byTenant([METRIC_DATA_CATEGORY], Object.values(metricCollections)),
  codecs: {
    [metricCollections.results]: resultCodec,
    [metricCollections.latest]: wireCodec(LATEST_DEPTH),
    [metricCollections.latestOfGroup]: wireCodec(LATEST_DEPTH),
    [metricCollections.endpoints]: wireCodec(RECORD_DEPTH),
    [metricCollections.statuses]: wireCodec(RECORD_DEPTH),
  },
  reads: ({ type, data }) => {
    if (type !== 'MetricResultsRecorded') return [];
    const keys = new Set(data.results.filter(isOfReport).map((result) => endpointKey(data.tenantId, data.host, result)));
    return [...keys].map((key) => ({ collection: metricCollections.endpoints, key }));
  },
  apply: (event, read) => {
    switch (event.type) {
      case 'MetricResultsRecorded':
        return [...event.data.results.flatMap((result, index) => resultChanges(event, result, index)), ...endpointChanges(event, read)];
      case 'TenantDeleted':
        return Object.values(metricCollections).map((collection) => removePrefix(collection, `${event.data.tenantId}/`));
    }
  },
});
