import { Param } from '@nestjs/common';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import * as errors from '#api/status/errors.js';
import { Reading, type ReadingCall } from '#api/status/parameters.js';
import { granularity, PERIOD, VIEW } from '#api/status/queries.js';
import { wireRow } from '#api/status/results/results-json.js';
import type { PeriodRow } from '#api/status/results/series.js';
import { AnswersOptions, READERS, routesWith, StatusController } from '#api/status/route.js';
import { GroupAnswers, severalReports } from './group-answers.js';
import { GROUP_STATUSES_V4, GROUP_SUMMARIES_V4 } from './openapi.js';
import { BAD_DATE, BAD_GRANULARITY, BAD_TIME, periodOfV4 } from './v4-query.js';

const { Get } = routesWith({ who: READERS });

const REPORT = { report: parameter('text', 'name or id; default the only report of the tenant') };
const TIMES_OF_REPORT = {
  end_time: parameter('instant', 'UTC instant, with `start_time`'),
  start_time: parameter('instant', 'UTC instant, with end_time'),
};

type Params = Readonly<{ group?: string }>;

/** Date, availability and uptime of a row, as texts. */
export const summary = (row: PeriodRow): object => {
  const { date, availability, uptime } = wireRow(row, 'date');
  return { date, availability, uptime };
};

/** Endpoint groups in the shape of version 4 (status contract of 2026, 7). */
@AnswersOptions('The methods of endpoint groups of version 4')
@StatusController('api/v4', 'status: results')
export class GroupsV4Controller {
  constructor(private readonly answers: GroupAnswers) {}

  @Get(
    { 'results/groups': 'listGroupResultsV4', 'results/groups/:group': 'getGroupResultV4' },
    {
      summary: 'Availability and uptime of endpoint groups; default today',
      query: {
        ...granularity('what figures are summed up over'),
        period: parameter(PERIOD, '7d, 2w, 1m: so long up to today'),
        ...TIMES_OF_REPORT,
        date: parameter('day', 'YYYY-MM-DD'),
        end_date: parameter('day', 'last UTC day, with `start_date`'),
        start_date: parameter('day', 'YYYY-MM-DD, with end_date'),
        ...REPORT,
      },
      errors: [BAD_GRANULARITY, BAD_DATE, severalReports(), errors.numericMessage(404, 'The report: Critical does not exist')],
      answers: shows(GROUP_SUMMARIES_V4),
    },
  )
  async results(@Reading() { caller, query, work }: ReadingCall, @Param() { group }: Params): Promise<Answer> {
    const reader = await this.answers.reportOf(caller.tenantId, query);
    return this.answers.figures(reader, periodOfV4(query, reader.now), group, summary, work);
  }

  @Get(
    { 'status/groups': 'listGroupStatusesV4', 'status/groups/:group': 'getGroupStatusV4' },
    {
      summary: 'Statuses of endpoint groups; without times the latest of today',
      query: { ...VIEW, history: parameter('text', 'all changes of today'), ...TIMES_OF_REPORT, ...REPORT },
      errors: [BAD_TIME, severalReports(), errors.numericMessage(404, 'No reports found')],
      answers: shows(GROUP_STATUSES_V4),
    },
  )
  async statuses(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    const reader = await this.answers.reportOf(call.caller.tenantId, call.query);
    return this.answers.statuses(reader, params, call);
  }
}
