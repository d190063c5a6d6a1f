import { Inject, Param } from '@nestjs/common';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import { oneOf } from '#api/shared/openapi/shape.js';
import { json } from '#api/status/answers.js';
import * as errors from '#api/status/errors.js';
import { AnswersLargeCalls } from '#api/status/large-calls/handed-over.js';
import { LARGE_RESULTS } from '#api/status/large-calls/large-results.js';
import { FLAPPING_ITEMS, ITEMS_IN_TROUBLE } from '#api/status/openapi/trends.js';
import { Reading, type ReadingCall } from '#api/status/parameters.js';
import { unknownReport } from '#api/status/reports/report-errors.js';
import { READERS } from '#api/status/roles.js';
import { AnswersOptions, Get, StatusController } from '#api/status/route.js';
import type { Work } from '#api/status/work.js';
import { dayAt } from '#domain/shared/time.js';
import { MetricListQueries } from '#projections/status/metric-list/queries.js';
import type { ReportReader, Results } from '#projections/status/results/report-reader.js';
import { type TrendQuery, trendQuery } from './trend-query.js';
import { endpointTrends, FLAPPING, groupTrends, type Measure, metricTrends, STATUSES, serviceTrends } from './trend-rows.js';
import { type TrendList, trendLists } from './trends.js';
import { trendsJson } from './trends-json.js';

type Params = Readonly<{ report: string }>;
type Level = 'metrics' | 'tags' | 'endpoints' | 'services' | 'groups';

const QUERY = {
  date: parameter('day', 'one UTC day, YYYY-MM-DD; default today'),
  start_date: parameter('day', 'first UTC day, with end_date, without date'),
  end_date: parameter('day', 'last UTC day'),
  granularity: parameter(oneOf('monthly'), 'monthly: by calendar month'),
  top: parameter('integer', 'items of a list; default all'),
};

/** What changes often, and what is often or long in trouble (results contract 12.7); JSON whatever the caller accepts. */
@AnswersOptions('The methods of trends')
@AnswersLargeCalls()
@StatusController('api/v2/trends/:report', 'status: trends')
export class TrendsController {
  constructor(
    @Inject(LARGE_RESULTS) private readonly results: Results,
    private readonly metricList: MetricListQueries,
  ) {}

  @Get('flapping/metrics', {
    id: 'listFlappingMetrics',
    summary: 'Metrics by changes of their status',
    who: READERS,
    query: QUERY,
    answers: shows(FLAPPING_ITEMS.metrics),
  })
  flappingMetrics(@Reading() call: ReadingCall, @Param() { report }: Params): Promise<Answer> {
    return this.answer(call, report, FLAPPING, 'metrics');
  }

  @Get('flapping/metrics/tags', {
    id: 'listFlappingMetricsByTag',
    summary: 'Metrics by changes of their status, for each tag',
    who: READERS,
    query: QUERY,
    answers: shows(FLAPPING_ITEMS.tags),
  })
  flappingTags(@Reading() call: ReadingCall, @Param() { report }: Params): Promise<Answer> {
    return this.answer(call, report, FLAPPING, 'tags');
  }

  @Get('flapping/endpoints', {
    id: 'listFlappingEndpoints',
    summary: 'Endpoints by changes of their status',
    who: READERS,
    query: QUERY,
    answers: shows(FLAPPING_ITEMS.endpoints),
  })
  flappingEndpoints(@Reading() call: ReadingCall, @Param() { report }: Params): Promise<Answer> {
    return this.answer(call, report, FLAPPING, 'endpoints');
  }

  @Get('flapping/services', {
    id: 'listFlappingServices',
    summary: 'Services by changes of their status',
    who: READERS,
    query: QUERY,
    answers: shows(FLAPPING_ITEMS.services),
  })
  flappingServices(@Reading() call: ReadingCall, @Param() { report }: Params): Promise<Answer> {
    return this.answer(call, report, FLAPPING, 'services');
  }

  @Get('flapping/groups', {
    id: 'listFlappingGroups',
    summary: 'Endpoint groups by changes of their status',
    who: READERS,
    query: QUERY,
    answers: shows(FLAPPING_ITEMS.groups),
  })
  flappingGroups(@Reading() call: ReadingCall, @Param() { report }: Params): Promise<Answer> {
    return this.answer(call, report, FLAPPING, 'groups');
  }

  @Get('status/metrics', {
    id: 'listMetricStatusTrends',
    summary: 'Metrics by results in trouble',
    who: READERS,
    query: QUERY,
    answers: shows(ITEMS_IN_TROUBLE.metrics),
  })
  statusMetrics(@Reading() call: ReadingCall, @Param() { report }: Params): Promise<Answer> {
    return this.answer(call, report, STATUSES, 'metrics');
  }

  @Get('status/metrics/tags', {
    id: 'listMetricStatusTrendsByTag',
    summary: 'Metrics by results in trouble, for each tag',
    who: READERS,
    query: QUERY,
    answers: shows(ITEMS_IN_TROUBLE.tags),
  })
  statusTags(@Reading() call: ReadingCall, @Param() { report }: Params): Promise<Answer> {
    return this.answer(call, report, STATUSES, 'tags');
  }

  @Get('status/endpoints', {
    id: 'listEndpointStatusTrends',
    summary: 'Endpoints by minutes in trouble',
    who: READERS,
    query: QUERY,
    answers: shows(ITEMS_IN_TROUBLE.endpoints),
  })
  statusEndpoints(@Reading() call: ReadingCall, @Param() { report }: Params): Promise<Answer> {
    return this.answer(call, report, STATUSES, 'endpoints');
  }

  @Get('status/services', {
    id: 'listServiceStatusTrends',
    summary: 'Services by minutes in trouble',
    who: READERS,
    query: QUERY,
    answers: shows(ITEMS_IN_TROUBLE.services),
  })
  statusServices(@Reading() call: ReadingCall, @Param() { report }: Params): Promise<Answer> {
    return this.answer(call, report, STATUSES, 'services');
  }

  @Get('status/groups', {
    id: 'listGroupStatusTrends',
    summary: 'Endpoint groups by minutes in trouble',
    who: READERS,
    query: QUERY,
    answers: shows(ITEMS_IN_TROUBLE.groups),
  })
  statusGroups(@Reading() call: ReadingCall, @Param() { report }: Params): Promise<Answer> {
    return this.answer(call, report, STATUSES, 'groups');
  }

  private async answer({ caller, query, work }: ReadingCall, name: string, measure: Measure, level: Level): Promise<Answer> {
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
