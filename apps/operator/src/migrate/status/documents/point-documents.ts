import { zuluSecond } from '#domain/shared/time.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import { DocumentRefused, LeftOut } from '#operator/migrate/migration.js';
import { allTextsIn, type Fields, nameIn, textIn } from '#operator/migrate/read/fields.js';
import { filledIn, textMapIn } from './members.js';

/** Key shared by the points of one probe in all reports; sorts by host, then by time. @throws WrongField */
export const pointKey = (fields: Fields): string =>
  JSON.stringify([textIn(fields, 'host'), textIn(fields, 'timestamp'), textIn(fields, 'service'), textIn(fields, 'metric')]);

/** At the beginning of each day the engine repeats the state of the previous day without a message; an actual probe has one. */
const isRepeatOfDayBefore = (fields: Fields, timestamp: string): boolean =>
  timestamp.endsWith('T00:00:00Z') &&
  textIn(fields, 'status') === textIn(fields, 'previous_state') &&
  ['summary', 'message', 'actual_data'].every((name) => textIn(fields, name) === '');

/**
 * Outcome of a probe behind a computed status: the result of the probe itself, before thresholds and for all reports.
 * @throws Refused, WrongField; LeftOut for a point added by the engine
 */
export const pointDocument = (fields: Fields): MetricResult => {
  const timestamp = zuluSecond(nameIn(fields, 'timestamp'));
  if (timestamp === undefined) throw new DocumentRefused('timestamp must be a time, YYYY-MM-DDTHH:MM:SSZ');
  const status = textIn(fields, 'original_status') || textIn(fields, 'status');
  if (isRepeatOfDayBefore(fields, timestamp)) throw new LeftOut('the engine repeats the state of the day before here');
  const info = textMapIn(fields, 'info') ?? {};
  return {
    host: nameIn(fields, 'host'),
    timestamp,
    ...allTextsIn(fields, 'endpoint_group', 'service'),
    metric: nameIn(fields, 'metric'),
    status,
    ...allTextsIn(fields, 'summary', 'message'),
    ...filledIn(fields, 'previous_timestamp', 'previous_state'),
    ...(Object.keys(info).length > 0 ? { info } : {}),
    ...filledIn(fields, 'actual_data'),
  };
};
