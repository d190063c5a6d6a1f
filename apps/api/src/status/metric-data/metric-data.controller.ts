import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNdjson } from '#api/shared/bodies/body-limits.js';
import { list } from '#api/shared/bodies/body-shape.js';
import { StreamWrite } from '#api/shared/commands/stream-write.js';
import { StreamWrites } from '#api/shared/commands/stream-writes.js';
import { noteReadability } from '#api/shared/http/read-model-header.js';
import { contextOf, receivedBodyOf } from '#api/shared/http/request-context.js';
import { CLOCK } from '#api/shared/tokens.js';
import { message } from '#api/status/envelopes.js';
import { TenantRoute, tenantAdmission } from '#api/status/http-policy.js';
import { JSON_TYPE } from '#api/status/responses.js';
import type { Clock } from '#domain/shared/clock.js';
import { metricCalls, metricData, streamOfMetricCall } from '#domain/status/metric-data/metric-data.js';
import { metricItem } from './metric-body.js';
import { type BodyForm, readMetricCall, writesOf } from './metric-call.js';

/** Events that are written at a time: each has up to 32 results, and the read models take them up together. */
const AT_A_TIME = 12;

const formOf = ({ headers }: FastifyRequest): BodyForm => (isNdjson(headers) ? 'lines' : 'array');

const NO_BODY = { bytes: Buffer.alloc(0), isJson: false };

/** Takes metric results from the monitoring engine (status contract 13.4). */
@ApiTags('status: metric results')
@ApiSecurity('x-api-key')
@Controller('api/v2/metric_data')
export class MetricDataController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(201)
  @TenantRoute('metricData.create', 'metricData')
  @ApiOperation({
    summary: 'Stores metric results: all of them, or none when one is not as it should be',
    description: 'A JSON array, or NDJSON. The stores failing halfway is a 503; a repeat with the same Idempotency-Key stores the rest.',
  })
  @ApiConsumes('application/json', 'application/x-ndjson')
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: list(metricItem).schema })
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { tenantId, actorId } = tenantAdmission(request).caller;
    const { bytes, isJson } = receivedBodyOf(request) ?? NO_BODY;
    const call = await readMetricCall(bytes, formOf(request), isJson);
    const context = contextOf(request, 'status', { kind: 'user', id: actorId }, this.clock);
    if (context.idempotency) {
      const stream = streamOfMetricCall(context.idempotency.key);
      await this.commands.execute(
        new StreamWrite(stream, metricCalls, { type: 'SubmitMetricData', tenantId, results: call.count }, context),
      );
    }
    const { readable } = await this.commands.execute(new StreamWrites(metricData, writesOf(call, tenantId, context), AT_A_TIME));
    noteReadability(reply, readable);
    reply
      .code(201)
      .type(JSON_TYPE)
      .send(message(`${call.count} metric results stored`, '201'));
  }
}
