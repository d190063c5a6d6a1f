import type { Piece, Pieces } from '#api/shared/answers/pieces.js';
import type { PeekedPages } from '#api/status/peeked-pages.js';
import { openTag, WIDE, type XmlElement, xmlOf } from '#api/status/xml.js';
import { separatorAt, wireText } from '#projections/status/layout.js';
import { detailIn, type StoredResult } from '#projections/status/metric-data/queries.js';

/** Results that share a metric and a service; `isNew`: the results before are of another metric or service. */
type Group = Readonly<{ metric: string; service: string; isNew: boolean; details: readonly Buffer[] }>;

/** The results by metric and service, in their order; a point that was stored several times comes once (status contract 13.2). */
async function* grouped(pages: AsyncIterable<readonly StoredResult[]>): AsyncGenerator<readonly Group[]> {
  let last: StoredResult | undefined;
  let seen = new Set<string>();
  for await (const page of pages) {
    const groups: { metric: string; service: string; isNew: boolean; details: Buffer[] }[] = [];
    for (const result of page) {
      const { metric, service, timestamp, detail } = result;
      const same = last?.metric === metric && last.service === service;
      if (!same || last?.timestamp !== timestamp) seen = new Set();
      const text = detail.toString('latin1');
      const isRepeated = seen.has(text);
      seen.add(text);
      if (!same || groups.length === 0) groups.push({ metric, service, isNew: !same, details: [] });
      if (!isRepeated) groups.at(-1)?.details.push(detail);
      last = result;
    }
    yield groups;
  }
}

/** Depths of the host, of a metric and of a detail. */
const [HOST, METRIC, DETAIL] = [2, 4, 6];
const line = (depth: number): string => `\n${' '.repeat(depth)}`;
const FIRST_DETAIL = Buffer.from(line(DETAIL));
const NEXT_DETAIL = Buffer.from(separatorAt(DETAIL));
const METRIC_END = `${line(METRIC + 1)}]${line(METRIC)}}`;

const metricStart = ({ metric, service }: Group): string => {
  const named = `{${line(METRIC + 1)}"Name": ${wireText(metric)},`;
  const ofService = service === '' ? '' : `${line(METRIC + 1)}"Service": ${wireText(service)},`;
  return `${named}${ofService}${line(METRIC + 1)}"Details": [`;
};

const hostStart = (host: string, { info }: StoredResult): string => {
  const shown = info ? `${line(HOST + 1)}"info": ${wireText(info, HOST + 1)},` : '';
  return `{\n "root": [${line(HOST)}{${line(HOST + 1)}"Name": ${wireText(host)},${shown}${line(HOST + 1)}"Metrics": [`;
};

const groupPieces = (group: Group, isFirst: boolean): Piece[] => {
  const opening = isFirst ? line(METRIC) : `${METRIC_END}${separatorAt(METRIC)}`;
  const details = group.details.flatMap((detail, place) => [place === 0 && group.isNew ? FIRST_DETAIL : NEXT_DETAIL, detail]);
  return group.isNew ? [`${opening}${metricStart(group)}`, ...details] : details;
};

/** The body of status contract 13.3 around details that are stored in the form they have in it. */
export async function* metricResultJson(host: string, { first, pages }: PeekedPages<StoredResult>): Pieces {
  if (!first) {
    yield [wireText({ root: [] })];
    return;
  }
  yield [hostStart(host, first)];
  let isFirst = true;
  for await (const groups of grouped(pages)) {
    yield groups.flatMap((group, index) => groupPieces(group, isFirst && index === 0));
    isFirst = false;
  }
  yield [`${METRIC_END}${line(HOST + 1)}]${line(HOST)}}\n ]\n}`];
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
const METRIC_CLOSE = `\n${METRIC_TAG}</metric>`;

const statusLines = (details: readonly Buffer[]): readonly string[] =>
  details.map((detail) => `\n${xmlOf(statusElement(detail), { ...WIDE, prefix: STATUS_TAG })}`);

const metricLines = ({ metric, service, isNew, details }: Group, isFirst: boolean): readonly string[] => {
  if (!isNew) return statusLines(details);
  const opening = openTag('metric', { name: metric, service: service === '' ? undefined : service });
  return [`${isFirst ? '' : METRIC_CLOSE}\n${METRIC_TAG}${opening}`, ...statusLines(details)];
};

/** The same in XML, without info and threshold members (status contract 15). */
export async function* metricResultXml(host: string, { first, pages }: PeekedPages<StoredResult>): Pieces {
  if (!first) {
    yield [xmlOf({ name: 'root' }, WIDE)];
    return;
  }
  yield [`${WIDE.prefix}<root>\n${HOST_TAG}${openTag('host', { name: host })}`];
  let isFirst = true;
  for await (const groups of grouped(pages)) {
    yield groups.flatMap((group, index) => metricLines(group, isFirst && index === 0));
    isFirst = false;
  }
  yield [`${METRIC_CLOSE}\n${HOST_TAG}</host>\n${WIDE.prefix}</root>`];
}
