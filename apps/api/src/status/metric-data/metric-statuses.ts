import type { Pieces } from '#api/shared/answers/pieces.js';
import { line } from '#api/status/answers/json-texts.js';
import { NARROW, openTag, WIDE, xmlOf } from '#api/status/answers/xml.js';
import type { PeekedPages } from '#api/status/peeked-pages.js';
import { separatorAt, wireText } from '#projections/status/layout.js';
import type { TimelineDocument } from '#projections/status/metric-data/queries.js';
import { groupPieces } from './group-pieces.js';

/** The endpoint whose metrics are listed, and the type of its group. */
type ListedEndpoint = Readonly<{ group: string; groupType: string; service: string; host: string }>;

type Status = Readonly<{ timestamp: string; value: string }> &
  Pick<TimelineDocument, 'actual_data' | 'threshold_rule_applied' | 'original_status'>;

/** The status of a metric before its first point; monitoring engines use the same default (status contract 14). */
const stateBefore = ({ timestamp, previous_timestamp, previous_state }: TimelineDocument): Status => ({
  timestamp: previous_timestamp ?? `${timestamp.slice(0, 10)}T00:00:00Z`,
  value: previous_state ?? 'MISSING',
});

const statusOf = (point: TimelineDocument, details: boolean): Status => {
  const { timestamp, value, actual_data, threshold_rule_applied, original_status } = point;
  return details ? { timestamp, value, actual_data, threshold_rule_applied, original_status } : { timestamp, value };
};

const isSame = (one: TimelineDocument, other: TimelineDocument): boolean => one.metric === other.metric;

/** Depths of a metric and of a status. */
const [METRIC, STATUS] = [8, 10];
const METRIC_END = `${line(METRIC + 1)}]${line(METRIC)}}`;
const around = ({ group, groupType, service, host }: ListedEndpoint, info: TimelineDocument['info']): readonly [string, string] => {
  const endpoint = { name: host, info, metrics: [0] };
  const text = wireText({
    groups: [{ name: group, type: groupType, services: [{ name: service, type: 'service', endpoints: [endpoint] }] }],
  });
  const place = text.lastIndexOf('0');
  return [text.slice(0, place), text.slice(place + 1)];
};

const metricStart = (first: TimelineDocument): string => {
  const name = `{${line(METRIC + 1)}"name": ${wireText(first.metric)},${line(METRIC + 1)}"statuses": [`;
  return `${name}${line(STATUS)}${wireText(stateBefore(first), STATUS)}`;
};

/** The body of status contract 14. With `details` the points show the effect of thresholds. */
export async function* metricStatusesJson(
  endpoint: ListedEndpoint,
  { first, pages }: PeekedPages<TimelineDocument>,
  details: boolean,
): Pieces {
  if (!first) {
    yield [wireText({ groups: [] })];
    return;
  }
  const [head, tail] = around(endpoint, first.info);
  yield [head];
  yield* groupPieces(pages, {
    isSame,
    begin: metricStart,
    item: (point) => [separatorAt(STATUS) + wireText(statusOf(point, details), STATUS)],
    end: METRIC_END,
    between: separatorAt(METRIC),
  });
  yield [tail];
}

const tag = (level: number): string => NARROW.step.repeat(level);

const statusLine = ({ timestamp, value }: Status): string =>
  `\n${xmlOf({ name: 'status', attributes: { timestamp, value } }, { ...NARROW, prefix: tag(5) })}`;

/** The same in XML, without info and threshold members; an empty one is laid out like an empty metric result (status contract 14, 15). */
export async function* metricStatusesXml(endpoint: ListedEndpoint, { first, pages }: PeekedPages<TimelineDocument>): Pieces {
  if (!first) {
    yield [xmlOf({ name: 'root' }, WIDE)];
    return;
  }
  const { group, groupType, service, host } = endpoint;
  const ofGroup = openTag('group', { name: group, type: groupType });
  const ofService = openTag('group', { name: service, type: 'service' });
  yield [`<root>\n${tag(1)}${ofGroup}\n${tag(2)}${ofService}\n${tag(3)}${openTag('endpoint', { name: host })}`];
  yield* groupPieces(pages, {
    isSame,
    begin: (first) => `\n${tag(4)}${openTag('metric', { name: first.metric })}${statusLine(stateBefore(first))}`,
    item: (point) => [statusLine(point)],
    end: `\n${tag(4)}</metric>`,
  });
  yield [`\n${tag(3)}</endpoint>\n${tag(2)}</group>\n${tag(1)}</group>\n</root>`];
}
