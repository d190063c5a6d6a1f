import { sha256 } from '#domain/shared/bytes/sha256.js';

/** A unit type or metric type shipped with the service. It has no creator and cannot be changed. */
export type ShippedType = Readonly<{ typeId: string; value: string; description: string }>;

/** Ids are the same in every installation: 24 hex characters derived from the value. */
const shipped = (kind: string, types: Readonly<Record<string, string>>): readonly ShippedType[] =>
  Object.entries(types).map(([value, description]) => ({ typeId: sha256(`${kind} ${value}`).slice(0, 24), value, description }));

/** Accounting contract 9, in its order. */
export const SHIPPED_UNIT_TYPES = shipped('unit type', {
  TB: 'terabyte',
  'TB/year': 'terabyte per year',
  'Endpoints Monitored/hour': 'Endpoints Monitored per hour',
  'Messages/hour': 'Messages per hour',
  'Service Updates': 'Service Updates',
  '#': 'number of',
  count: 'count of',
  'API reqs': 'API requests',
  'PID prefixes': 'PID prefixes',
  'CPU Time': 'the exact amount of time that the CPU has spent processing data',
  s: 'second',
});

/** Accounting contract 9, in its order. */
export const SHIPPED_METRIC_TYPES = shipped('metric type', {
  aggregated: 'The sum of all values captured over the aggregation interval',
  count: 'It represents the total number of event occurrences in one time interval',
  summarised: 'It represents the measured values in one time interval',
  averaged: 'The average of the values captured in one time interval',
});
