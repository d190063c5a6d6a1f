import { Controller, Get, Options, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Answer } from '#api/shared/http/answer.js';
import { methods } from '#api/status/answers.js';
import { TenantRoute } from '#api/status/http-policy.js';
import { Caller, type TenantCaller } from '#api/status/parameters.js';
import { wireRow } from '#api/status/results/results-json.js';
import type { PeriodRow } from '#api/status/results/series.js';
import type { Query as Parameters } from '#api/status/time-query.js';
import { type AnswerRequest, Asks } from '#api/status/timelines/held-answers.js';
import { type Work, WorkOfCall } from '#api/status/work.js';
import { GroupAnswers } from './group-answers.js';
import { periodOfV4 } from './v4-query.js';

const REPORT = { name: 'report', required: false, description: 'name or id; default the only report of the tenant' };

/** Date, availability and uptime of a row, as texts. */
export const summary = (row: PeriodRow): object => {
  const { date, availability, uptime } = wireRow(row, 'date');
  return { date, availability, uptime };
};

/** Endpoint groups in the shape of version 4 (status contract of 2026, 7). */
@ApiTags('status: results')
@ApiSecurity('x-api-key')
@Controller('api/v4')
export class GroupsV4Controller {
  constructor(private readonly answers: GroupAnswers) {}

  @Get(['results/groups', 'results/groups/:group'])
  @TenantRoute('results.list')
  @ApiOperation({ summary: 'Availability and uptime of endpoint groups; default today' })
  @ApiQuery(REPORT)
  @ApiQuery({ name: 'start_date', required: false, description: 'YYYY-MM-DD, with end_date' })
  @ApiQuery({ name: 'end_date', required: false })
  @ApiQuery({ name: 'date', required: false, description: 'YYYY-MM-DD' })
  @ApiQuery({ name: 'start_time', required: false, description: 'UTC instant, with end_time' })
  @ApiQuery({ name: 'end_time', required: false })
  @ApiQuery({ name: 'period', required: false, description: '7d, 2w, 1m: so long up to today' })
  @ApiQuery({ name: 'granularity', required: false, enum: ['daily', 'monthly', 'custom'] })
  async results(
    @Caller() { tenantId }: TenantCaller,
    @Param() { group }: Readonly<{ group?: string }>,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    const reader = await this.answers.reportOf(tenantId, query);
    return this.answers.figures(reader, periodOfV4(query, reader.now), group, summary, work);
  }

  @Get(['status/groups', 'status/groups/:group'])
  @TenantRoute('status.list')
  @ApiOperation({ summary: 'Statuses of endpoint groups; without times the latest of today' })
  @ApiQuery(REPORT)
  @ApiQuery({ name: 'start_time', required: false, description: 'UTC instant, with end_time' })
  @ApiQuery({ name: 'end_time', required: false })
  @ApiQuery({ name: 'history', required: false, description: 'all changes of today' })
  @ApiQuery({ name: 'view', required: false, description: 'details: with what thresholds did' })
  async statuses(
    @Asks() asking: AnswerRequest,
    @Param() { group }: Readonly<{ group?: string }>,
    @Query() query: Parameters,
  ): Promise<Answer> {
    const reader = await this.answers.reportOf(asking.tenantId, query);
    return this.answers.statuses(reader, query, group, asking);
  }

  @Options(['results/groups', 'results/groups/:group', 'status/groups', 'status/groups/:group'])
  @ApiOperation({ summary: 'The methods of endpoint groups of version 4' })
  options(): Answer {
    return methods('GET, OPTIONS');
  }
}
