import { separatorAt, wireText } from '#projections/status/layout.js';
import type { ResultDocument } from '#projections/status/metric-data.js';
import type { StoredResult } from './metric-reader.js';
import { byMembers } from './text-order.js';
import { WIDE, type XmlElement, xmlOf } from './xml.js';

/** By service, metric and time, each point once however often it was stored (status contract 13.2). */
export const arranged = (results: readonly StoredResult[]): readonly StoredResult[] => {
  const order = byMembers('service', 'metric', 'timestamp');
  let seen = new Set<string>();
  return [...results].sort(order).filter((result, index, all) => {
    const before = all[index - 1];
    if (!before || order(before, result) !== 0) seen = new Set();
    const detail = result.detail.toString('latin1');
    return !seen.has(detail) && seen.add(detail);
  });
};

type MetricGroup = Readonly<{ metric: string; service: string; details: Buffer[] }>;

/** A new group whenever metric or service changes. */
const grouped = (results: readonly StoredResult[]): readonly MetricGroup[] => {
  const groups: MetricGroup[] = [];
  for (const { metric, service, detail } of results) {
    const last = groups.at(-1);
    if (last?.metric === metric && last.service === service) last.details.push(detail);
    else groups.push({ metric, service, details: [detail] });
  }
  return groups;
};

/** Depths of the host, of a metric and of a detail. */
const [HOST, METRIC, DETAIL] = [2, 4, 6];
const line = (depth: number): string => `\n${' '.repeat(depth)}`;
const FIRST_DETAIL = Buffer.from(line(DETAIL));
const NEXT_DETAIL = Buffer.from(separatorAt(DETAIL));

const metricParts = ({ metric, service, details }: MetricGroup, index: number): readonly Buffer[] => {
  const named = `${index === 0 ? line(METRIC) : separatorAt(METRIC)}{${line(METRIC + 1)}"Name": ${wireText(metric)},`;
  const ofService = service === '' ? '' : `${line(METRIC + 1)}"Service": ${wireText(service)},`;
  return [
    Buffer.from(`${named}${ofService}${line(METRIC + 1)}"Details": [`),
    ...details.flatMap((detail, place) => [place === 0 ? FIRST_DETAIL : NEXT_DETAIL, detail]),
    Buffer.from(`${line(METRIC + 1)}]${line(METRIC)}}`),
  ];
};

/** The body of status contract 13.3 around details that are stored in the form they have in it. */
export const metricResultJson = (host: string, results: readonly StoredResult[]): Buffer | string => {
  const [first] = results;
  if (!first) return wireText({ root: [] });
  const info = first.info ? `${line(HOST + 1)}"info": ${wireText(first.info, HOST + 1)},` : '';
  return Buffer.concat([
    Buffer.from(`{\n "root": [${line(HOST)}{${line(HOST + 1)}"Name": ${wireText(host)},${info}${line(HOST + 1)}"Metrics": [`),
    ...grouped(results).flatMap(metricParts),
    Buffer.from(`${line(HOST + 1)}]${line(HOST)}}\n ]\n}`),
  ]);
};

const statusElement = (detail: Buffer): XmlElement => {
  const { Timestamp, Value, Summary, Message } = JSON.parse(detail.toString('utf8')) as ResultDocument['detail'];
  return {
    name: 'status',
    attributes: { timestamp: Timestamp, value: Value },
    content: [
      { name: 'summary', content: Summary },
      { name: 'message', content: Message },
    ],
  };
};

/** The same in XML, without info and threshold members (status contract 15). */
export const metricResultXml = (host: string, results: readonly StoredResult[]): string => {
  const metrics = grouped(results).map(
    ({ metric, service, details }): XmlElement => ({
      name: 'metric',
      attributes: { name: metric, service: service === '' ? undefined : service },
      content: details.map(statusElement),
    }),
  );
  const hosts = metrics.length === 0 ? [] : [{ name: 'host', attributes: { name: host }, content: metrics }];
  return xmlOf({ name: 'root', content: hosts }, WIDE);
};
