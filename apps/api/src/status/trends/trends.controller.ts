import { applyDecorators, Controller, Get, Inject, Options, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { json, methods } from '#api/status/answers.js';
import * as errors from '#api/status/errors.js';
import { TenantRoute } from '#api/status/http-policy.js';
import { AnswersLargeCalls } from '#api/status/large-calls/handed-over.js';
import { LARGE_RESULTS } from '#api/status/large-calls/large-results.js';
import { Caller, type TenantCaller } from '#api/status/parameters.js';
import { unknownReport } from '#api/status/reports/report-errors.js';
import type { NamedRoute } from '#api/status/roles.js';
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

/** A call about trends: its path, who may call it, its query. */
const TrendRoute = (path: string, route: NamedRoute, summary: string) =>
  applyDecorators(
    Get(path),
    TenantRoute(route),
    ApiOperation({ summary }),
    ApiQuery({ name: 'date', required: false, description: 'one UTC day, YYYY-MM-DD; default today' }),
    ApiQuery({ name: 'start_date', required: false, description: 'first UTC day, with end_date, without date' }),
    ApiQuery({ name: 'end_date', required: false, description: 'last UTC day' }),
    ApiQuery({ name: 'granularity', required: false, description: 'monthly: by calendar month' }),
    ApiQuery({ name: 'top', required: false, description: 'items of a list; default all' }),
  );

const PATHS = ['metrics', 'metrics/tags', 'endpoints', 'services', 'groups'].flatMap((level) => [`flapping/${level}`, `status/${level}`]);

/** What changes often, and what is often or long in trouble (results contract 12.7); JSON whatever the caller accepts. */
@ApiTags('status: trends')
@ApiSecurity('x-api-key')
@AnswersLargeCalls()
@Controller('api/v2/trends/:report')
export class TrendsController {
  constructor(
    @Inject(LARGE_RESULTS) private readonly results: Results,
    private readonly metricList: MetricListQueries,
  ) {}

  @TrendRoute('flapping/metrics', 'trends.flapping_metrics', 'Metrics by changes of their status')
  flappingMetrics(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, FLAPPING, 'metrics');
  }

  @TrendRoute('flapping/metrics/tags', 'trends.flapping_metrics_tags', 'Metrics by changes of their status, for each tag')
  flappingTags(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, FLAPPING, 'tags');
  }

  @TrendRoute('flapping/endpoints', 'trends.flapping_endpoints', 'Endpoints by changes of their status')
  flappingEndpoints(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, FLAPPING, 'endpoints');
  }

  @TrendRoute('flapping/services', 'trends.flapping_services', 'Services by changes of their status')
  flappingServices(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, FLAPPING, 'services');
  }

  @TrendRoute('flapping/groups', 'trends.flapping_endpoint_groups', 'Endpoint groups by changes of their status')
  flappingGroups(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, FLAPPING, 'groups');
  }

  @TrendRoute('status/metrics', 'trends.status_metrics', 'Metrics by results in trouble')
  statusMetrics(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, STATUSES, 'metrics');
  }

  @TrendRoute('status/metrics/tags', 'trends.status_metrics_tags', 'Metrics by results in trouble, for each tag')
  statusTags(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, STATUSES, 'tags');
  }

  @TrendRoute('status/endpoints', 'trends.status_endpoints', 'Endpoints by minutes in trouble')
  statusEndpoints(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, STATUSES, 'endpoints');
  }

  @TrendRoute('status/services', 'trends.status_services', 'Services by minutes in trouble')
  statusServices(
    @Caller() caller: TenantCaller,
    @Param() { report }: Params,
    @Query() query: Parameters,
    @WorkOfCall() work: Work,
  ): Promise<Answer> {
    return this.answer({ caller, query, work }, report, STATUSES, 'services');
  }

  @TrendRoute('status/groups', 'trends.status_endpoint_groups', 'Endpoint groups by minutes in trouble')
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
