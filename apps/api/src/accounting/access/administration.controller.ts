import { json } from '#api/accounting/answers.js';
import * as errors from '#api/accounting/errors.js';
import { type AccountingCall, Call } from '#api/accounting/parameters.js';
import { requireSystem } from '#api/accounting/permissions.js';
import { AccountingController, Get } from '#api/accounting/route.js';
import { version } from '#api/accounting/version.js';
import type { Answer } from '#api/shared/http/answer.js';
import { answer, requiredParameter } from '#api/shared/openapi/described.js';
import { type Day, dayOf } from '#domain/shared/time.js';
import { CountQueries } from '#projections/accounting/counts/queries.js';
import { MetricQueries } from '#projections/accounting/metrics/queries.js';

const LAST_DAY = Date.parse('9999-12-31');

/**
 * Parses a UTC day more leniently than elsewhere: months and days may have one digit, and days beyond the end of a month continue in the
 * next, but never beyond the year 9999. @throws AccountingError 400
 */
const lenientDay = (text: string | undefined): Day => {
  const [, year, month, day] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text ?? '') ?? [];
  if (year === undefined) throw errors.badCountDate();
  const instant = new Date(0);
  instant.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return dayOf(new Date(Math.min(instant.getTime(), LAST_DAY)).toISOString());
};

/** Facts about the whole service (accounting contract 3.11). */
@AccountingController('accounting-system/admin', 'accounting: administration')
export class AdministrationController {
  constructor(
    private readonly queries: CountQueries,
    private readonly metrics: MetricQueries,
  ) {}

  @Get('version', {
    id: 'getAccountingVersion',
    summary: 'The version of the program',
    answers: { 200: answer({ version: 'text' }, { version: '1.0.0' }) },
  })
  version(@Call() { caller }: AccountingCall): Answer {
    requireSystem(caller);
    return json(JSON.stringify({ version }));
  }

  @Get('metrics', {
    id: 'getAccountingCounts',
    summary: 'How many metric definitions, metrics and clients were made from one day to another',
    query: {
      endDate: requiredParameter('day', 'yyyy-MM-dd; this day itself counts for clients only', '2024-04-01'),
      startDate: requiredParameter('day', 'yyyy-MM-dd', '2024-03-01'),
    },
    errors: [errors.badCountDate(), errors.badCountRange()],
    answers: {
      200: answer(
        { metric_definition_count: 'count', metric_count: 'count', actor_count: 'count' },
        { metric_definition_count: 3, metric_count: 1200, actor_count: 8 },
      ),
    },
  })
  async counts(@Call() { caller, queryText, pace }: AccountingCall): Promise<Answer> {
    requireSystem(caller);
    const [start, end] = [lenientDay(queryText('startDate')), lenientDay(queryText('endDate'))];
    if (start > end) throw errors.badCountRange();
    const [actor_count, metric_definition_count, metric_count] = await Promise.all([
      this.queries.clients(start, end),
      this.queries.definitions(start, end),
      this.metrics.recordedBetween(start, end, pace),
    ]);
    return json(JSON.stringify({ metric_definition_count, metric_count, actor_count }));
  }
}
