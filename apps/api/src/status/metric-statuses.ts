import { wireText } from '#projections/status/layout.js';
import type { TimelineDocument } from '#projections/status/metric-data.js';
import { byMembers } from './text-order.js';
import { NARROW, WIDE, type XmlElement, xmlOf } from './xml.js';

/** The endpoint whose metrics are listed, and the type of its group. */
export type ListedEndpoint = Readonly<{ group: string; groupType: string; service: string; host: string }>;

type Status = Readonly<{ timestamp: string; value: string }> &
  Pick<TimelineDocument, 'actual_data' | 'threshold_rule_applied' | 'original_status'>;
type MetricStatuses = Readonly<{ name: string; statuses: readonly Status[] }>;

/** Where a metric stood before its first point; a monitoring engine that knows nothing better says so too (extended contract 18.2). */
const stateBefore = ({ timestamp, previous_timestamp, previous_state }: TimelineDocument): Status => ({
  timestamp: previous_timestamp ?? `${timestamp.slice(0, 10)}T00:00:00Z`,
  value: previous_state ?? 'MISSING',
});

const statusOf = (point: TimelineDocument, details: boolean): Status => {
  const { timestamp, value, actual_data, threshold_rule_applied, original_status } = point;
  return details ? { timestamp, value, actual_data, threshold_rule_applied, original_status } : { timestamp, value };
};

/** The points of each metric in the order of time, behind the state before the first of them; metrics by name. */
const statusesOf = (points: readonly TimelineDocument[], details: boolean): readonly MetricStatuses[] => {
  const metrics = new Map<string, Status[]>();
  for (const point of [...points].sort(byMembers('metric', 'timestamp'))) {
    const statuses = metrics.get(point.metric);
    if (statuses) statuses.push(statusOf(point, details));
    else metrics.set(point.metric, [stateBefore(point), statusOf(point, details)]);
  }
  return [...metrics].map(([name, statuses]) => ({ name, statuses }));
};

/** The body of status contract 14. With `details` the points tell what thresholds did to them. */
export const metricStatusesJson = (endpoint: ListedEndpoint, points: readonly TimelineDocument[], details: boolean): string => {
  const [first] = points;
  if (!first) return wireText({ groups: [] });
  const { group, groupType, service, host } = endpoint;
  const listed = { name: host, info: first.info, metrics: statusesOf(points, details) };
  return wireText({ groups: [{ name: group, type: groupType, services: [{ name: service, type: 'service', endpoints: [listed] }] }] });
};

/** The same in XML, without info and threshold members; an empty one is laid out like an empty metric result (status contract 14, 15). */
export const metricStatusesXml = (endpoint: ListedEndpoint, points: readonly TimelineDocument[]): string => {
  if (points.length === 0) return xmlOf({ name: 'root' }, WIDE);
  const { group, groupType, service, host } = endpoint;
  const metrics = statusesOf(points, false).map(
    ({ name, statuses }): XmlElement => ({
      name: 'metric',
      attributes: { name },
      content: statuses.map(({ timestamp, value }) => ({ name: 'status', attributes: { timestamp, value } })),
    }),
  );
  const listed: XmlElement = { name: 'endpoint', attributes: { name: host }, content: metrics };
  const ofService: XmlElement = { name: 'group', attributes: { name: service, type: 'service' }, content: [listed] };
  return xmlOf({ name: 'root', content: [{ name: 'group', attributes: { name: group, type: groupType }, content: [ofService] }] }, NARROW);
};
