import { dayOf } from '#domain/shared/time.js';
import { METRIC_DATA_CATEGORY, type MetricResult, type MetricResultsRecorded } from '#domain/status/metric-data/metric-data.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import type { DocumentRef } from '#projections/shared/collection.js';
import type { Headed } from '#projections/shared/headed.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { sequenceOf } from '#projections/status/sequence.js';
import {
  type EndpointDocument,
  type LatestDocument,
  METRIC_DATA,
  type MetricHead,
  metricCollections,
  NO_REPORT,
  type ResultDetail,
  type ResultHead,
  type TimelineDocument,
} from './documents.js';

const { results, timelines, latest, latestOfGroup, endpoints, metrics, statuses } = metricCollections;

type Recorded = EventOf<MetricResultsRecorded>;
/** Copies the non-empty members in their order. */
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

/** A kind of last point that results change: its document, its time, and its content. Results without such a document are skipped. */
type LastPoints<Document> = Readonly<{
  at(event: Recorded, result: MetricResult): DocumentRef<Document> | undefined;
  timestampOf(document: Document): string;
  document(event: Recorded, result: MetricResult, index: number): Document;
  putAt(place: DocumentRef<Document>, document: Document): DocumentChange;
}>;

/** By endpoint, for points with a report. */
const ofEndpoints: LastPoints<EndpointDocument> = {
  at: ({ data: { tenantId, host } }, { report, timestamp, service, endpoint_group: group }) =>
    report === undefined ? undefined : endpoints.at({ tenantId, report, day: dayOf(timestamp), host, service, group }),
  timestampOf: ({ timestamp }) => timestamp,
  document: ({ data: { host } }, { timestamp, endpoint_group, service, status, info }) => {
    return { timestamp, endpoint_group, service, endpoint: host, status, ...filled({ info }) };
  },
  putAt: (place, document) => endpoints.putAt(place, document),
};

/** By metric, for points of every report, because only the requested report determines which metrics count. */
const ofMetrics: LastPoints<Headed<MetricHead, Pick<EndpointDocument, 'info'>>> = {
  at: ({ data: { tenantId, host } }, { report, timestamp, service, metric, endpoint_group: group }) =>
    report === undefined ? metrics.at({ tenantId, day: dayOf(timestamp), host, service, metric, group }) : undefined,
  timestampOf: ({ head: { timestamp } }) => timestamp,
  document: ({ position, data: { host } }, { timestamp, endpoint_group, service, metric, status, info }, index) => ({
    head: { timestamp, endpoint_group, service, endpoint: host, metric, status, sequence: sequenceOf(position, index) },
    body: filled({ info }),
  }),
  putAt: (place, document) => metrics.putAt(place, document),
};

/** The last points that the event changes, each once, in the order of the event. */
const placesIn = <Document>(event: Recorded, { at }: LastPoints<Document>): readonly DocumentRef<Document>[] => {
  const touched = new Map<string, DocumentRef<Document>>();
  for (const result of event.data.results) {
    const place = at(event, result);
    if (place && !touched.has(place.key)) touched.set(place.key, place);
  }
  return [...touched.values()];
};

/**
 * Changes of last points by an event. Of two points in the same second, the later one in the log is kept.
 * @param stored the documents of {@link placesIn} before the event
 */
const lastPointChanges = <Document>(
  event: Recorded,
  stored: readonly (Document | undefined)[],
  points: LastPoints<Document>,
): readonly DocumentChange[] => {
  const last = new Map<string, { place: DocumentRef<Document>; document: Document | undefined; isNew: boolean }>();
  for (const [index, result] of event.data.results.entries()) {
    const place = points.at(event, result);
    if (!place) continue;
    const point = last.get(place.key) ?? { place, document: stored[last.size], isNew: false };
    last.set(place.key, point);
    if (point.document && points.timestampOf(point.document) > result.timestamp) continue;
    point.document = points.document(event, result, index);
    point.isNew = true;
  }
  return [...last.values()].flatMap(({ place, document, isNew }) => (isNew && document ? points.putAt(place, document) : []));
};

const resultChanges = (event: Recorded, result: MetricResult, index: number): readonly DocumentChange[] => {
  const { tenantId, host } = event.data;
  const { report = NO_REPORT, endpoint_group: group, service, metric, timestamp, status, info } = result;
  const time = timestamp.slice(11, 19);
  const sequence = sequenceOf(event.position, index);
  const place = { tenantId, report, group, day: dayOf(timestamp), time, sequence, service, host, metric, status };
  const newest = latestDocument(host, result);
  const changes = [
    results.put(place, resultDocument(result)),
    latest.put(place, newest),
    statuses.put(place, { service, hostname: host, metric, status, ...filled({ info }) }),
  ];
  if (report !== NO_REPORT) changes.push(timelines.put(place, timelineDocument(result)), latestOfGroup.put(place, newest));
  return changes;
};

/** Metric results, stored once per query. */
export const metricDataProjection = readModel<MetricResultsRecorded | TenantDeleted>(
  {
    name: METRIC_DATA,
    version: 2,
    service: 'status',
    categories: [METRIC_DATA_CATEGORY, TENANTS_CATEGORY],
    collections: Object.values(metricCollections),
    partitionsOf: tenantPartitionsOf([METRIC_DATA_CATEGORY]),
  },
  {
    MetricResultsRecorded: reading(
      (event: Recorded) => ({ ofReports: placesIn(event, ofEndpoints), ofAll: placesIn(event, ofMetrics) }),
      (event, { ofReports, ofAll }) => [
        ...event.data.results.flatMap((result, index) => resultChanges(event, result, index)),
        ...lastPointChanges(event, ofReports, ofEndpoints),
        ...lastPointChanges(event, ofAll, ofMetrics),
      ],
    ),
    TenantDeleted: ({ data }) => Object.values(metricCollections).map((one) => one.removeUnder(`${data.tenantId}/`)),
  },
);
