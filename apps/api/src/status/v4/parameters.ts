import { parameter } from '#api/shared/openapi/described.js';
import { bounded, oneOf } from '#api/shared/openapi/shape.js';

export const GRANULARITY = {
  granularity: parameter(bounded(oneOf('daily', 'monthly', 'custom'), { default: 'daily' }), 'what figures are summed up over'),
};

/** The parameters of calls about days. */
export const DAYS = {
  start_date: parameter('day', 'first UTC day, with `end_date`'),
  end_date: parameter('day', 'last UTC day, with `start_date`'),
  date: parameter('day', 'UTC day; default today'),
  start_time: parameter('instant', 'UTC instant, with `end_time`'),
  end_time: parameter('instant', 'UTC instant, with `start_time`'),
  period: parameter(bounded('text', { pattern: '^\\d+[dwm]$' }), 'days, weeks or months up to today, such as `7d`'),
  ...GRANULARITY,
};

/** The parameters of calls for statuses. */
export const STATUS_TIMES = {
  start_time: parameter('instant', 'UTC instant, with `end_time`'),
  end_time: parameter('instant', 'UTC instant, with `start_time`'),
  history: parameter('text', 'any value: all changes of today'),
  view: parameter(oneOf('details', 'latest'), '`details`: with what thresholds did; `latest`, of version 3: only the last status'),
};
