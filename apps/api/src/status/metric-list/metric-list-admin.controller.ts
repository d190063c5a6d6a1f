import { CommandBus } from '@nestjs/cqrs';
import { type Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { json, listOfStored, withData } from '#api/status/answers/answers.js';
import { lists } from '#api/status/openapi/envelopes.js';
import { Admin, type AdminCall } from '#api/status/parameters.js';
import { AnswersOptions, Get, Put, StatusController, SUPER } from '#api/status/route.js';
import { MetricListQueries } from '#projections/status/metric-list/queries.js';
import { ReplaceMetricList } from './commands.js';
import { HTTP, METRIC, metricsBody } from './metric-body.js';

const UPDATED = 'Metrics resource succesfully updated'; // sic

/** The metric list, shared by all tenants (status extended contract 9), for its administrators. */
@AnswersOptions('The methods of the list', 'GET, PUT, OPTIONS')
@StatusController('api/v2/admin/metrics', 'status: metrics')
export class MetricListAdminController {
  constructor(
    private readonly bus: CommandBus,
    private readonly metricList: MetricListQueries,
  ) {}

  @Get('', {
    id: 'listMonitoredMetricsAsAdministrator',
    summary: 'The metrics with their tags, for administrators',
    who: SUPER,
    answers: lists(METRIC),
  })
  async list(): Promise<Answer> {
    const metrics = await this.metricList.text();
    return json(listOfStored(metrics ? [metrics] : []));
  }

  @Put('', {
    id: 'replaceMonitoredMetrics',
    summary: 'Replaces the metrics and their tags',
    who: SUPER,
    limit: 'document',
    body: metricsBody,
    example: [HTTP],
    answers: lists(METRIC, HTTP, UPDATED),
  })
  async replace(@Admin() { context }: AdminCall, @Body(metricsBody) metrics: Infer<typeof metricsBody>): Promise<Answer> {
    const { readable } = await this.bus.execute(new ReplaceMetricList(context, { metrics }));
    return json(withData(UPDATED, metrics), { readable });
  }
}
