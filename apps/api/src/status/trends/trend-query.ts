import { firstOf } from '#api/shared/http/request-context.js';
import * as errors from '#api/status/errors.js';
import type { Query } from '#api/status/time-query.js';
import { type Day, isDay } from '#domain/shared/time.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';

/** Parameters of a call about trends. `top`: items per list, `undefined` for all. */
type TrendQuery = Readonly<{ span: DaySpan; monthly: boolean; top: number | undefined }>;

const PART_OF_RANGE = 'please use either a date url parameter or a combination of start_date and end_date parameters to declare range';

const checkedDay = (text: string): Day => {
  if (!isDay(text)) throw errors.asJson(errors.badDate(text));
  return text;
};

const spanIn = (query: Query, today: Day): DaySpan => {
  const [date, start, end] = [firstOf(query.date), firstOf(query.start_date), firstOf(query.end_date)];
  if (date) return { from: checkedDay(date), to: date };
  if (start && end) return { from: checkedDay(start), to: checkedDay(end) };
  if (start || end) throw errors.asJson(errors.badRequest(PART_OF_RANGE));
  return { from: today, to: today };
};

const topIn = (given: string | undefined): number | undefined => {
  if (!given) return undefined;
  if (!/^-?\d+$/.test(given)) throw errors.asJson(errors.badRequest(`top parameter value: ${given} is not an integer`));
  return Number(given) > 0 ? Number(given) : undefined;
};

/** An empty parameter counts as absent. @throws StatusError 400, JSON whatever the caller accepts (results contract 12.7) */
export const trendQuery = (query: Query, today: Day): TrendQuery => ({
  span: spanIn(query, today),
  monthly: firstOf(query.granularity) === 'monthly',
  top: topIn(firstOf(query.top)),
});
