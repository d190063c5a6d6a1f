import type { Pieces } from '#api/shared/answers/pieces.js';
import { line } from '#api/status/json-texts.js';
import type { PeekedPages } from '#api/status/peeked-pages.js';
import { NARROW, openTag, WIDE, xmlOf } from '#api/status/xml.js';
import { separatorAt, wireText } from '#projections/status/layout.js';
import type { TimelineDocument } from '#projections/status/metric-data/queries.js';

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

/** Statuses of one metric; `isNew`: the statuses before are of another metric. */
type Statuses = Readonly<{ metric: string; isNew: boolean; statuses: readonly Status[] }>;

/** The points by metric and time, with the status before the first of each metric. */
async function* byMetric(pages: AsyncIterable<readonly TimelineDocument[]>, details: boolean): AsyncGenerator<readonly Statuses[]> {
  let last: string | undefined;
  for await (const page of pages) {
    const groups: { metric: string; isNew: boolean; statuses: Status[] }[] = [];
    for (const point of page) {
      const isNew = point.metric !== last;
      if (isNew || groups.length === 0) groups.push({ metric: point.metric, isNew, statuses: isNew ? [stateBefore(point)] : [] });
      groups.at(-1)?.statuses.push(statusOf(point, details));
      last = point.metric;
    }
    yield groups;
  }
}

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

const statusPieces = ({ metric, isNew, statuses }: Statuses, isFirst: boolean): string[] => {
  const texts = statuses.map((status) => wireText(status, STATUS));
  if (!isNew) return texts.map((text) => separatorAt(STATUS) + text);
  const opening = isFirst ? '' : `${METRIC_END}${separatorAt(METRIC)}`;
  const name = `{${line(METRIC + 1)}"name": ${wireText(metric)},${line(METRIC + 1)}"statuses": [${line(STATUS)}`;
  return [opening + name + texts.join(separatorAt(STATUS))];
};

/** The body of status contract 14. With `details` the points show what thresholds did to them. */
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
  let isFirst = true;
  for await (const groups of byMetric(pages, details)) {
    yield groups.flatMap((group, index) => statusPieces(group, isFirst && index === 0));
    isFirst = false;
  }
  yield [METRIC_END, tail];
}

const tag = (level: number): string => NARROW.step.repeat(level);

const statusLines = ({ metric, isNew, statuses }: Statuses, isFirst: boolean): string[] => {
  const lines = statuses.map(
    ({ timestamp, value }) => `\n${xmlOf({ name: 'status', attributes: { timestamp, value } }, { ...NARROW, prefix: tag(5) })}`,
  );
  return isNew ? [`${isFirst ? '' : `\n${tag(4)}</metric>`}\n${tag(4)}${openTag('metric', { name: metric })}`, ...lines] : lines;
};

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
  let isFirst = true;
  for await (const groups of byMetric(pages, false)) {
    yield groups.flatMap((one, index) => statusLines(one, isFirst && index === 0));
    isFirst = false;
  }
  yield [`\n${tag(4)}</metric>\n${tag(3)}</endpoint>\n${tag(2)}</group>\n${tag(1)}</group>\n</root>`];
}
