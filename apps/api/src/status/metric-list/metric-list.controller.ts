import { Inject, Param } from '@nestjs/common';
import type { Answer } from '#api/shared/http/answer.js';
import { json, listOf, listOfStored } from '#api/status/answers/answers.js';
import { queriesOf } from '#api/status/dated-records/queries-of.js';
import * as errors from '#api/status/errors.js';
import { lists } from '#api/status/openapi/envelopes.js';
import { Call, Day, type StatusCall } from '#api/status/parameters.js';
import { DATE } from '#api/status/queries.js';
import { noSuchReport } from '#api/status/report-errors.js';
import { AnswersOptions, Get, READERS, StatusController } from '#api/status/route.js';
import type { Day as DayText } from '#domain/shared/time.js';
import { metricProfiles } from '#domain/status/dated-records/metric-profiles.js';
import { type DatedQueries, recordIn } from '#projections/status/dated-records/queries.js';
import { MetricListQueries } from '#projections/status/metric-list/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { profileIds } from '#projections/status/results/report-settings.js';
import { METRIC } from './metric-body.js';

const noMetricProfile = (): errors.StatusError => errors.messageInJson(404, "Report doesn't contain a metric profile");
const unknownMetricProfile = (id: string): errors.StatusError => errors.messageInJson(404, `No metric profiles with ID: ${id} exists!`);

/** The metric list for tenants (status extended contract 9): as a whole, or the part that a report uses. */
@AnswersOptions('The methods of the metric list')
@StatusController('api/v2/metrics', 'status: metrics')
export class MetricListController {
  constructor(
    private readonly metricList: MetricListQueries,
    private readonly reports: ReportQueries,
    @Inject(queriesOf(metricProfiles)) private readonly profiles: DatedQueries,
  ) {}

  @Get('', {
    id: 'listMonitoredMetrics',
    summary: 'The metrics with their tags',
    who: READERS,
    answers: lists(METRIC),
  })
  async list(): Promise<Answer> {
    const metrics = await this.metricList.text();
    return json(listOfStored(metrics ? [metrics] : []));
  }

  @Get('by_report/:report', {
    id: 'listReportMetrics',
    summary: "The metrics of the report's metric profile as of a day",
    who: READERS,
    query: DATE,
    errors: [noSuchReport('Critical'), noMetricProfile(), unknownMetricProfile('6a5da0f4-a24b-43be-96f2-b86f92297fea')],
    answers: lists(METRIC),
  })
  async byReport(
    @Call() { tenantId }: StatusCall,
    @Param() { report: name }: Readonly<{ report: string }>,
    @Day() day: DayText,
  ): Promise<Answer> {
    const report = await this.reports.byName({ tenantId, name });
    if (!report) throw noSuchReport(name);
    const id = profileIds(report).get('metric');
    if (id === undefined) throw noMetricProfile();
    const profile = await this.profiles.snapshot({ tenantId, id }, day);
    if (!profile) throw unknownMetricProfile(id);
    const { services } = recordIn(metricProfiles, profile);
    const used = new Set(services.flatMap(({ metrics }) => metrics));
    const metrics = await this.metricList.metrics();
    return json(listOf(metrics.filter((metric) => used.has(metric.name))));
  }
}
