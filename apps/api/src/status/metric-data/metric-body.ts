import {
  described,
  dictionary,
  due,
  type Infer,
  mapped,
  named,
  optional,
  readBody,
  scanned,
  struct,
  text,
} from '#api/shared/bodies/body-shape.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { dueText, textOf, worded } from '#api/status/bodies.js';
import { JUDGEMENT } from '#api/status/openapi/statuses.js';
import { inKeyOrder } from '#domain/shared/text/text-order.js';
import { zuluSecond } from '#domain/shared/time.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';

/** An item that is valid JSON but not a metric result. */
export class BadItem extends Error {
  override readonly name = 'BadItem';
}

const REQUIRED = ['timestamp', 'service', 'host', 'metric', 'status'] as const;

/**
 * Members as in status contract 13.1 and results contract 1; `date` follows from `timestamp`. `service` is required, but may be empty
 * (status contract 13.4). `hostname` is the name of monitoring engines for `host`.
 */
export const metricItem = named(
  'StatusNewMetricResult',
  struct({
    timestamp: due(text, 'instant'),
    report: textOf('id of a report; default: for every report'),
    endpoint_group: text,
    monitoring_host: text,
    service: due(optional(worded(text, 'may be empty'))),
    host: textOf('host name: this or `hostname` is needed'),
    hostname: textOf('counts where there is no `host`'),
    metric: dueText('name of the metric', { minLength: 1 }),
    status: dueText('such as `OK`', { minLength: 1 }),
    summary: text,
    message: text,
    previous_timestamp: described(text, 'instant'),
    previous_state: text,
    info: mapped(dictionary(text), inKeyOrder),
    actual_data: described(text, JUDGEMENT['actual_data?']),
    threshold_rule_applied: text,
    original_status: described(text, JUDGEMENT['original_status?']),
  }),
  'status contract 13.1',
);

/** Unlike a body, an item must not be `null`. */
const item: typeof metricItem = {
  ...metricItem,
  zero: () => {
    throw new BadItem('found null where an object is due');
  },
};

/** @throws MalformedJson, BadItem */
const membersOf = (bytes: Buffer): Infer<typeof metricItem> => {
  const json = scanned(bytes);
  try {
    return readBody(item, json);
  } catch (error) {
    throw error instanceof MalformedJson && json.isJson ? new BadItem(error.message) : error;
  }
};

/** @throws BadItem */
const instantIn = (member: string, given: string): string => {
  const instant = zuluSecond(given);
  if (instant === undefined) throw new BadItem(`${member} is not in the form YYYY-MM-DDTHH:MM:SSZ`);
  return instant;
};

/** Members of a result that are absent if empty. */
const OPTIONAL = ['report', 'monitoring_host', 'previous_state', 'actual_data', 'threshold_rule_applied', 'original_status'] as const;

/** The result in an item. @throws MalformedJson the text is not JSON; BadItem */
export const readItem = (json: Buffer): MetricResult => {
  const members = membersOf(json);
  const host = members.host || members.hostname;
  for (const member of REQUIRED) {
    const given = member === 'host' ? host : members[member];
    if (given === undefined || (given === '' && member !== 'service')) throw new BadItem(`${member} is missing`);
  }
  const { timestamp, endpoint_group, service = '', metric, status, summary, message, previous_timestamp: previous, info } = members;
  const at = instantIn('timestamp', timestamp);
  // Members are added one by one: spreading objects takes longer than parsing the text.
  const result: { -readonly [Member in keyof MetricResult]: MetricResult[Member] } = {
    host,
    timestamp: at,
    endpoint_group,
    service,
    metric,
    status,
    summary,
    message,
  };
  for (const member of OPTIONAL) if (members[member] !== '') result[member] = members[member];
  if (previous !== '') result.previous_timestamp = instantIn('previous_timestamp', previous);
  if (Object.keys(info).length > 0) result.info = info;
  return result;
};
