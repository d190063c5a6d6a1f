import type { JsonObject } from '#domain/shared/events.js';

/**
 * The Avro schemas with which monitoring engines publish metric data: each record is one bare binary datum, which does not name its schema (results
 * contract 1.1). Publishers with another schema attach it to the topic: it is tried first, and its fields are found by name.
 */
const REQUIRED = ['timestamp', 'service', 'hostname', 'metric', 'status'] as const;
const TAGS: JsonObject = { type: 'map', values: ['null', 'string'] };

/** Optional fields after the required ones, in three orders: of current publishers and consumers, of stream jobs, and of batch jobs. */
const ORDERS = [
  ['monitoring_host', 'actual_data', 'summary', 'message', 'tags'],
  ['monitoring_host', 'summary', 'message', 'tags'],
  ['monitoring_host', 'summary', 'message', 'tags', 'actual_data'],
] as const;

/** In the order in which they are tried. A schema fits if it ends with the last byte. A short datum may fit several: the first one is used. */
export const METRIC_DATA_SCHEMAS: readonly JsonObject[] = ORDERS.map((optional) => ({
  type: 'record',
  name: 'metric_data',
  namespace: 'argo.avro',
  fields: [
    ...REQUIRED.map((name) => ({ name, type: 'string' })),
    ...optional.map((name) => ({ name, type: ['null', name === 'tags' ? TAGS : 'string'] })),
  ],
}));

/** Members of a metric result by field name (results contract 1). Tags and other fields are ignored. */
export const METRIC_DATA_FIELDS: Readonly<Record<string, string>> = {
  timestamp: 'timestamp',
  service: 'service',
  hostname: 'host',
  metric: 'metric',
  monitoring_host: 'monitoring_host',
  status: 'status',
  summary: 'summary',
  message: 'message',
  actual_data: 'actual_data',
};
