import { dayOf } from '#domain/shared/time.js';
import { METRIC_DATA_CATEGORY, type MetricResult, type MetricResultsRecorded } from '#domain/status/metric-data/metric-data.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import type { Headed } from '#projections/shared/headed.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { sequenceOf } from '#projections/status/sequence.js';
import {
  type EndpointDocument,
  type LatestDocument,
  type LatestDocuments,
  METRIC_DATA,
  type MetricOfDay,
  type MetricsDocument,
  metricCollections,
  NO_REPORT,
  type ResultDetail,
  type ResultHead,
  type TimelineDocument,
} from './documents.js';

const { results, timelines, latest, latestOfGroup, endpoints, metrics, statuses } = metricCollections;

type Recorded = EventOf<MetricResultsRecorded>;

/** A result with its index in its event. */
type Indexed = Readonly<{ result: MetricResult; index: number }>;
/** Results of an event that share a document. */
type Group = readonly [Indexed, ...Indexed[]];

/** Copies the non-empty members in their order. */
const filled = <T extends object>(members: T): Partial<T> => {
  const kept: Partial<T> = {};
  for (const name in members) if (members[name] !== undefined && members[name] !== '') kept[name] = members[name];
  return kept;
};

/** Groups the results by name, in the order of the event. Results without a name are skipped. */
const grouped = ({ data: { results } }: Recorded, nameOf: (result: MetricResult) => string | undefined): readonly Group[] => {
  const groups = new Map<string, [Indexed, ...Indexed[]]>();
  for (const [index, result] of results.entries()) {
    const name = nameOf(result);
    const group = name === undefined ? undefined : groups.get(name);
    if (group) group.push({ result, index });
    else if (name !== undefined) groups.set(name, [{ result, index }]);
  }
  return [...groups.values()];
};

const nameOf = (...parts: readonly (string | undefined)[]): string => JSON.stringify(parts);
const byHostAndSecond = (event: Recorded) => grouped(event, ({ host, timestamp }) => nameOf(host, timestamp));
const bySecondAndReport = (event: Recorded) => grouped(event, ({ timestamp, report }) => nameOf(timestamp, report));
const bySecondAndGroup = (event: Recorded) =>
  grouped(event, ({ timestamp, report, endpoint_group }) => (report === undefined ? undefined : nameOf(timestamp, report, endpoint_group)));
/** Points with a report or without one. */
const byEndpointAndDay = (event: Recorded, hasReport: boolean) =>
  grouped(event, ({ host, timestamp, report, service, endpoint_group }) =>
    hasReport === (report !== undefined) ? nameOf(host, dayOf(timestamp), report, service, endpoint_group) : undefined,
  );

/** The parts of keys that a result of the event has. */
const placeOf = ({ position, data: { tenantId } }: Recorded, { result, index }: Indexed) => {
  const { host, report = NO_REPORT, endpoint_group: group, service, metric, timestamp, status } = result;
  const sequence = sequenceOf(position, index);
  return { tenantId, report, group, day: dayOf(timestamp), time: timestamp.slice(11, 19), sequence, service, host, metric, status };
};

const headOf = ({ service, metric, timestamp, status, report, info }: MetricResult): ResultHead => ({
  ...{ service, metric, timestamp, status },
  ...filled({ report, info }),
});

const detailOf = (result: MetricResult): ResultDetail => {
  const { timestamp, status, summary, message, actual_data, threshold_rule_applied, original_status } = result;
  return {
    ...{ Timestamp: timestamp, Value: status, Summary: summary, Message: message },
    ...filled({ actual_data, threshold_rule_applied, original_status }),
  };
};

const resultsDocument = (group: Group): Headed<readonly ResultHead[], readonly ResultDetail[]> => ({
  head: group.map(({ result }) => headOf(result)),
  body: group.map(({ result }) => detailOf(result)),
});

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

const latestDocument = (result: MetricResult): LatestDocument => {
  const { endpoint_group, service, host: endpoint, metric, timestamp, status, summary, message } = result;
  return { endpoint_group, service, endpoint, metric, timestamp, status, ...filled({ summary, message }) };
};

const latestDocuments = (group: Group): LatestDocuments => ({
  head: group.map(({ index }) => index),
  body: group.map(({ result }) => latestDocument(result)),
});

/** The last point of an endpoint, if the event has it. Of two points in the same second, the later one in the log is kept. */
const lastPoint = (group: Group, stored: EndpointDocument | undefined): EndpointDocument | undefined => {
  let last: Pick<MetricResult, 'timestamp'> | undefined = stored;
  let document: EndpointDocument | undefined;
  for (const { result } of group) {
    const { timestamp, endpoint_group, service, host: endpoint, status, info } = result;
    if (last && last.timestamp > timestamp) continue;
    last = result;
    document = { timestamp, endpoint_group, service, endpoint, status, ...filled({ info }) };
  }
  return document;
};

/** A metric after one more point. */
const withPoint = (known: MetricOfDay | undefined, { timestamp, metric, status, info }: MetricResult, sequence: string): MetricOfDay => {
  const current = { status, ...filled({ info }) };
  const statuses = new Map(known?.statuses.map((one) => [one.status, one])).set(status, current);
  const last = known && known.timestamp > timestamp ? known : { metric, timestamp, sequence, ...current };
  return { ...last, statuses: [...statuses.values()] };
};

/** Text of a document of metrics that takes no further ones, so that no caller makes the next event of an endpoint costly. */
const FULL = 64 * 1024;

/** The place of the document of metrics that the events of an endpoint share on a day. */
const sharedPlace = (event: Recorded, [first]: Group) => ({ ...placeOf(event, first), sequence: '' });

/** The metrics of an endpoint after the points of the event. */
const metricsChange = (event: Recorded, group: Group, stored: MetricsDocument | undefined): DocumentChange => {
  const isFull = stored !== undefined && JSON.stringify(stored).length >= FULL;
  const { host: endpoint, service, endpoint_group } = group[0].result;
  const known = new Map(isFull ? [] : stored?.metrics.map((one) => [one.metric, one]));
  for (const { result, index } of group)
    known.set(result.metric, withPoint(known.get(result.metric), result, sequenceOf(event.position, index)));
  const place = isFull ? placeOf(event, group[0]) : sharedPlace(event, group);
  return metrics.put(place, { endpoint_group, service, endpoint, metrics: [...known.values()] });
};

/** Changes by a point with a report, apart from those that several points share. */
const pointChanges = (event: Recorded, result: MetricResult, index: number): readonly DocumentChange[] => {
  const { host: hostname, report, service, metric, status, info } = result;
  if (report === undefined) return [];
  const place = placeOf(event, { result, index });
  const inGroup = { service, hostname, metric, status, ...filled({ info }) };
  return [timelines.put(place, timelineDocument(result)), statuses.put(place, inGroup)];
};

/** Metric results, stored once per query. */
export const metricDataProjection = readModel<MetricResultsRecorded | TenantDeleted>(
  {
    name: METRIC_DATA,
    version: 4,
    readsFrom: 3, // first version in which results share documents
    service: 'status',
    categories: [METRIC_DATA_CATEGORY, TENANTS_CATEGORY],
    collections: Object.values(metricCollections),
    partitionsOf: tenantPartitionsOf([METRIC_DATA_CATEGORY]),
  },
  {
    MetricResultsRecorded: reading(
      (event: Recorded) => ({
        inReports: byEndpointAndDay(event, true).map((group) => ({ ...endpoints.at(placeOf(event, group[0])), group })),
        inAll: byEndpointAndDay(event, false).map((group) => ({ ...metrics.at(sharedPlace(event, group)), group })),
      }),
      (event, stored, { inReports, inAll }) => [
        ...byHostAndSecond(event).map((group) => results.put(placeOf(event, group[0]), resultsDocument(group))),
        ...bySecondAndReport(event).map((group) => latest.put(placeOf(event, group[0]), latestDocuments(group))),
        ...bySecondAndGroup(event).map((group) => latestOfGroup.put(placeOf(event, group[0]), latestDocuments(group))),
        ...event.data.results.flatMap((result, index) => pointChanges(event, result, index)),
        ...inReports.flatMap((place, index) => {
          const last = lastPoint(place.group, stored.inReports[index]);
          return last ? endpoints.putAt(place, last) : [];
        }),
        ...inAll.map(({ group }, index) => metricsChange(event, group, stored.inAll[index])),
      ],
    ),
    TenantDeleted: ({ data }) => Object.values(metricCollections).map((one) => one.removeUnder(`${data.tenantId}/`)),
  },
);
