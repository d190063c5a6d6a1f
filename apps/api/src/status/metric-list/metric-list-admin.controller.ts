import { Options } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation } from '@nestjs/swagger';
import { type Infer, list, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { component } from '#api/shared/openapi/shape.js';
import { json, methods } from '#api/status/answers.js';
import { listOfStored, withData } from '#api/status/envelopes.js';
import * as docs from '#api/status/openapi/topology.js';
import { AdminContext } from '#api/status/parameters.js';
import { SUPER } from '#api/status/roles.js';
import { Get, Put, StatusController } from '#api/status/route.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { MetricListQueries } from '#projections/status/metric-list/queries.js';
import { ReplaceMetricList } from './commands.js';

const metricsBody = list(struct({ name: text, tags: list(text) }));

/** The metric list, shared by all tenants (status extended contract 9), for those who keep it. */
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
    keys: 'admin',
    answers: docs.metrics,
  })
  async list(): Promise<Answer> {
    const metrics = await this.metricList.text();
    return json(listOfStored(metrics ? [metrics] : []));
  }

  @Put('', {
    id: 'replaceMonitoredMetrics',
    summary: 'Replaces the metrics and their tags',
    who: SUPER,
    keys: 'admin',
    limit: 'document',
    body: metricsBody,
    request: [component('StatusMonitoredMetricRequest', { name: 'text', 'tags?': ['text'] })],
    example: docs.SENT_METRICS,
    answers: docs.said('Metrics resource succesfully updated', docs.metrics, docs.SENT_METRICS),
  })
  async replace(@AdminContext() context: CommandContext, @Body(metricsBody) metrics: Infer<typeof metricsBody>): Promise<Answer> {
    const { readable } = await this.bus.execute(new ReplaceMetricList(context, { metrics }));
    return json(withData('Metrics resource succesfully updated', metrics), { readable }); // sic
  }

  @Options()
  @ApiOperation({ summary: 'The methods of the list' })
  options(): Answer {
    return methods('GET, PUT, OPTIONS');
  }
}
