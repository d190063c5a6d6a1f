import { Inject, Options, Param, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter } from '#api/shared/openapi/described.js';
import { oneOf } from '#api/shared/openapi/shape.js';
import { json, methods } from '#api/status/answers.js';
import * as errors from '#api/status/errors.js';
import { AnswersLargeCalls } from '#api/status/large-calls/handed-over.js';
import { LARGE_RESULTS } from '#api/status/large-calls/large-results.js';
import { TRENDS } from '#api/status/openapi/trends.js';
import { Caller, type TenantCaller } from '#api/status/parameters.js';
import { unknownReport } from '#api/status/reports/report-errors.js';
import { READERS } from '#api/status/roles.js';
import { Get, StatusController } from '#api/status/route.js';
import type { Query as Parameters } from '#api/status/time-query.js';
import { type Work, WorkOfCall } from '#api/status/work.js';
import { dayAt } from '#domain/shared/time.js';
import { MetricListQueries } from '#projections/status/metric-list/queries.js';
import { type ReportReader, type Results } from '#projections/status/results/report-reader.js';
import { type TrendQuery, trendQuery } from './trend-query.js';
import { endpointTrends, FLAPPING, groupTrends, type Measure, metricTrends, STATUSES, serviceTrends } from './trend-rows.js';
import { type TrendList, trendLists } from './trends.js';
import { trendsJson } from './trends-json.js';

type Params = Readonly<{ report: string }>;
type Call = Readonly<{ caller: TenantCaller; query: Parameters; work: Work }>;
type Level = 'metrics' | 'tags' | 'endpoints' | 'services' | 'groups';

const SPAN = {
  who: READERS,
  query: {
    date: parameter('day', 'one UTC day, YYYY-MM-DD; default today'),
    start_date: parameter('day', 'first UTC day, with end_date, without date'),
    end_date: parameter('day', 'last UTC day'),
    granularity: parameter(oneOf('monthly'), 'monthly: by calendar month'),
    top: parameter('integer', 'items of a list; default all'),
  },
};

const PATHS = ['metrics', 'metrics/tags', 'endpoints', 'services', 'groups'].flatMap((level) => [`flapping/${level}`, `status/${level}`]);

/** What changes often, and what is often or long in trouble (results contract 12.7); JSON whatever the caller accepts. */
@AnswersLargeCalls()
@StatusController('api/v2/trends/:report', 'status: trends')
export class TrendsController {
  constructor(
    @Inject(LARGE_RESULTS) private readonly results: Results,
    private readonly metricList: MetricListQueries,
  ) {}

  @Get('flapping/metrics', { id: 'listFlappingMetrics', summary: 'Metrics by changes of their status', ...SPAN, ...TRENDS.flappingMetrics })
  flappingMetrics(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, FLAPPING, 'metrics');
  }

  @Get('flapping/metrics/tags', {
    id: 'listFlappingMetricsByTag',
    summary: 'Metrics by changes of their status, for each tag',
    ...SPAN,
    ...TRENDS.flappingTags,
  })
  flappingTags(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, FLAPPING, 'tags');
  }

  @Get('flapping/endpoints', {
    id: 'listFlappingEndpoints',
    summary: 'Endpoints by changes of their status',
    ...SPAN,
    ...TRENDS.flappingEndpoints,
  })
  flappingEndpoints(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, FLAPPING, 'endpoints');
  }

  @Get('flapping/services', {
    id: 'listFlappingServices',
    summary: 'Services by changes of their status',
    ...SPAN,
    ...TRENDS.flappingServices,
  })
  flappingServices(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, FLAPPING, 'services');
  }

  @Get('flapping/groups', {
    id: 'listFlappingGroups',
    summary: 'Endpoint groups by changes of their status',
    ...SPAN,
    ...TRENDS.flappingGroups,
  })
  flappingGroups(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, FLAPPING, 'groups');
  }

  @Get('status/metrics', { id: 'listMetricStatusTrends', summary: 'Metrics by results in trouble', ...SPAN, ...TRENDS.statusMetrics })
  statusMetrics(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, STATUSES, 'metrics');
  }

  @Get('status/metrics/tags', {
    id: 'listMetricStatusTrendsByTag',
    summary: 'Metrics by results in trouble, for each tag',
    ...SPAN,
    ...TRENDS.statusTags,
  })
  statusTags(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, STATUSES, 'tags');
  }

  @Get('status/endpoints', {
    id: 'listEndpointStatusTrends',
    summary: 'Endpoints by minutes in trouble',
    ...SPAN,
    ...TRENDS.statusEndpoints,
  })
  statusEndpoints(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, STATUSES, 'endpoints');
  }

  @Get('status/services', { id: 'listServiceStatusTrends', summary: 'Services by minutes in trouble', ...SPAN, ...TRENDS.statusServices })
  statusServices(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, STATUSES, 'services');
  }

  @Get('status/groups', { id: 'listGroupStatusTrends', summary: 'Endpoint groups by minutes in trouble', ...SPAN, ...TRENDS.statusGroups })
  statusGroups(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, STATUSES, 'groups');
  }

  @Options(PATHS)
  @ApiOperation({ summary: 'The methods of trends' })
  options(): Answer {
    return methods('GET, OPTIONS');
  }

  private async answer({ caller, query, work }: Call, name: string, measure: Measure, level: Level): Promise<Answer> {
    const reader = await this.results.report(caller.tenantId, name);
    if (!reader) throw errors.messageOnly(404, unknownReport(name), true);
    const wanted = trendQuery(query, dayAt(reader.now));
    const { trends } = reader.computations;
    const family = measure === FLAPPING ? 'flapping' : 'status';
    const isOn = trends.includes(family) && (level !== 'tags' || trends.includes('tags'));
    const lists = isOn ? await this.lists(reader, wanted, measure, level, work) : [];
    const member = level === 'metrics' || level === 'tags' ? measure.ofMetrics : measure.ofTimelines;
    return json(await bodyOfPieces(trendsJson(lists, member, family === 'flapping' && level !== 'tags' && !wanted.monthly)));
  }

  private async lists(reader: ReportReader, wanted: TrendQuery, measure: Measure, level: Level, work: Work): Promise<readonly TrendList[]> {
    const { span } = wanted;
    switch (level) {
      case 'groups':
        return trendLists(reader.days(span), (day) => groupTrends(day, measure), wanted, work);
      case 'services':
        return trendLists(reader.details(span), (day) => serviceTrends(day, measure), wanted, work);
      case 'endpoints':
        return trendLists(reader.details(span), (day) => endpointTrends(day, measure), wanted, work);
      case 'metrics':
        return trendLists(reader.details(span), (day) => metricTrends(day, measure), wanted, work);
      case 'tags': {
        const metrics = await this.metricList.metrics();
        return trendLists(reader.details(span), (day) => metricTrends(day, measure), { ...wanted, metrics }, work);
      }
    }
  }
}
