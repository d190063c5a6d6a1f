import { Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { isNdjson } from '#api/shared/bodies/body-limits.js';
import { list, type ReceivedBody } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter, RawBody } from '#api/shared/http/parameters.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import { json } from '#api/status/answers.js';
import { message } from '#api/status/envelopes.js';
import { TenantRoute } from '#api/status/http-policy.js';
import { Caller, type TenantCaller, TenantContext } from '#api/status/parameters.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { RecordMetricResults } from './commands.js';
import { metricItem } from './metric-body.js';
import { type BodyForm, readMetricCall } from './metric-call.js';

const FormOfBody = parameter(({ headers }): BodyForm => (isNdjson(headers) ? 'lines' : 'array'));

const NO_BODY = { bytes: Buffer.alloc(0), isJson: false };

/** Takes metric results from the monitoring engine (status contract 13.4). */
@ApiTags('status: metric results')
@ApiSecurity('x-api-key')
@Controller('api/v2/metric_data')
export class MetricDataController {
  constructor(private readonly bus: CommandBus) {}

  @Post()
  @HttpCode(201)
  @TenantRoute('metricData.create', 'metricData')
  @ApiOperation({
    summary: 'Stores metric results: all of them, or none when one is not as it should be',
    description: 'A JSON array, or NDJSON. The stores failing halfway is a 503; a repeat with the same Idempotency-Key stores the rest.',
  })
  @ApiConsumes('application/json', 'application/x-ndjson')
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaOf(list(metricItem)) })
  async create(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @FormOfBody() form: BodyForm,
    @RawBody() body: ReceivedBody | undefined,
  ): Promise<Answer> {
    const { bytes, isJson } = body ?? NO_BODY;
    const submitted = await readMetricCall(bytes, form, isJson);
    const { readable } = await this.bus.execute(new RecordMetricResults(context, { tenantId, submitted }));
    return json(message(`${submitted.count} metric results stored`, '201'), { status: 201, readable });
  }
}
