import { decimal, members, text } from '#api/accounting/bodies.js';
import type { Infer, Shape } from '#api/shared/bodies/body-shape.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import type { GivenPeriod } from '#domain/accounting/metrics/metric-period.js';

/** A decimal number as text, with all its digits; its size must fit into a 64-bit float. */
const double: Shape<string | null> = {
  ...decimal,
  read: (reader) => {
    const value = decimal.read(reader);
    if (!Number.isFinite(Number(value))) throw new MalformedJson('found a number out of range');
    return value;
  },
};

/** A metric as callers send it; an update may leave out everything. */
export const metricBody = members({
  metric_definition_id: text,
  time_period_start: text,
  time_period_end: text,
  value: double,
  group_id: text,
  user_id: text,
});
export type MetricBody = Infer<typeof metricBody>;

export const periodIn = ({ time_period_start, time_period_end }: MetricBody): GivenPeriod => ({
  start: time_period_start,
  end: time_period_end,
});
