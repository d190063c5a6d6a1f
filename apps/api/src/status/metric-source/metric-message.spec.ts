import { describe, expect, it } from '@jest/globals';
import avro from 'avsc';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import { METRIC_DATA_SCHEMAS } from '#domain/status/metric-source/metric-data-schema.js';
import { mergedResults } from './merged-results.js';
import { avroReadersOf, type MetricMessage, readMetricMessage } from './metric-message.js';

const point = { timestamp: '2024-01-01T12:00:00Z', service: 's', host: 'h', metric: 'm', status: 'OK' };
const read = (data: Buffer | string, offset = 0, readers = avroReadersOf(undefined)): Promise<MetricMessage> => {
  const text = Buffer.from(data).toString('base64');
  return readMetricMessage({ offset, bytes: text.length, data: text, projectId: 'p', publishTime: '' }, readers);
};
const pointsOf = (message: MetricMessage) =>
  [...message.points.groups()].flatMap(({ host, results }) => results.map((one: MetricResult) => ({ host, ...one })));

describe('a message with metric data', () => {
  it('is a JSON point, or an array of some', async () => {
    const [one] = pointsOf(await read(` \n${JSON.stringify({ ...point, more: [{}] })}`));
    expect(one).toMatchObject(point);
    expect((await read(JSON.stringify([point, { ...point, host: 'i' }]))).points.count).toBe(2);
    expect((await read('[]')).points.count).toBe(0);
  });

  const values = {
    ...point,
    hostname: 'h',
    monitoring_host: 'engine',
    summary: 'üü',
    message: null,
    actual_data: 'a=1',
    tags: { a: 'b', c: null },
  };
  it.each(METRIC_DATA_SCHEMAS.map((schema, index) => [index, schema] as const))('is an Avro datum by schema %i', async (_index, schema) => {
    const type = avro.Type.forSchema(schema as never);
    const names = (schema.fields as readonly { name: string }[]).map(({ name }) => name);
    for (const tags of [values.tags, {}, null]) {
      const [one] = pointsOf(await read(type.toBuffer({ ...values, tags: names.includes('tags') ? tags : undefined })));
      const data = names.includes('actual_data') ? { actual_data: 'a=1' } : {};
      expect(one).toEqual({ ...point, endpoint_group: '', monitoring_host: 'engine', summary: 'üü', message: '', ...data });
    }
  });

  it('is read by the schema of its topic, whatever the order of its fields', async () => {
    const schema = {
      type: 'record',
      name: 'r',
      fields: ['status', 'metric', 'hostname', 'service', 'timestamp', 'other'].map((name) => ({ name, type: 'string' })),
    };
    const datum = avro.Type.forSchema(schema as never).toBuffer({ ...point, hostname: 'h', other: 'x' });
    expect(pointsOf(await read(datum, 0, avroReadersOf(schema as never)))[0]).toMatchObject(point);
    await expect(read(datum)).rejects.toThrow('neither JSON nor an Avro datum of metric data');
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

it('puts the points of many small messages of a host into few groups, in their order', async () => {
  const at = (second: number) => ({ ...point, timestamp: `2024-01-01T12:00:${`${second}`.padStart(2, '0')}Z` });
  const big = Array.from({ length: 40 }, (_, index) => ({ ...at(50), summary: 'x'.repeat(300), metric: `m${index}` }));
  const messages = await Promise.all([
    ...Array.from({ length: 33 }, (_, second) => read(JSON.stringify(at(second)), second)),
    read(JSON.stringify({ ...at(0), host: 'i' }), 33),
    read(JSON.stringify(big), 34),
    read(JSON.stringify(at(51)), 35),
  ]);
  const groups = [...mergedResults(messages)].map(({ host, results }) => [host, results.length]);
  expect(groups).toEqual([
    ['h', 32],
    ['h', 1],
    ['h', 32],
    ['h', 8],
    ['i', 1],
    ['h', 1],
  ]);
  const ofHost = [...mergedResults(messages)]
    .filter(({ host }) => host === 'h')
    .flatMap(({ results }) => results.map(({ timestamp }) => timestamp));
  expect(ofHost).toEqual([...ofHost].sort());
});
