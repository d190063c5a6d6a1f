import type { JsonObject } from '#domain/shared/events.js';

/**
 * The Avro schema of the metric data topic of the original, as monitoring engines publish it: one record as one bare binary datum. A datum does not say
 * by which schema it was written, and optional fields came to it one after the other, so there are several. Whoever has another one attaches it to the
 * topic: then that one counts, and its fields are found by their names.
 */
const REQUIRED = ['timestamp', 'service', 'hostname', 'metric', 'monitoring_host', 'status'] as const;
const optionalText = (name: string): JsonObject => ({ name, type: ['null', 'string'] });
const TAGS: JsonObject = { name: 'tags', type: ['null', { type: 'map', values: ['null', 'string'] }] };

const recordWith = (...optional: readonly JsonObject[]): JsonObject => ({
  type: 'record',
  name: 'metric_data',
  namespace: 'argo.avro',
  fields: [...REQUIRED.map((name) => ({ name, type: 'string' })), optionalText('summary'), optionalText('message'), ...optional],
});

/** In the order in which they are tried: a datum of one is none of the others, as each has to end with the last byte. */
export const METRIC_DATA_SCHEMAS: readonly JsonObject[] = [
  recordWith(TAGS, optionalText('actual_data')),
  recordWith(optionalText('actual_data'), TAGS),
  recordWith(TAGS),
  recordWith(optionalText('actual_data')),
  recordWith(),
];

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
