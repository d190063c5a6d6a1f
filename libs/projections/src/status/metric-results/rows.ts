import { secondOfDay } from '#domain/shared/time.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import { PointSet, type PointTexts, type RareMembers } from './point-set.js';

/** A result with its index in its event. */
export type IndexedResult = Readonly<{ result: MetricResult; index: number }>;

/** Members of a point in a row, cut off after the last one that is not empty. 0: not given. */
type RowPoint = readonly [
  index: number,
  at: number,
  status: string,
  service: string,
  metric: string,
  report?: string | 0,
  group?: string,
  monitoringHost?: string | 0,
  extras?: RareMembers,
];

/** The summary, or summary and message. */
type RowTexts = string | readonly [summary: string, message: string];

const NECESSARY = 5;

const two = (number: number): string => String(number).padStart(2, '0');

/** The time of a second of the day, `HH:MM:SS`. */
export const timeOf = (second: number): string =>
  `${two(Math.floor(second / 3_600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}`;

const extrasOf = (result: MetricResult): RareMembers | 0 => {
  const { previous_timestamp, previous_state, info, actual_data, threshold_rule_applied, original_status } = result;
  if (!(info || actual_data || previous_timestamp || previous_state || threshold_rule_applied || original_status)) return 0;
  const all = { previous_timestamp, previous_state, info, actual_data, threshold_rule_applied, original_status };
  const given = Object.entries(all).filter(([, value]) => value !== undefined && value !== '');
  return given.length > 0 ? Object.fromEntries(given) : 0;
};

const rowPoint = ({ result, index }: IndexedResult): readonly unknown[] => {
  const { timestamp, status, service, metric, report = 0, endpoint_group, monitoring_host = 0 } = result;
  const members = [index, secondOfDay(timestamp), status, service, metric, report, endpoint_group, monitoring_host, extrasOf(result)];
  let length = members.length;
  while (length > NECESSARY && (members[length - 1] === 0 || members[length - 1] === '')) length--;
  return members.slice(0, length);
};

const rowTexts = ({ result: { summary, message } }: IndexedResult): RowTexts => (message === '' ? summary : [summary, message]);

/**
 * The row of an event's results of one host: a line of two values in JSON, separated by a tab. Texts are parsed only when they are wanted. A row is
 * never changed.
 */
export const rowOf = (position: bigint, host: string, results: readonly IndexedResult[]): string =>
  `${JSON.stringify([Number(position), host, ...results.map(rowPoint)])}\t${JSON.stringify(results.map(rowTexts))}\n`;

const LINE_END = 10;

/** The texts of the points of a row, parsed when they are first read. */
class RowTextsReader {
  private parsed: readonly RowTexts[] | undefined;

  constructor(private json: string) {}

  at(index: number): PointTexts {
    this.parsed ??= JSON.parse(this.json) as readonly RowTexts[];
    this.json = '';
    const texts = this.parsed[index] ?? '';
    return typeof texts === 'string' ? { summary: texts, message: '' } : { summary: texts[0], message: texts[1] };
  }
}

/** The points of rows, to which further rows may be added. */
export class RowPoints {
  readonly set = new PointSet();
  private readonly texts: Readonly<{ row: RowTextsReader; index: number }>[] = [];

  constructor(text: Buffer) {
    this.add(text, 0);
  }

  /** Adds the rows from a place in the text on. */
  add(text: Buffer, from: number): void {
    for (let start = from, end = text.indexOf(LINE_END, start); end >= 0; start = end + 1, end = text.indexOf(LINE_END, start))
      this.addRow(text.toString('utf8', start, end));
  }

  /** Texts of a point of the set, by its number. */
  readonly textsOf = (number: number): PointTexts => {
    const { row, index } = this.texts[number] as (typeof this.texts)[number];
    return row.at(index);
  };

  private addRow(line: string): void {
    const tab = line.indexOf('\t');
    const [position, host, ...points] = JSON.parse(line.slice(0, tab)) as [number, string, ...RowPoint[]];
    const row = new RowTextsReader(line.slice(tab + 1));
    for (const [place, [index, at, status, service, metric, report = 0, group = '', monitoringHost = 0, extras]] of points.entries()) {
      const given = { report: report === 0 ? undefined : report, monitoringHost: monitoringHost === 0 ? undefined : monitoringHost };
      this.set.add({ series: this.set.seriesOf({ host, service, metric, group, ...given }), at, position, index, status, extras });
      this.texts.push({ row, index: place });
    }
  }
}
