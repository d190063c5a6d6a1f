import { Controller, Get, HttpCode, Inject, Options, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { type Infer, integer, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import { CLOCK } from '#api/shared/tokens.js';
import { json, methods } from '#api/status/answers.js';
import { StatusError } from '#api/status/errors.js';
import { TenantRoute } from '#api/status/http-policy.js';
import { TenantContext } from '#api/status/parameters.js';
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
@ApiTags('status: health')
@ApiSecurity('x-api-key')
@Controller(['api/v2', 'api/v3'])
export class StatusHealthController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: HealthQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('health')
  @TenantRoute('health')
  @ApiOperation({ summary: 'Health of the installation: what the last check says, or the acknowledgement of it' })
  async health(): Promise<Answer> {
    return this.shown(await this.found('Health status not yet available'), false);
  }

  @Get('consistency')
  @TenantRoute('consistency.result')
  @ApiOperation({ summary: 'The same as health; with verbose also the check and the acknowledgement themselves' })
  @ApiQuery({ name: 'verbose', required: false, allowEmptyValue: true, description: 'any value: with check and acknowledgement' })
  async consistency(@Query() query: Readonly<Record<string, unknown>>): Promise<Answer> {
    return this.shown(await this.found('Constistency information is not yet available'), Object.hasOwn(query, 'verbose')); // sic
  }

  @Post('consistency/auto-check')
  @HttpCode(200)
  @TenantRoute('consistency.auto-check')
  @ApiOperation({ summary: 'Reports the outcome of an automatic check' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaOf(checkBody) })
  check(@TenantContext() context: CommandContext, @Body(checkBody) body: Infer<typeof checkBody>): Promise<Answer> {
    return this.judge(new ReportConsistency(context, body), 'Auto Check');
  }

  @Post('consistency/ack')
  @HttpCode(200)
  @TenantRoute('consistency.ack')
  @ApiOperation({ summary: 'Overrules the checks for some hours, 6 unless the body says otherwise' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaOf(acknowledgementBody) })
  acknowledge(
    @TenantContext() context: CommandContext,
    @Body(acknowledgementBody) { timeout_hours: timeoutHours, ...said }: Infer<typeof acknowledgementBody>,
  ): Promise<Answer> {
    return this.judge(new AcknowledgeConsistency(context, { ...said, timeoutHours }), 'Ack');
  }

  @Options(['health', 'consistency'])
  @ApiOperation({ summary: 'The methods of a read' })
  readOptions(): Answer {
    return methods('GET, OPTIONS');
  }

  @Options(['consistency/auto-check', 'consistency/ack'])
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
