import type { Pieces } from '#api/shared/answers/pieces.js';
import { line } from '#api/status/answers/json-texts.js';
import { openTag, WIDE, type XmlElement, xmlOf } from '#api/status/answers/xml.js';
import type { PeekedPages } from '#api/status/peeked-pages.js';
import { separatorAt, wireText } from '#projections/status/layout.js';
import { detailIn, type StoredResult } from '#projections/status/metric-data/queries.js';
import { groupPieces } from './group-pieces.js';

const isSame = (one: StoredResult, other: StoredResult): boolean => one.metric === other.metric && one.service === other.service;

/** Detects points that were stored repeatedly but are shown once (status contract 13.2). Results must be ordered by metric and service. */
const repeatedPoints = (): ((result: StoredResult) => boolean) => {
  let last: StoredResult | undefined;
  let seen = new Set<string>();
  return (result) => {
    if (!last || !isSame(last, result) || last.timestamp !== result.timestamp) seen = new Set();
    last = result;
    const text = result.detail.toString('latin1');
    const isRepeated = seen.has(text);
    seen.add(text);
    return isRepeated;
  };
};

/** Depths of the host, of a metric and of a detail. */
const [HOST, METRIC, DETAIL] = [2, 4, 6];
const FIRST_DETAIL = Buffer.from(line(DETAIL));
const NEXT_DETAIL = Buffer.from(separatorAt(DETAIL));
const METRIC_END = `${line(METRIC + 1)}]${line(METRIC)}}`;

const metricStart = ({ metric, service }: StoredResult): string => {
  const named = `{${line(METRIC + 1)}"Name": ${wireText(metric)},`;
  const ofService = service === '' ? '' : `${line(METRIC + 1)}"Service": ${wireText(service)},`;
  return `${named}${ofService}${line(METRIC + 1)}"Details": [`;
};

const hostStart = (host: string, { info }: StoredResult): string => {
  const shown = info ? `${line(HOST + 1)}"info": ${wireText(info, HOST + 1)},` : '';
  return `{\n "root": [${line(HOST)}{${line(HOST + 1)}"Name": ${wireText(host)},${shown}${line(HOST + 1)}"Metrics": [`;
};

/** The body of status contract 13.3 with details that are stored in their answer form. */
export async function* metricResultJson(host: string, { first, pages }: PeekedPages<StoredResult>): Pieces {
  if (!first) {
    yield [wireText({ root: [] })];
    return;
  }
  yield [hostStart(host, first), line(METRIC)];
  const isRepeated = repeatedPoints();
  yield* groupPieces(pages, {
    isSame,
    begin: metricStart,
    item: (result, isFirst) => (isRepeated(result) ? [] : [isFirst ? FIRST_DETAIL : NEXT_DETAIL, result.detail]),
    end: METRIC_END,
    between: separatorAt(METRIC),
  });
  yield [`${line(HOST + 1)}]${line(HOST)}}\n ]\n}`];
}

const statusElement = (detail: Buffer): XmlElement => {
  const { Timestamp, Value, Summary, Message } = detailIn({ detail });
  return {
    name: 'status',
    attributes: { timestamp: Timestamp, value: Value },
    content: [
      { name: 'summary', content: Summary },
      { name: 'message', content: Message },
    ],
  };
};

const [HOST_TAG, METRIC_TAG, STATUS_TAG] = [1, 2, 3].map((level) => `${WIDE.prefix}${WIDE.step.repeat(level)}`) as [string, string, string];
/** The same in XML, without info and threshold members (status contract 15). */
export async function* metricResultXml(host: string, { first, pages }: PeekedPages<StoredResult>): Pieces {
  if (!first) {
    yield [xmlOf({ name: 'root' }, WIDE)];
    return;
  }
  yield [`${WIDE.prefix}<root>\n${HOST_TAG}${openTag('host', { name: host })}`];
  const isRepeated = repeatedPoints();
  yield* groupPieces(pages, {
    isSame,
    begin: ({ metric, service }) => `\n${METRIC_TAG}${openTag('metric', { name: metric, service: service === '' ? undefined : service })}`,
    item: (result) => (isRepeated(result) ? [] : [`\n${xmlOf(statusElement(result.detail), { ...WIDE, prefix: STATUS_TAG })}`]),
    end: `\n${METRIC_TAG}</metric>`,
  });
  yield [`\n${HOST_TAG}</host>\n${WIDE.prefix}</root>`];
}
