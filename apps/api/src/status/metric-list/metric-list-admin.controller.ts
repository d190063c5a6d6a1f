import { Controller, Get, Options, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { type Infer, list, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import { json, methods } from '#api/status/answers.js';
import { listOfStored, withData } from '#api/status/envelopes.js';
import { AdminRoute } from '#api/status/http-policy.js';
import { AdminContext } from '#api/status/parameters.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { MetricListQueries } from '#projections/status/metric-list/queries.js';
import { ReplaceMetricList } from './commands.js';

const metricsBody = list(struct({ name: text, tags: list(text) }));

/** The metric list, shared by all tenants (status extended contract 9), for those who keep it. */
@ApiTags('status: metrics')
@ApiSecurity('x-api-key')
@Controller('api/v2/admin/metrics')
export class MetricListAdminController {
  constructor(
    private readonly bus: CommandBus,
    private readonly metricList: MetricListQueries,
  ) {}

  @Get()
  @AdminRoute('metrics_admin.get')
  @ApiOperation({ summary: 'The whole list' })
  async list(): Promise<Answer> {
    const metrics = await this.metricList.text();
    return json(listOfStored(metrics ? [metrics] : []));
  }

  @Put()
  @AdminRoute('metrics_admin.update', 'document')
  @ApiOperation({ summary: 'Replaces the whole list' })
  @ApiBody({ schema: schemaOf(metricsBody) })
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
