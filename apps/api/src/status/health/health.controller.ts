import { Inject, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { described, type Infer, integer, named, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import { CLOCK } from '#api/shared/tokens.js';
import { json } from '#api/status/answers/answers.js';
import { worded } from '#api/status/bodies.js';
import { StatusError } from '#api/status/errors.js';
import { Call, type StatusCall } from '#api/status/parameters.js';
import { AnswersOptions, Get, inTenant, Post, StatusController } from '#api/status/route.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import { type HealthDocument, HealthQueries } from '#projections/status/health/queries.js';
import { wireText } from '#projections/status/layout.js';
import { AcknowledgeConsistency, ReportConsistency } from './commands.js';
import { healthAnswer } from './health-answer.js';
import { CONSISTENCY, HEALTH, STATE, saysNumbered } from './openapi.js';

const JUDGEMENT = { status: described(text, STATE), message: text };
const checkBody = named('StatusAutoCheckRequest', struct(JUDGEMENT));
const acknowledgementBody = named(
  'StatusAcknowledgementRequest',
  struct({ ...JUDGEMENT, timeout_hours: worded(integer, 'how long the acknowledgement holds; default 6, for 0 too') }),
);

/** Messages of success (sic). */
const DONE = {
  check: 'The Auto Check event was posted succesfully',
  acknowledge: 'The Ack event was posted succesfully',
} as const;

/** `EMSGN(404)`, always JSON. */
const missing = (message: string): StatusError => new StatusError(404, { message, code: 404 }, true);

/** Health of the installation, the same for all tenants (results contract 13). */
@AnswersOptions('The methods of a report', 'POST, OPTIONS', [
  'v2/consistency/auto-check',
  'v3/consistency/auto-check',
  'v2/consistency/ack',
  'v3/consistency/ack',
])
@AnswersOptions('The methods of a read', 'GET, OPTIONS', ['v2/health', 'v3/health', 'v2/consistency', 'v3/consistency'])
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
      who: inTenant('editor', 'viewer'),
      errors: [missing('Health status not yet available')],
      answers: shows(HEALTH),
    },
  )
  async health(): Promise<Answer> {
    return this.shown(await this.found('Health status not yet available'), false);
  }

  @Get(
    { 'v2/consistency': 'getConsistencyV2', 'v3/consistency': 'getConsistencyV3' },
    {
      summary: 'The same as health; with verbose also the check and the acknowledgement themselves',
      who: inTenant('editor', 'consitency-viewer', 'consistency-viewer'), // sic, and the correct spelling
      query: { verbose: { ...parameter('text', 'any value: with check and acknowledgement'), allowEmptyValue: true } },
      errors: [missing('Constistency information is not yet available')],
      answers: shows(CONSISTENCY),
    },
  )
  async consistency(@Query() query: Readonly<Record<string, unknown>>): Promise<Answer> {
    return this.shown(await this.found('Constistency information is not yet available'), Object.hasOwn(query, 'verbose')); // sic
  }

  @Post(
    { 'v2/consistency/auto-check': 'reportAutoCheckV2', 'v3/consistency/auto-check': 'reportAutoCheckV3' },
    {
      summary: 'Reports the outcome of an automatic check',
      who: inTenant('consistency-check'),
      body: checkBody,
      example: { status: 'CRITICAL', message: 'no data' },
      answers: saysNumbered(DONE.check),
    },
  )
  check(@Call() { context }: StatusCall, @Body(checkBody) body: Infer<typeof checkBody>): Promise<Answer> {
    return this.judge(new ReportConsistency(context, body), DONE.check);
  }

  @Post(
    { 'v2/consistency/ack': 'acknowledgeConsistencyV2', 'v3/consistency/ack': 'acknowledgeConsistencyV3' },
    {
      summary: 'Overrules the checks for some hours, 6 unless the body says otherwise',
      who: inTenant('consistency-ack'),
      body: acknowledgementBody,
      example: { status: 'OK', message: 'known and harmless', timeout_hours: 6 },
      errors: [missing('There is no auto check event yet to acknowledge')],
      answers: saysNumbered(DONE.acknowledge),
    },
  )
  acknowledge(
    @Call() { context }: StatusCall,
    @Body(acknowledgementBody) { timeout_hours: timeoutHours, ...said }: Infer<typeof acknowledgementBody>,
  ): Promise<Answer> {
    return this.judge(new AcknowledgeConsistency(context, { ...said, timeoutHours }), DONE.acknowledge);
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

  private async judge(judgement: ReportConsistency | AcknowledgeConsistency, message: string): Promise<Answer> {
    try {
      const { readable } = await this.bus.execute(judgement);
      return json(wireText({ message, code: 200 }), { readable });
    } catch (error) {
      if (error instanceof DomainError && error.code === 'CONSISTENCY_NOT_CHECKED')
        throw missing('There is no auto check event yet to acknowledge');
      throw error;
    }
  }
}
