import { Inject, Options, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation } from '@nestjs/swagger';
import { type Infer, integer, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { answer, parameter } from '#api/shared/openapi/described.js';
import { CLOCK } from '#api/shared/tokens.js';
import { json, methods } from '#api/status/answers.js';
import { StatusError } from '#api/status/errors.js';
import * as docs from '#api/status/openapi/service.js';
import { TenantContext } from '#api/status/parameters.js';
import { Get, Post, StatusController } from '#api/status/route.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { type HealthDocument, HealthQueries } from '#projections/status/health/queries.js';
import { wireText } from '#projections/status/layout.js';
import { AcknowledgeConsistency, ReportConsistency } from './commands.js';
import { healthAnswer } from './health-answer.js';

const checkBody = struct({ status: text, message: text });
const acknowledgementBody = struct({ status: text, message: text, timeout_hours: integer });

/** `EMSGN(404)`, in JSON whatever is accepted. */
const missing = (message: string): StatusError => new StatusError(404, { message, code: 404 }, true);

/** Health of the installation, the same for all tenants (results contract 13). */
@StatusController('api', 'status: health')
export class StatusHealthController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: HealthQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get(
    { 'v2/health': 'getStatusHealthV2', 'v3/health': 'getStatusHealthV3' },
    {
      summary: 'Health of the installation: what the last check says, or the acknowledgement of it',
      who: ['editor', 'viewer'],
      answers: { 200: answer(docs.HEALTH, docs.SHOWN) },
    },
  )
  async health(): Promise<Answer> {
    return this.shown(await this.found('Health status not yet available'), false);
  }

  @Get(
    { 'v2/consistency': 'getConsistencyV2', 'v3/consistency': 'getConsistencyV3' },
    {
      summary: 'The same as health; with verbose also the check and the acknowledgement themselves',
      who: ['editor', 'consitency-viewer', 'consistency-viewer'], // sic, and as it is meant
      query: {
        verbose: { ...parameter('text', 'any value: with check and acknowledgement'), allowEmptyValue: true },
      },
      answers: { 200: answer(docs.CONSISTENCY, docs.DETAILS) },
    },
  )
  async consistency(@Query() query: Readonly<Record<string, unknown>>): Promise<Answer> {
    return this.shown(await this.found('Constistency information is not yet available'), Object.hasOwn(query, 'verbose')); // sic
  }

  @Post(
    { 'v2/consistency/auto-check': 'reportAutoCheckV2', 'v3/consistency/auto-check': 'reportAutoCheckV3' },
    {
      summary: 'Reports the outcome of an automatic check',
      who: ['consistency-check'],
      body: checkBody,
      request: docs.CHECK,
      example: { status: 'CRITICAL', message: 'no data' },
      answers: docs.saysNumbered('The Auto Check event was posted succesfully'),
    },
  )
  check(@TenantContext() context: CommandContext, @Body(checkBody) body: Infer<typeof checkBody>): Promise<Answer> {
    return this.judge(new ReportConsistency(context, body), 'Auto Check');
  }

  @Post(
    { 'v2/consistency/ack': 'acknowledgeConsistencyV2', 'v3/consistency/ack': 'acknowledgeConsistencyV3' },
    {
      summary: 'Overrules the checks for some hours, 6 unless the body says otherwise',
      who: ['consistency-ack'],
      body: acknowledgementBody,
      request: docs.ACKNOWLEDGEMENT,
      example: { status: 'OK', message: 'known and harmless', timeout_hours: 6 },
      answers: docs.saysNumbered('The Ack event was posted succesfully'),
    },
  )
  acknowledge(
    @TenantContext() context: CommandContext,
    @Body(acknowledgementBody) { timeout_hours: timeoutHours, ...said }: Infer<typeof acknowledgementBody>,
  ): Promise<Answer> {
    return this.judge(new AcknowledgeConsistency(context, { ...said, timeoutHours }), 'Ack');
  }

  @Options(['v2/health', 'v3/health', 'v2/consistency', 'v3/consistency'])
  @ApiOperation({ summary: 'The methods of a read' })
  readOptions(): Answer {
    return methods('GET, OPTIONS');
  }

  @Options(['v2/consistency/auto-check', 'v3/consistency/auto-check', 'v2/consistency/ack', 'v3/consistency/ack'])
  @ApiOperation({ summary: 'The methods of a report' })
  writeOptions(): Answer {
    return methods('POST, OPTIONS');
  }

  /** @throws StatusError 404 */
  private async found(message: string): Promise<HealthDocument> {
    const health = await this.queries.health();
    if (!health) throw missing(message);
    return health;
  }

  private shown(health: HealthDocument, verbose: boolean): Answer {
    return json(wireText(healthAnswer(health, this.clock(), verbose)));
  }

  private async judge(judgement: ReportConsistency | AcknowledgeConsistency, what: string): Promise<Answer> {
    try {
      const { readable } = await this.bus.execute(judgement);
      return json(wireText({ message: `The ${what} event was posted succesfully`, code: 200 }), { readable }); // sic
    } catch (error) {
      if (error instanceof DomainError && error.code === 'CONSISTENCY_NOT_CHECKED')
        throw missing('There is no auto check event yet to acknowledge');
      throw error;
    }
  }
}
