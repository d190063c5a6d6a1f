import { dayOf } from '#domain/shared/time.js';
import { METRIC_DATA_CATEGORY, type MetricResult, type MetricResultsRecorded } from '#domain/status/metric-data/metric-data.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import type { DocumentRef } from '#projections/shared/collection.js';
import type { Headed } from '#projections/shared/headed.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import {
  type EndpointDocument,
  type LatestDocument,
  METRIC_DATA,
  metricCollections,
  type ResultDetail,
  type ResultHead,
  type TimelineDocument,
} from './documents.js';

const { results, timelines, latest, latestOfGroup, endpoints, statuses } = metricCollections;

type Recorded = EventOf<MetricResultsRecorded>;
type ReportResult = MetricResult & Readonly<{ report: string }>;

const isOfReport = (result: MetricResult): result is ReportResult => result.report !== undefined;

/** The members that are not empty, in their order. */
const filled = <T extends object>(members: T): Partial<T> => {
  const kept: Partial<T> = {};
  for (const name in members) if (members[name] !== undefined && members[name] !== '') kept[name] = members[name];
  return kept;
};

const resultDocument = (result: MetricResult): Headed<ResultHead, ResultDetail> => {
  const { service, metric, timestamp, status, report, info, actual_data, threshold_rule_applied, original_status } = result;
  return {
    head: { service, metric, timestamp, status, ...filled({ report, info }) },
    body: {
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

const endpointOf = (tenantId: string, host: string, { report, timestamp, service, endpoint_group }: ReportResult) =>
  endpoints.at({ tenantId, report, day: dayOf(timestamp), host, service, group: endpoint_group });

/** The endpoints that the event touches, each once, in the order in which it comes to them. */
const endpointsIn = ({ data: { tenantId, host, results: all } }: Recorded): readonly DocumentRef<EndpointDocument>[] => {
  const touched = new Map<string, DocumentRef<EndpointDocument>>();
  for (const result of all) {
    if (!isOfReport(result)) continue;
    const endpoint = endpointOf(tenantId, host, result);
    if (!touched.has(endpoint.key)) touched.set(endpoint.key, endpoint);
  }
  return [...touched.values()];
};

/**
 * The last point of each endpoint and day that the event touches; of two at one second the one that came later.
 * @param stored those of {@link endpointsIn} before the event
 */
const endpointChanges = (
  { data: { tenantId, host, results: all } }: Recorded,
  stored: readonly (EndpointDocument | undefined)[],
): readonly DocumentChange[] => {
  const last = new Map<string, { endpoint: DocumentRef<EndpointDocument>; document: EndpointDocument | undefined; isNew: boolean }>();
  for (const result of all) {
    if (!isOfReport(result)) continue;
    const { timestamp, endpoint_group, service, status, info } = result;
    const endpoint = endpointOf(tenantId, host, result);
    const point = last.get(endpoint.key) ?? { endpoint, document: stored[last.size], isNew: false };
    last.set(endpoint.key, point);
    if (point.document && point.document.timestamp > timestamp) continue;
    point.document = { timestamp, endpoint_group, service, endpoint: host, status, ...filled({ info }) };
    point.isNew = true;
  }
  return [...last.values()].flatMap(({ endpoint, document, isNew }) => (isNew && document ? endpoints.putAt(endpoint, document) : []));
};

const resultChanges = (event: Recorded, result: MetricResult, index: number): readonly DocumentChange[] => {
  const { tenantId, host } = event.data;
  const { report, endpoint_group: group, service, metric, timestamp, status, info } = result;
  const day = dayOf(timestamp);
  const time = timestamp.slice(11, 19);
  const sequence = `${String(event.position).padStart(20, '0')}.${String(index).padStart(3, '0')}`;
  const ofHost = results.put({ tenantId, host, day, metric, time, service, sequence }, resultDocument(result));
  if (report === undefined) return [ofHost];
  const place = { tenantId, report, group, day, time, sequence, service, host, metric, status };
  const newest = latestDocument(host, result);
  return [
    ofHost,
    timelines.put(place, timelineDocument(result)),
    latest.put(place, newest),
    latestOfGroup.put(place, newest),
    statuses.put(place, { service, hostname: host, metric, status, ...filled({ info }) }),
  ];
};

/** Metric results, once for each way in which they are read. */
export const metricDataProjection = readModel<MetricResultsRecorded | TenantDeleted>(
  {
    name: METRIC_DATA,
    version: 1,
    service: 'status',
    categories: [METRIC_DATA_CATEGORY, TENANTS_CATEGORY],
    collections: Object.values(metricCollections),
    partitionsOf: tenantPartitionsOf([METRIC_DATA_CATEGORY]),
  },
  {
    MetricResultsRecorded: reading(
      (event: Recorded) => ({ touched: endpointsIn(event) }),
      (event, { touched }) => [
        ...event.data.results.flatMap((result, index) => resultChanges(event, result, index)),
        ...endpointChanges(event, touched),
      ],
    ),
    TenantDeleted: ({ data }) => Object.values(metricCollections).map((one) => one.removeUnder(`${data.tenantId}/`)),
  },
);
