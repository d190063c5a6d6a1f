import { describe, expect, it } from '@jest/globals';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import { decodedPoints, decodedRows, decodedTexts } from './decoded.js';
import { EvenNumbers, NumberReader, NumberWriter } from './numbers.js';
import { partOf, pointsIn, textsIn } from './part.js';
import { byTime, type PointSet, type PointTexts } from './point-set.js';
import { RowPoints, rowOf } from './rows.js';

const result = (changes: Partial<MetricResult> = {}): MetricResult => ({
  ...{
    host: 'h',
    timestamp: '2015-05-01T01:02:03Z',
    endpoint_group: '',
    service: 'CE',
    metric: 'ping',
    status: 'OK',
    summary: '',
    message: '',
  },
  ...changes,
});

/** Everything that rows may hold, and texts that could break their layout. */
const HOSTILE = [
  result(),
  result({ report: 'r', endpoint_group: 'SITE', monitoring_host: 'm', summary: 'fine', message: 'long' }),
  result({ timestamp: '2015-05-01T23:59:59Z', status: '__proto__', service: '__proto__', metric: '', summary: 'tab\tline\nend\r\u2028' }),
  result({ timestamp: '2015-05-01T00:00:00Z', summary: 'half \ud800', message: '\udc00 half', report: '\ud800' }),
  result({ previous_timestamp: '2015-04-30T23:59:59Z', previous_state: 'OK', info: { URL: 'u', ['__proto__']: 'x' } }),
  result({ actual_data: 'a=1', threshold_rule_applied: 'rule', original_status: 'WARNING', summary: 'fine' }),
  result({ summary: 'x'.repeat(300_000), message: 'fine' }),
  result({ endpoint_group: '0', service: '0', metric: '0', status: '0', summary: '0', message: '0' }),
];

const rowsOf = (...rows: readonly string[]): RowPoints => new RowPoints(Buffer.from(rows.join('')));
const indexed = (results: readonly MetricResult[]) => results.map((one, index) => ({ result: one, index }));

/** All that is known of the points, in order of time and log. */
const listed = (set: PointSet, textsOf: (number: number) => PointTexts) =>
  set.points
    .map((point, number) => ({ point, texts: textsOf(number) }))
    .sort((left, right) => byTime(left.point, right.point))
    .map(({ point: { series, ...point }, texts }) => ({ ...series, points: undefined, ...point, ...texts }));

describe('rows', () => {
  it('give back every member of a result', () => {
    const rows = rowsOf(rowOf(7n, 'h', indexed(HOSTILE)));
    expect(listed(rows.set, (number) => rows.textsOf(number))).toEqual(
      HOSTILE.map(
        ({ host, timestamp, report, endpoint_group, monitoring_host, service, metric, status, summary, message, ...extras }, index) => ({
          ...{ host, service, metric, group: endpoint_group, status, summary, message, position: 7, index, points: undefined },
          ...(report !== undefined && { report }),
          ...(monitoring_host !== undefined && { monitoringHost: monitoring_host }),
          at: Date.parse(timestamp) / 1_000 - Date.UTC(2015, 4, 1) / 1_000,
          extras: Object.keys(extras).length > 0 ? extras : undefined,
        }),
      ).sort((left, right) => left.at - right.at || left.index - right.index),
    );
  });

  it('are continued by further ones', () => {
    const [one, other] = [rowOf(7n, 'h', indexed(HOSTILE.slice(0, 3))), rowOf(9n, 'ä', indexed(HOSTILE.slice(3)))];
    const rows = rowsOf(one);
    const both = Buffer.from(one + other);
    rows.add(both, Buffer.byteLength(one));
    const whole = new RowPoints(both);
    expect(listed(rows.set, (number) => rows.textsOf(number))).toEqual(listed(whole.set, (number) => whole.textsOf(number)));
  });
});

describe('a part', () => {
  it('has the points and texts of its rows, and is the same for the same rows', () => {
    const rows = rowsOf(rowOf(7n, 'h', indexed(HOSTILE)), rowOf(9n, 'g', indexed(HOSTILE)), rowOf(2n ** 50n, 'h', indexed(HOSTILE)));
    const part = partOf(rows.set, (number) => rows.textsOf(number));
    const set = pointsIn(part.points);
    const { all } = textsIn(part.texts, set);
    expect(listed(set, (number) => all[number] as PointTexts)).toEqual(listed(rows.set, (number) => rows.textsOf(number)));
    expect(partOf(rows.set, (number) => rows.textsOf(number))).toEqual(part);
  });

  it('takes two bytes for a point of probes that come evenly', () => {
    const rows = Array.from({ length: 288 }, (_, call) => {
      const time = new Date(Date.UTC(2015, 4, 1) + call * 300_000).toISOString().slice(0, 19);
      return rowOf(
        BigInt(1_000 + 3 * call),
        'h',
        indexed(['ping', 'load', 'disk'].map((metric) => result({ timestamp: `${time}Z`, metric, summary: 'fine' }))),
      );
    });
    const all = rowsOf(...rows);
    const part = partOf(all.set, (number) => all.textsOf(number));
    expect((part.points.length + part.texts.length) / all.set.points.length).toBeLessThan(2);
  });
});

describe('decoded documents', () => {
  /** A part of a few kilobytes with much longer texts. */
  const longPart = (length: number) => {
    const rows = rowsOf(rowOf(7n, 'h', indexed([result({ actual_data: 'x'.repeat(length), message: 'y'.repeat(length) })])));
    return partOf(rows.set, rows.textsOf);
  };
  const decoded = (key: string, { points, texts }: ReturnType<typeof longPart>) => {
    const set = decodedPoints(key, points);
    return { set, texts: decodedTexts(key, texts, set) };
  };

  it('are kept while they are small', () => {
    const part = longPart(1_000);
    const first = decoded('small', part);
    const again = decoded('small', part);
    expect(again.set).toBe(first.set);
    expect(again.texts).toBe(first.texts);
  });

  it('are not kept if they are long, however few bytes they take in the store', () => {
    const part = longPart(4 * 1024 * 1024);
    expect(part.points.length + part.texts.length).toBeLessThan(10_000);
    const first = decoded('long', part);
    const again = decoded('long', part);
    expect(again.set).not.toBe(first.set);
    expect(again.texts).not.toBe(first.texts);
  });

  it('give way to others by their decoded length', () => {
    const part = longPart(900_000);
    const first = decoded('part 0', part);
    for (let n = 1; n < 80; n++) decoded(`part ${n}`, part);
    const again = decoded('part 0', part);
    expect(again.set).not.toBe(first.set);
    expect(again.texts).not.toBe(first.texts);
  });

  it('of rows that become long have each row once', () => {
    const [one, other] = [rowOf(7n, 'h', indexed([result()])), rowOf(9n, 'h', indexed([result({ message: 'y'.repeat(600_000) })]))];
    for (const rows of [one, one + other, one + other]) {
      const text = Buffer.from(rows);
      expect(decodedRows('rows', text).set.points).toHaveLength(new RowPoints(text).set.points.length);
    }
  });
});

describe('numbers', () => {
  const NUMBERS = [0, 1, 127, 128, 300, 2 ** 31, 2 ** 32, 2 ** 48, Number.MAX_SAFE_INTEGER];
  it('of any size, and texts, are read as they were written', () => {
    const writer = new NumberWriter();
    for (const number of NUMBERS) {
      writer.number(number);
      writer.text(`ä${'x'.repeat(number % 9_000)}`);
    }
    const reader = new NumberReader(writer.all());
    for (const number of NUMBERS) {
      expect(reader.number()).toBe(number);
      expect(reader.text()).toBe(`ä${'x'.repeat(number % 9_000)}`);
    }
  });

  it('that grow evenly are zeros', () => {
    const [out, back] = [new EvenNumbers(), new EvenNumbers()];
    const values = [5, 10, 15, 20, 18, 0, 2 ** 40, 2 ** 40];
    const stored = values.map((value) => out.stored(value));
    expect(stored.slice(2, 4)).toEqual([0, 0]);
    expect(stored.map((one) => back.value(one))).toEqual(values);
  });
});
