import type { Day } from '#domain/shared/time.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import type { Point, PointTexts } from '#projections/status/metric-results/point-set.js';
import { timeOf } from '#projections/status/metric-results/rows.js';

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

export const timestampOf = (day: Day, { at }: Pick<Point, 'at'>): string => `${day}T${timeOf(at)}Z`;

export const infoOf = ({ extras }: Point): Pick<MetricResult, 'info'> => (extras?.info ? { info: extras.info } : {});

/** The point, of its extras only `info`. */
export const onlyInfo = (point: Point): Point => (point.extras ? { ...point, extras: infoOf(point) } : point);

export const resultHead = (day: Day, point: Point): ResultHead => {
  const { service, metric, report } = point.series;
  const head = { service, metric, timestamp: timestampOf(day, point), status: point.status };
  return { ...head, ...(report !== undefined && { report }), ...infoOf(point) };
};

/** The last three members, of which each result has its own. */
const computed = ({ extras = {} }: Point): Pick<MetricResult, 'actual_data' | 'threshold_rule_applied' | 'original_status'> => {
  const { actual_data, threshold_rule_applied, original_status } = extras;
  return {
    ...(actual_data !== undefined && { actual_data }),
    ...(threshold_rule_applied !== undefined && { threshold_rule_applied }),
    ...(original_status !== undefined && { original_status }),
  };
};

export const resultDetail = (day: Day, point: Point, { summary, message }: PointTexts): ResultDetail => ({
  ...{ Timestamp: timestampOf(day, point), Value: point.status, Summary: summary, Message: message },
  ...computed(point),
});

export const timelineDocument = (day: Day, point: Point): TimelineDocument => {
  const { previous_timestamp, previous_state } = point.extras ?? {};
  return {
    ...{ metric: point.series.metric, timestamp: timestampOf(day, point), value: point.status },
    ...(previous_timestamp !== undefined && { previous_timestamp }),
    ...(previous_state !== undefined && { previous_state }),
    ...infoOf(point),
    ...computed(point),
  };
};

export const latestDocument = (day: Day, point: Point, { summary, message }: PointTexts, group: string): LatestDocument => {
  const { service, host, metric } = point.series;
  return {
    ...{ endpoint_group: group, service, endpoint: host, metric, timestamp: timestampOf(day, point), status: point.status },
    ...(summary !== '' && { summary }),
    ...(message !== '' && { message }),
  };
};
