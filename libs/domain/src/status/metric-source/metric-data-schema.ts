import type { JsonObject } from '#domain/shared/events.js';

/**
 * The Avro schemas by which monitoring engines publish metric data: one record as one bare binary datum, which does not say by which schema it was written
 * (results contract 1.1). Whoever has another one attaches it to the topic: it is tried first, and its fields are found by their names.
 */
const REQUIRED = ['timestamp', 'service', 'hostname', 'metric', 'status'] as const;
const TAGS: JsonObject = { type: 'map', values: ['null', 'string'] };

/** Fields after the required ones, in their three orders: publishers and consumers of today, stream jobs, batch jobs. */
const ORDERS = [
  ['monitoring_host', 'actual_data', 'summary', 'message', 'tags'],
  ['monitoring_host', 'summary', 'message', 'tags'],
  ['monitoring_host', 'summary', 'message', 'tags', 'actual_data'],
] as const;

/** In the order in which they are tried. Each has to end with the last byte; a short datum with nulls may fit several, and the first one counts. */
export const METRIC_DATA_SCHEMAS: readonly JsonObject[] = ORDERS.map((optional) => ({
  type: 'record',
  name: 'metric_data',
  namespace: 'argo.avro',
  fields: [
    ...REQUIRED.map((name) => ({ name, type: 'string' })),
    ...optional.map((name) => ({ name, type: ['null', name === 'tags' ? TAGS : 'string'] })),
  ],
}));

/** Fields by the name of the member of a metric result that they are (results contract 1). Tags and all others are ignored. */
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
