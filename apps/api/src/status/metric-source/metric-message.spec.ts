import { describe, expect, it } from '@jest/globals';
import avro from 'avsc';
import { messageSample } from '#test/support/messaging/delivery-samples.js';
import { datum, decoded, ORDER_NAMES, RECORDED, RECORDED_VALUES, VARIANT_NAMES } from '#test/support/status/publishers.js';
import { avroReadersOf, type MetricMessage, readMetricMessage } from './metric-message.js';

const point = { timestamp: '2024-01-01T12:00:00Z', service: 's', host: 'h', metric: 'm', status: 'OK' };
const read = (data: Buffer | string, offset = 0, readers = avroReadersOf(undefined)): Promise<MetricMessage> => {
  const text = Buffer.from(data).toString('base64');
  return readMetricMessage(messageSample(offset, { bytes: text.length, data: text }), readers);
};
const pointsOf = ({ points }: MetricMessage) => points.events.flatMap(({ results }) => results);

describe('a message with metric data', () => {
  it('is a JSON point, or an array of some', async () => {
    const [one] = pointsOf(await read(` \n${JSON.stringify({ ...point, more: [{}] })}`));
    expect(one).toMatchObject(point);
    expect((await read(JSON.stringify([point, { ...point, host: 'i' }]))).points.count).toBe(2);
    expect((await read('[]')).points.count).toBe(0);
  });

  it.each([
    { ...point, host: undefined, hostname: 'h', tags: { a: null }, summary: null, monitoring_host: 'engine' },
    { ...point, host: null, hostname: 'h', tags: null, monitoring_host: 'engine', message: null, actual_data: null },
    { ...point, host: 'h', hostname: 'other', monitoring_host: 'engine' },
  ])('is JSON as publishers send it, with hostname and nulls: %j', async (values) => {
    const expected = { ...point, endpoint_group: '', monitoring_host: 'engine', summary: '', message: '' };
    expect(pointsOf(await read(JSON.stringify(values)))).toEqual([expected]);
    expect(pointsOf(await read(JSON.stringify([values, values])))).toEqual([expected, expected]);
  });

  const five = { timestamp: point.timestamp, service: 's', hostname: 'h', metric: 'm', status: 'OK' };
  const long = 'line\n'.repeat(2_000);
  const whole = { monitoring_host: 'engine', summary: 'üü'.repeat(40), message: long, actual_data: 'a=1', tags: { a: 'b', c: null } };
  const plain = { ...point, endpoint_group: '', summary: '', message: '' };

  it.each(ORDER_NAMES.flatMap((order) => VARIANT_NAMES.map((variant) => [order, variant] as const)))(
    'is an Avro datum of order %s, %s',
    async (order, variant) => {
      const data = order === 'B' ? {} : { actual_data: 'a=1' };
      const expected = { ...plain, monitoring_host: 'engine', summary: whole.summary, message: long, ...data };
      for (const tags of [whole.tags, { 'long key': 'x'.repeat(300) }])
        expect(pointsOf(await read(datum(order, { ...five, ...whole, tags }, variant)))).toEqual([expected]);
      expect(pointsOf(await read(datum(order, five, variant)))).toEqual([plain]);
    },
  );

  it.each(ORDER_NAMES)("is an Avro datum of order %s as the publishers' own library wrote it", async (order) => {
    const { full, nulls } = RECORDED[order];
    const { hostname: host, actual_data: data, ...values } = RECORDED_VALUES;
    const { monitoring_host: _, summary: __, message: ___, ...required } = values;
    const expected = { host, ...values, endpoint_group: '', ...(order !== 'B' && { actual_data: data }) };
    expect(pointsOf(await read(Buffer.from(full, 'base64')))).toEqual([expected]);
    expect(pointsOf(await read(Buffer.from(nulls, 'base64')))).toEqual([
      { host, ...required, endpoint_group: '', summary: '', message: '' },
    ]);
  });

  it('is read in the first order that fits where a short datum fits several', async () => {
    const [onlyB, alsoA] = [datum('B', { ...five, summary: 's' }), datum('C', { ...five, summary: 's', message: 'm' })];
    expect(pointsOf(await read(onlyB))).toEqual([{ ...plain, summary: 's' }]);
    expect(datum('A', { ...five, actual_data: 's', summary: 'm' })).toEqual(alsoA);
    expect(pointsOf(await read(alsoA))).toEqual([{ ...plain, actual_data: 's', summary: 'm' }]);
  });

  it.each(ORDER_NAMES)(
    'is a datum to its last byte: cut short, or with more behind it, one of order %s is what avsc says',
    async (order) => {
      const bytes = datum(order, { ...five, ...whole, summary: 'üü', message: '', tags: { a: 'b' } });
      const shorter = Array.from({ length: bytes.length - 1 }, (_, length) => bytes.subarray(0, length + 1));
      const longer = [[0], [9, 9], [0, 0, 0], [2, 2, 0x61]].map((more) => Buffer.concat([bytes, Buffer.from(more)]));
      let refused = 0;
      for (const changed of [...shorter, ...longer]) {
        const values = decoded(changed);
        const reading = read(changed).then((message) => pointsOf(message)[0]);
        if (values) expect(await reading).toMatchObject({ summary: values.summary ?? '', message: values.message ?? '' });
        else await expect(reading).rejects.toThrow('neither JSON nor an Avro datum of metric data');
        if (!values) refused++;
      }
      expect(refused).toBeGreaterThan(50);
    },
  );

  it('is read by the schema of its topic, whatever the order of its fields', async () => {
    const schema = {
      type: 'record',
      name: 'r',
      fields: ['status', 'metric', 'hostname', 'service', 'timestamp', 'other'].map((name) => ({ name, type: 'string' })),
    };
    const own = avro.Type.forSchema(schema as never).toBuffer({ ...point, hostname: 'h', other: 'x' });
    expect(pointsOf(await read(own, 0, avroReadersOf(schema as never)))[0]).toMatchObject(point);
    await expect(read(own)).rejects.toThrow('neither JSON nor an Avro datum of metric data');
    expect(pointsOf(await read(datum('A', five), 0, avroReadersOf(schema as never)))[0]).toMatchObject(point);
  });

  it.each([
    ['', 'the message has no data'],
    ['{"half":', 'not valid JSON'],
    [`${JSON.stringify(point)},${JSON.stringify(point)}`, 'not valid JSON: not one value'],
    [`[${JSON.stringify(point)}] x`, 'not valid JSON: not one value'],
    [`{"deep":${'['.repeat(2_000)}${']'.repeat(2_000)}}`, 'not valid JSON: too many levels'],
    [JSON.stringify({ ...point, host: '' }), 'host is missing'],
    [JSON.stringify([point, { ...point, timestamp: 'x' }]), 'point 2: timestamp is not in the form YYYY-MM-DDTHH:MM:SSZ'],
    [JSON.stringify([7]), 'point 1: found number where an object is due'],
    ['text', 'neither JSON nor an Avro datum of metric data'],
  ])('is flawed: %s', async (data, reason) => expect(read(data)).rejects.toThrow(reason));
});
