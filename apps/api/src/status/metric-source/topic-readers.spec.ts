import { expect, it } from '@jest/globals';
import type { ResourceQueries } from '#projections/messaging/resources/queries.js';
import type { SchemaQueries } from '#projections/messaging/resources/schema-queries.js';
import { avroReadersOf } from './metric-message.js';
import { TopicReaders } from './topic-readers.js';

const usual = avroReadersOf(undefined);
const record = (fields: number) => ({
  ...{ type: 'record', name: 'r' },
  fields: Array.from({ length: fields }, (_, index) => ({ name: `f${index}`, type: 'string' })),
});

it.each([
  ['of a record', 'avro', record(3), 1],
  ['of JSON', 'json', record(3), 0],
  ['of no record', 'avro', { type: 'string' }, 0],
  ['with more than 16,384 characters, which would block the event loop', 'avro', record(600), 0],
])('a schema %s adds to the usual readers of metric data', async (_case, type, document, added) => {
  const stored = Buffer.from(JSON.stringify({ type, document }));
  const topics = { topicById: async () => ({ schemaId: 's' }) } as unknown as ResourceQueries;
  const readers = await new TopicReaders(topics, { storedById: async () => stored } as unknown as SchemaQueries).of('p', 't');
  expect(readers.slice(added)).toEqual(usual);
});
