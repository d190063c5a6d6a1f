import type { BranchBody, ShownStatus } from '#api/status/answers/branches.js';
import { WIDE } from '#api/status/answers/xml.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { TimelineDocument } from '#projections/status/metric-data/queries.js';
import { documentsOf, type ListedPoints } from './metric-timelines.js';

/** The endpoint whose metrics are listed, and the type of its group. */
type ListedEndpoint = Readonly<{ group: string; groupType: string; service: string; host: string }>;
type Days = ListedPoints['days'];

/** The status of a metric before its first point; monitoring engines use the same default (status contract 14). */
const stateBefore = ({ timestamp, previous_timestamp, previous_state }: TimelineDocument): ShownStatus => ({
  timestamp: previous_timestamp ?? `${timestamp.slice(0, 10)}T00:00:00Z`,
  value: previous_state ?? 'MISSING',
});

function* statusesOf(days: Days, details: boolean): Generator<ShownStatus> {
  let isFirst = true;
  for (const day of days)
    for (const point of documentsOf(day)) {
      if (isFirst) yield stateBefore(point);
      isFirst = false;
      const { timestamp, value, actual_data, threshold_rule_applied, original_status } = point;
      yield { timestamp, value, ...(details && { details: { actual_data, threshold_rule_applied, original_status } }) };
    }
}

/**
 * The body of status contract 14. With `details` the points show the effect of thresholds. An empty one is laid out in XML like an empty metric result
 * (status contract 15).
 */
export const metricStatusesBody = (
  { group, groupType, service, host }: ListedEndpoint,
  { info, days }: ListedPoints,
  details: boolean,
): BranchBody => {
  if (days.length === 0) return { branches: { name: 'groups', items: [] }, layout: WIDE };
  const metrics = new Map<string, Days[number][]>();
  for (const day of days) getOrInsert(metrics, day.metric, () => []).push(day);
  const ofMetrics = Array.from(metrics, ([name, ofMetric]) => ({ ...named('metric', { name }), statuses: statusesOf(ofMetric, details) }));
  const endpoint = {
    tag: 'endpoint',
    attributes: { name: host },
    members: { name: host, info },
    below: { name: 'metrics', items: ofMetrics },
  };
  const ofService = { ...named('group', { name: service, type: 'service' }), below: { name: 'endpoints', items: [endpoint] } };
  const ofGroup = { ...named('group', { name: group, type: groupType }), below: { name: 'services', items: [ofService] } };
  return { branches: { name: 'groups', items: [ofGroup] } };
};

const named = (tag: string, names: Readonly<Record<string, string>>) => ({ tag, attributes: names, members: names });
