import { Param } from '@nestjs/common';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import { Reading, type ReadingCall } from '#api/status/parameters.js';
import { granularity, PERIOD, VIEW_OF_NODE } from '#api/status/queries.js';
import { numbersOf, wireRow } from '#api/status/results/results-json.js';
import type { PeriodRow } from '#api/status/results/series.js';
import { AnswersOptions, NODE_VIEWERS, routesWith, StatusController } from '#api/status/route.js';
import { GroupAnswers, noNodeReport, type RowView } from './group-answers.js';
import { summary } from './groups.controller.js';
import { GROUP_STATUSES_V4, GROUP_SUMMARIES_V4, MONITORING_METRICS_V4 } from './openapi.js';
import { BAD_DATE, BAD_GRANULARITY, BAD_TIME, type DayNames, HYPHENS, periodOfV4 } from './v4-query.js';

type Params = Readonly<{ group?: string }>;

const availability = (row: PeriodRow): object => ({ date: row.label, availability: wireRow(row, 'date').availability });
const uptime = (row: PeriodRow): object => ({ date: row.label, uptime: wireRow(row, 'date').uptime });

/** As numbers; an uptime of 0 is omitted. */
const metrics = (row: PeriodRow): object => {
  const { date, availability, reliability, uptime } = numbersOf(row, 'date');
  return { date, availability, reliability, ...(uptime !== 0 && { uptime }) };
};

/** The path of a list and of one of its items, with operation ids. */
const of = (path: string, plural: string, singular: string) => ({
  [path]: `listNode${plural}V4`,
  [`${path}/:group`]: `getNode${singular}V4`,
});
const GRANULARITY = granularity('what figures are summed up over');
const TIMES_OF_DAY = {
  start_time: parameter('instant', 'UTC instant, with `end_time`'),
  end_time: parameter('instant', 'UTC instant, with `start_time`'),
};
const DAYS = {
  start_date: parameter('day', 'first UTC day, with `end_date`'),
  end_date: parameter('day', 'last UTC day, with `start_date`'),
  date: parameter('day', 'UTC day; default today'),
  ...TIMES_OF_DAY,
  period: parameter(PERIOD, 'days, weeks or months up to today, such as `7d`'),
  ...GRANULARITY,
};
const { Get } = routesWith({ who: NODE_VIEWERS, query: DAYS, errors: [BAD_GRANULARITY, BAD_DATE, noNodeReport()] });

/** Endpoint groups of the report of a tenant as a node (status contract of 2026, 8). */
@AnswersOptions('The methods of nodes')
@StatusController('api/v4/nodes/:node', 'status: nodes')
export class NodesV4Controller {
  constructor(private readonly answers: GroupAnswers) {}

  @Get(of('capabilities/summary', 'Summaries', 'Summary'), {
    summary: 'Availability and uptime of the groups of a node',
    answers: shows(GROUP_SUMMARIES_V4),
  })
  summary(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.figures(call, params, summary);
  }

  @Get(of('capabilities/availability', 'Availabilities', 'Availability'), {
    summary: 'Availability of the groups of a node',
    answers: shows(GROUP_SUMMARIES_V4),
  })
  availability(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.figures(call, params, availability);
  }

  @Get(of('capabilities/uptime', 'Uptimes', 'Uptime'), {
    summary: 'Uptime of the groups of a node',
    answers: shows(GROUP_SUMMARIES_V4),
  })
  uptime(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.figures(call, params, uptime);
  }

  @Get(of('capabilities/status', 'Statuses', 'Status'), {
    summary: 'Statuses of the groups of a node',
    query: { ...TIMES_OF_DAY, history: parameter('text', 'any value: all changes of today'), ...VIEW_OF_NODE },
    errors: [BAD_TIME, noNodeReport()],
    answers: shows(GROUP_STATUSES_V4),
  })
  async status(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.answers.statuses(await this.answers.nodeReport(call.caller.tenantId), params, call);
  }

  @Get(
    {
      ...of('capabilities/monitoring/metrics', 'MonitoringMetrics', 'MonitoringMetric'),
      ...of('monitoring/metrics', 'Metrics', 'Metric'), // the earlier path
    },
    {
      summary: 'Availability, reliability and uptime of the groups of a node, as numbers',
      query: {
        'start-date': parameter('day', 'first UTC day, with `end-date`'),
        'end-date': parameter('day', 'last UTC day, with `start-date`'),
        ...GRANULARITY,
      },
      errors: [BAD_GRANULARITY, noNodeReport()],
      answers: shows(MONITORING_METRICS_V4),
    },
  )
  metrics(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.figures(call, params, metrics, HYPHENS);
  }

  private async figures({ caller, query, work }: ReadingCall, { group }: Params, view: RowView, names?: DayNames): Promise<Answer> {
    const reader = await this.answers.nodeReport(caller.tenantId);
    return this.answers.figures(reader, periodOfV4(query, reader.now, names), group, view, work);
  }
}
