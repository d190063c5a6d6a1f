import type { JsonObject } from '#domain/shared/events.js';

/** Member of an event that names the record of a kind, by service and kind. */
const MEMBERS: Readonly<Record<string, string>> = {
  'accounting project': 'acronym',
  'accounting installation': 'installation',
  'accounting metric_definition': 'metric_name',
  'accounting unit_type': 'value',
  'accounting metric_type': 'value',
  'accounting oidc_tenant': 'tenant_id',
  'status recomputation': 'report',
  'status topology_endpoints': 'date',
  'status topology_groups': 'date',
  'status topology_service_types': 'date',
  'status downtimes': 'date',
};

/** Members of events in which all that a caller writes of a record is one object. */
const WHOLE = ['record', 'report'];

const WORDS: Readonly<Record<string, string>> = {
  topology_endpoints: 'topology endpoints of',
  topology_groups: 'topology groups of',
  topology_service_types: 'service types of',
  downtimes: 'downtimes of',
  recomputation: 'recomputation of the report',
  capacity: 'capacity of',
  oidc_tenant: 'OIDC tenant',
  key: 'access key',
};

/** Name of a record in the data of one of its events; `undefined`: the event does not name it. A sealed name is no text. */
export const nameIn = (service: string, kind: string, data: JsonObject): unknown => {
  const member = MEMBERS[`${service} ${kind}`] ?? 'name';
  const whole = WHOLE.map((name) => data[name]).find((value): value is JsonObject => typeof value === 'object' && value !== null);
  return data[member] !== undefined && typeof data[member] !== 'object' ? data[member] : (whole?.[member] ?? data[member]);
};

/** `an` before a vowel that is spoken as one, which `u` is not in `user` and `unit`. */
export const articleOf = (words: string): string => (/^[aeio]/i.test(words) ? 'an' : 'a');

/** `metric profile`, `downtimes of` */
export const wordsOf = (kind: string): string => WORDS[kind] ?? kind.replaceAll('_', ' ');
