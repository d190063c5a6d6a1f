import { Inject, Param } from '@nestjs/common';
import type { Answer } from '#api/shared/http/answer.js';
import { firstOf } from '#api/shared/http/request-context.js';
import type { AnswerBudget } from '#api/status/answers/answer-memory.js';
import * as errors from '#api/status/errors.js';
import { Reading, type ReadingCall } from '#api/status/parameters.js';
import { TIMES, VIEW } from '#api/status/queries.js';
import { ANSWER_SOURCES, type AnswerSources } from '#api/status/reads.js';
import { OTHER_GROUP_TYPE, unknownExample, withGroups } from '#api/status/report-errors.js';
import { AnswersOptions, Get, READERS, StatusController } from '#api/status/route.js';
import { TIME_REFUSALS, timeSpan } from '#api/status/time-query.js';
import { SHOWS_METRIC_TIMELINES } from '#api/status/timelines/openapi.js';
import { dayBefore } from '#domain/shared/time.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { metricStatusesBody } from './metric-statuses.js';
import { MetricTimelines } from './metric-timelines.js';

/** Kind of these answers in the memory of answers: they may keep their place while a large call of their tenant goes on. */
const KIND = 'metrics';

type Params = Readonly<{ report: string; type: string; group: string; service: string; endpoint: string; metric?: string }>;

/** Timelines of the metrics of an endpoint (status contract 14, results contract 12.4). */
@AnswersOptions('The methods of the metrics of an endpoint')
@StatusController('api/v2/status/:report/:type/:group/services/:service/endpoints/:endpoint/metrics', 'status: metric results')
export class MetricStatusesController {
  constructor(
    private readonly timelines: MetricTimelines,
    private readonly reports: ReportQueries,
    @Inject(ANSWER_SOURCES) private readonly sources: Pick<AnswerSources, 'answers'>,
  ) {}

  @Get(
    { '': 'listMetricTimelines', ':metric': { id: 'getMetricTimeline', summary: 'The statuses of one metric of an endpoint' } },
    {
      summary: 'The statuses of all metrics of an endpoint',
      who: READERS,
      query: { ...VIEW, end_time: TIMES.end_time, start_time: TIMES.start_time },
      errors: [...TIME_REFUSALS, unknownExample(errors.messageOnly), OTHER_GROUP_TYPE],
      answers: SHOWS_METRIC_TIMELINES,
    },
  )
  async statuses(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    const { caller, query } = call;
    const { tenantId } = caller;
    const { from, to } = timeSpan(query);
    const { report: name, type: groupType, group, service, endpoint: host, metric } = params;
    const { id: report } = withGroups(await this.reports.byName({ tenantId, name }), name, groupType);
    const listed = { tenantId, report, name, group, service, host, ...(metric !== undefined && { metric }) };
    const endpoint = { group, groupType, service, host };
    const collect = async (budget: AnswerBudget) => {
      const found = await this.timelines.of(listed, { from, to }, budget);
      const points = found.days.length > 0 ? found : await this.timelines.of(listed, { from: dayBefore(from), to }, budget);
      return metricStatusesBody(endpoint, points, firstOf(query.view) === 'details');
    };
    return this.sources.answers.answer(call, collect, KIND);
  }
}
