import { Inject, Param } from '@nestjs/common';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter } from '#api/shared/openapi/described.js';
import { json, listOfPages } from '#api/status/answers/answers.js';
import * as errors from '#api/status/errors.js';
import { lists } from '#api/status/openapi/envelopes.js';
import { Call, Day, type StatusCall } from '#api/status/parameters.js';
import { DATE } from '#api/status/queries.js';
import { existing, unknownExample } from '#api/status/report-errors.js';
import { AnswersOptions, routesWith, StatusController, VIEWERS } from '#api/status/route.js';
import type { Day as DayText } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { RESULTS, type Results } from '#projections/status/results/report-reader.js';
import { expectingOf } from './expecting.js';
import { withInfo } from './issue-info.js';
import { ENDPOINT_ISSUE, METRIC_ISSUE } from './openapi.js';

/** Returns whether a status is an issue: the requested one, or by default any except OK. */
const isIssue =
  (filter: string | undefined) =>
  (status: string): boolean =>
    filter ? status === filter : status !== 'OK';

const { Get } = routesWith({ who: VIEWERS, errors: [unknownExample(errors.messageInJson)] });

/** Endpoints and metrics with a status other than OK on a day (status extended contract 7). */
@AnswersOptions('The methods of issues')
@StatusController('api/v2/issues/:report', 'status: metric results')
export class IssuesController {
  constructor(
    private readonly metrics: MetricDataQueries,
    private readonly reports: ReportQueries,
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
    const { id: report } = existing(await this.reports.byName({ tenantId, name }), name, errors.messageInJson);
    const expecting = expectingOf(this.results, { tenantId, name, day });
    const slice = new TimeSlice();
    const endpoints = this.metrics.endpoints({ tenantId, report, day, expecting }, isIssue(queryText('filter')?.toUpperCase()), slice);
    return json(await listOfPages(withInfo(endpoints, expecting, slice)));
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
    const { id: report } = existing(await this.reports.byName({ tenantId, name }), name, errors.messageInJson);
    const expecting = expectingOf(this.results, { tenantId, name, day });
    const slice = new TimeSlice();
    const statuses = this.metrics.statuses({ tenantId, report, group, day, expecting }, isIssue(queryText('filter')), slice);
    return json(await listOfPages(withInfo(statuses, expecting, slice, group)));
  }
}
