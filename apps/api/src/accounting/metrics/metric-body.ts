import { changesOf, decimal, filled, recordOf, text } from '#api/accounting/bodies.js';
import * as errors from '#api/accounting/errors.js';
import { described, due, type Infer, type Shape } from '#api/shared/bodies/body-shape.js';
import type { GivenPeriod } from '#domain/accounting/metrics/metric-period.js';
import { doc } from '#domain/shared/shape.js';

/** A decimal number as text, with all its digits; its magnitude must fit into a 64-bit float. */
const double: Shape<string | null> = {
  ...decimal,
  read: (reader) => {
    const value = decimal.read(reader);
    if (!Number.isFinite(Number(value))) throw errors.numberTooLarge('308 digits before its point');
    return value;
  },
};

const MEMBERS = {
  metric_definition_id: filled('id of a metric definition'),
  time_period_start: due(text, doc('instant', 'not in the future')),
  time_period_end: due(text, doc('instant', 'after the start, not in the future')),
  value: described(double, doc('number', 'default 0')),
  group_id: text,
  user_id: text,
};
export const newMetricBody = recordOf('AccountingNewMetric', MEMBERS);
export const metricChangesBody = changesOf('AccountingMetricChange', { ...MEMBERS, value: double });
/** A metric as sent; all members are optional in an update. */
export type MetricBody = Infer<typeof newMetricBody>;

export const periodIn = ({ time_period_start, time_period_end }: MetricBody): GivenPeriod => ({
  start: time_period_start,
  end: time_period_end,
});
