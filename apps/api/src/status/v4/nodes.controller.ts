import { applyDecorators, Controller, Get, Options, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Answer } from '#api/shared/http/answer.js';
import { methods } from '#api/status/answers.js';
import { NodeRoute } from '#api/status/http-policy.js';
import { Caller, type TenantCaller } from '#api/status/parameters.js';
import { numbersOf, wireRow } from '#api/status/results/results-json.js';
import type { PeriodRow } from '#api/status/results/series.js';
import type { Query as Parameters } from '#api/status/time-query.js';
import { type AnswerRequest, Asks } from '#api/status/timelines/held-answers.js';
import { type Work, WorkOfCall } from '#api/status/work.js';
import { GroupAnswers, type RowView } from './group-answers.js';
import { summary } from './groups.controller.js';
import { HYPHENS, periodOfV4 } from './v4-query.js';

type Params = Readonly<{ group?: string }>;
type Call = Readonly<{ caller: TenantCaller; params: Params; query: Parameters; work: Work }>;

const availability = (row: PeriodRow): object => ({ date: row.label, availability: wireRow(row, 'date').availability });
const uptime = (row: PeriodRow): object => ({ date: row.label, uptime: wireRow(row, 'date').uptime });

/** Numbers; an uptime of 0 is left out. */
const metrics = (row: PeriodRow): object => {
  const { date, availability, reliability, uptime } = numbersOf(row, 'date');
  return { date, availability, reliability, ...(uptime !== 0 && { uptime }) };
};

const of = (path: string): readonly string[] => [path, `${path}/:group`];
/** Where clients call it, and where it was before. */
const MONITORING = [...of('capabilities/monitoring/metrics'), ...of('monitoring/metrics')];
const NodeCall = (paths: readonly string[], summaryText: string, ...queries: readonly string[]) =>
  applyDecorators(
    Get([...paths]),
    NodeRoute(),
    ApiOperation({ summary: summaryText }),
    ...queries.map((name) => ApiQuery({ name, required: false })),
  );
const DAYS = ['start_date', 'end_date', 'date', 'start_time', 'end_time', 'period', 'granularity'];

/** Endpoint groups of the report of a tenant as a node (status contract of 2026, 8). */
@ApiTags('status: nodes')
@ApiSecurity('x-api-key')
@Controller('api/v4/nodes/:node')
export class NodesV4Controller {
  constructor(private readonly answers: GroupAnswers) {}

  @NodeCall(of('capabilities/summary'), 'Availability and uptime of the groups of a node', ...DAYS)
  summary(@Caller() caller: TenantCaller, @Param() params: Params, @Query() query: Parameters, @WorkOfCall() work: Work): Promise<Answer> {
    return this.figures({ caller, params, query, work }, summary);
  }

  @NodeCall(of('capabilities/availability'), 'Availability of the groups of a node', ...DAYS)
  availability(
    @Caller() caller: TenantCaller,
    @Param() params: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.figures({ caller, params, query, work }, availability);
  }

  @NodeCall(of('capabilities/uptime'), 'Uptime of the groups of a node', ...DAYS)
  uptime(@Caller() caller: TenantCaller, @Param() params: Params, @Query() query: Parameters, @WorkOfCall() work: Work): Promise<Answer> {
    return this.figures({ caller, params, query, work }, uptime);
  }

  @NodeCall(of('capabilities/status'), 'Statuses of the groups of a node', 'start_time', 'end_time', 'history', 'view')
  async status(@Asks() asking: AnswerRequest, @Param() { group }: Params, @Query() query: Parameters): Promise<Answer> {
    const reader = await this.answers.nodeReport(asking.tenantId);
    return this.answers.statuses(reader, query, group, asking);
  }

  @NodeCall(MONITORING, 'Availability, reliability and uptime of the groups of a node, as numbers', 'start-date', 'end-date', 'granularity')
  async metrics(
    @Caller() { tenantId }: TenantCaller,
    @Param() { group }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    const reader = await this.answers.nodeReport(tenantId);
    return this.answers.figures(reader, periodOfV4(query, reader.now, HYPHENS), group, metrics, work);
  }

  @Options([...['summary', 'availability', 'uptime', 'status'].flatMap((measure) => of(`capabilities/${measure}`)), ...MONITORING])
  @ApiOperation({ summary: 'The methods of nodes' })
  options(): Answer {
    return methods('GET, OPTIONS');
  }

  private async figures({ caller: { tenantId }, params: { group }, query, work }: Call, view: RowView): Promise<Answer> {
    const reader = await this.answers.nodeReport(tenantId);
    return this.answers.figures(reader, periodOfV4(query, reader.now), group, view, work);
  }
}
