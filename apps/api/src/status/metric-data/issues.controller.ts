import { Inject, Param } from '@nestjs/common';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter } from '#api/shared/openapi/described.js';
import { json, listOfPages } from '#api/status/answers.js';
import * as errors from '#api/status/errors.js';
import { lists } from '#api/status/openapi/envelopes.js';
import { Call, Day, type StatusCall } from '#api/status/parameters.js';
import { DATE } from '#api/status/queries.js';
import { reportNamed, unknownExample } from '#api/status/report-errors.js';
import { AnswersOptions, routesWith, StatusController, VIEWERS } from '#api/status/route.js';
import type { Day as DayText } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { RESULTS, type ReportReader, type Results } from '#projections/status/results/report-reader.js';
import { endpointIssues, type IsIssue, metricIssues } from './computed-issues.js';
import { ENDPOINT_ISSUE, METRIC_ISSUE } from './openapi.js';

/** The requested status, or by default any except OK. */
const issuesOf =
  (filter: string | undefined): IsIssue =>
  (status) =>
    filter ? status === filter : status !== 'OK';

/** Whether the statuses of the day are those of its timelines; other days have points as they came. */
const hasTimelines = async (report: ReportReader, day: DayText): Promise<boolean> =>
  report.computations.status && (await report.isComputable(day));

const { Get } = routesWith({ who: VIEWERS, errors: [unknownExample(errors.messageInJson)] });

/** Endpoints and metrics with a status other than OK on a day (status extended contract 7). */
@AnswersOptions('The methods of issues')
@StatusController('api/v2/issues/:report', 'status: metric results')
export class IssuesController {
  constructor(
    private readonly metrics: MetricDataQueries,
    @Inject(RESULTS) private readonly results: Results,
  ) {}

  @Get('endpoints', {
    id: 'listEndpointIssues',
    summary: 'Endpoints whose last status of the day is not OK',
    query: { filter: parameter('text', 'only this status, in any letter case'), ...DATE },
    answers: lists(ENDPOINT_ISSUE),
  })
  async endpoints(
    @Call() { tenantId, queryText }: StatusCall,
    @Param() { report: name }: Readonly<{ report: string }>,
    @Day() day: DayText,
  ): Promise<Answer> {
    const report = await reportNamed(this.results, tenantId, name, errors.messageInJson);
    const isIssue = issuesOf(queryText('filter')?.toUpperCase());
    const slice = new TimeSlice();
    const issues = (await hasTimelines(report, day))
      ? endpointIssues(report, day, isIssue, slice)
      : this.metrics.endpoints({ tenantId, report: report.id, day }, isIssue, slice);
    return json(await listOfPages(issues));
  }

  @Get('groups/:group/metrics', {
    id: 'listGroupMetricIssues',
    summary: 'Every status other than OK that a metric of a group had on the day',
    query: { filter: parameter('text', 'only this status'), ...DATE },
    answers: lists(METRIC_ISSUE),
  })
  async ofGroup(
    @Call() { tenantId, queryText }: StatusCall,
    @Param() { report: name, group }: Readonly<{ report: string; group: string }>,
    @Day() day: DayText,
  ): Promise<Answer> {
    const report = await reportNamed(this.results, tenantId, name, errors.messageInJson);
    const isIssue = issuesOf(queryText('filter'));
    const slice = new TimeSlice();
    const issues = (await hasTimelines(report, day))
      ? metricIssues(report, { day, group }, isIssue, slice)
      : this.metrics.statuses({ tenantId, report: report.id, group, day }, isIssue, slice);
    return json(await listOfPages(issues));
  }
}
