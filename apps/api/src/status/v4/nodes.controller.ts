import { Options, Param, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter } from '#api/shared/openapi/described.js';
import type { Paths } from '#api/shared/routes/route.js';
import { methods } from '#api/status/answers.js';
import { V4 } from '#api/status/openapi/versions-4-and-5.js';
import { Caller, type TenantCaller } from '#api/status/parameters.js';
import { numbersOf, wireRow } from '#api/status/results/results-json.js';
import type { PeriodRow } from '#api/status/results/series.js';
import { NODE_READERS } from '#api/status/roles.js';
import { Get, StatusController } from '#api/status/route.js';
import type { Query as Parameters } from '#api/status/time-query.js';
import { type AnswerRequest, Asks } from '#api/status/timelines/held-answers.js';
import { type Work, WorkOfCall } from '#api/status/work.js';
import { GroupAnswers, type RowView } from './group-answers.js';
import { summary } from './groups.controller.js';
import { DAYS, GRANULARITY, STATUS_TIMES } from './parameters.js';
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

const of = (path: string, plural: string, singular: string): Paths => ({
  [path]: `list${plural}V4`,
  [`${path}/:group`]: `get${singular}V4`,
});
const SUMMARIES = of('capabilities/summary', 'NodeSummaries', 'NodeSummary');
const AVAILABILITIES = of('capabilities/availability', 'NodeAvailabilities', 'NodeAvailability');
const UPTIMES = of('capabilities/uptime', 'NodeUptimes', 'NodeUptime');
const STATUSES = of('capabilities/status', 'NodeStatuses', 'NodeStatus');
/** Where clients call it, and where it was before. */
const MONITORING = {
  ...of('capabilities/monitoring/metrics', 'NodeMonitoringMetrics', 'NodeMonitoringMetric'),
  ...of('monitoring/metrics', 'NodeMetrics', 'NodeMetric'),
};
const METRIC_DAYS = {
  'start-date': parameter('day', 'first UTC day, with `end-date`'),
  'end-date': parameter('day', 'last UTC day, with `start-date`'),
  ...GRANULARITY,
};
const FIGURES = { who: NODE_READERS, keys: 'node', query: DAYS, answers: V4.summaries } as const;

/** Endpoint groups of the report of a tenant as a node (status contract of 2026, 8). */
@StatusController('api/v4/nodes/:node', 'status: nodes')
export class NodesV4Controller {
  constructor(private readonly answers: GroupAnswers) {}

  @Get(SUMMARIES, { summary: 'Availability and uptime of the groups of a node', ...FIGURES })
  summary(@Caller() caller: TenantCaller, @Param() params: Params, @Query() query: Parameters, @WorkOfCall() work: Work): Promise<Answer> {
    return this.figures({ caller, params, query, work }, summary);
  }

  @Get(AVAILABILITIES, { summary: 'Availability of the groups of a node', ...FIGURES })
  availability(
    @Caller() caller: TenantCaller,
    @Param() params: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.figures({ caller, params, query, work }, availability);
  }

  @Get(UPTIMES, { summary: 'Uptime of the groups of a node', ...FIGURES })
  uptime(@Caller() caller: TenantCaller, @Param() params: Params, @Query() query: Parameters, @WorkOfCall() work: Work): Promise<Answer> {
    return this.figures({ caller, params, query, work }, uptime);
  }

  @Get(STATUSES, {
    summary: 'Statuses of the groups of a node',
    who: NODE_READERS,
    keys: 'node',
    query: STATUS_TIMES,
    answers: V4.statuses,
  })
  async status(@Asks() asking: AnswerRequest, @Param() { group }: Params, @Query() query: Parameters): Promise<Answer> {
    const reader = await this.answers.nodeReport(asking.tenantId);
    return this.answers.statuses(reader, query, group, asking);
  }

  @Get(MONITORING, {
    summary: 'Availability, reliability and uptime of the groups of a node, as numbers',
    who: NODE_READERS,
    keys: 'node',
    query: METRIC_DAYS,
    answers: V4.metrics,
  })
  async metrics(
    @Caller() { tenantId }: TenantCaller,
    @Param() { group }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    const reader = await this.answers.nodeReport(tenantId);
    return this.answers.figures(reader, periodOfV4(query, reader.now, HYPHENS), group, metrics, work);
  }

  @Options([SUMMARIES, AVAILABILITIES, UPTIMES, STATUSES, MONITORING].flatMap((paths) => Object.keys(paths)))
  @ApiOperation({ summary: 'The methods of nodes' })
  options(): Answer {
    return methods('GET, OPTIONS');
  }

  private async figures({ caller: { tenantId }, params: { group }, query, work }: Call, view: RowView): Promise<Answer> {
    const reader = await this.answers.nodeReport(tenantId);
    return this.answers.figures(reader, periodOfV4(query, reader.now), group, view, work);
  }
}
