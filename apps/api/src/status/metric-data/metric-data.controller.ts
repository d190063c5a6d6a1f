import { CommandBus } from '@nestjs/cqrs';
import { isNdjson } from '#api/shared/bodies/body-limits.js';
import { list } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter } from '#api/shared/http/parameters.js';
import { exampleOfQuota } from '#api/shared/quota-example.js';
import { json, message } from '#api/status/answers/answers.js';
import * as errors from '#api/status/errors.js';
import { saysCreated } from '#api/status/openapi/envelopes.js';
import { Call, type StatusCall } from '#api/status/parameters.js';
import { Post, StatusController, WRITERS } from '#api/status/route.js';
import { RecordMetricResults } from './commands.js';
import { metricItem } from './metric-body.js';
import { type BodyForm, readMetricCall } from './metric-call.js';
import { TenantQuota } from './tenant-quota.js';

const FormOfBody = parameter(({ headers }): BodyForm => (isNdjson(headers) ? 'lines' : 'array'));

const stored = (count: number): string => `${count} metric results stored`;

const NO_BODY = { bytes: Buffer.alloc(0), isJson: false };

/** Accepts metric results from the monitoring engine (status contract 13.4). */
@StatusController('api/v2/metric_data', 'status: metric results')
export class MetricDataController {
  constructor(
    private readonly bus: CommandBus,
    private readonly quota: TenantQuota,
  ) {}

  @Post('', {
    id: 'storeMetricData',
    summary: 'Stores metric results: all of them, or none when one is not as it should be',
    description:
      'A JSON array, or NDJSON. If the stores fail, the answer is 503; a repeat with the same Idempotency-Key stores the results once.',
    who: WRITERS,
    limit: 'metricData',
    body: list(metricItem),
    takes: ['application/json', 'application/x-ndjson'],
    example: [{ timestamp: '2026-03-01T07:30:00Z', service: 'web', host: 'web.example.org', metric: 'http', status: 'OK' }],
    errors: [errors.quotaExceeded(exampleOfQuota('results'))],
    answers: saysCreated(stored(1)),
  })
  async create(@Call() { context, tenantId, body }: StatusCall, @FormOfBody() form: BodyForm): Promise<Answer> {
    const { bytes, isJson } = body ?? NO_BODY;
    const submitted = await readMetricCall(bytes, form, isJson);
    const amount = { messages: submitted.count, bytes: bytes.length };
    const command = new RecordMetricResults(context, { tenantId, submitted });
    const { readable } = await this.quota.within(tenantId, amount, () => this.bus.execute(command));
    return json(message(stored(submitted.count), '201'), { status: 201, readable });
  }
}
