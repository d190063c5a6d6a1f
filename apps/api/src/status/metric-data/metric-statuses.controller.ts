import { Controller, Get, Inject, Options, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { READ_STORE } from '#api/shared/tokens.js';
import { TenantRoute, tenantAdmission } from '#api/status/http-policy.js';
import { reportWithGroups } from '#api/status/reports/report-lookup.js';
import { answerOptions, JSON_TYPE } from '#api/status/responses.js';
import { type Begun, begun } from '#api/status/stored-documents.js';
import { type Query as Parameters, timeSpan } from '#api/status/time-query.js';
import { XML_TYPE } from '#api/status/xml.js';
import { dayBefore } from '#domain/shared/time.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { METRIC_DATA_PROJECTION, type TimelineDocument } from '#projections/status/metric-data/metric-data.js';
import { REPORTS_PROJECTION } from '#projections/status/reports/reports.js';
import { MetricReader } from './metric-reader.js';
import { metricStatusesJson, metricStatusesXml } from './metric-statuses.js';

const ALLOW = 'GET, OPTIONS';
const START = { name: 'start_time', required: true, description: 'UTC instant, YYYY-MM-DDTHH:MM:SSZ; its day counts' };
const END = { name: 'end_time', required: true, description: 'UTC instant, YYYY-MM-DDTHH:MM:SSZ; its day counts' };
const VIEW = { name: 'view', required: false, description: 'details: with what thresholds did' };

type Params = Readonly<{ report: string; type: string; group: string; service: string; endpoint: string; metric?: string }>;

/** Timelines of the metrics of an endpoint (status contract 14). */
@ApiTags('status: metric results')
@ApiSecurity('x-api-key')
@ApiProduces('application/json', 'application/xml')
@Controller('api/v2/status/:report/:type/:group/services/:service/endpoints/:endpoint/metrics')
export class MetricStatusesController {
  private readonly reader: MetricReader;
  private readonly reports: ReadView;

  constructor(@Inject(READ_STORE) store: ReadStore) {
    this.reader = new MetricReader(store.view(METRIC_DATA_PROJECTION));
    this.reports = store.view(REPORTS_PROJECTION);
  }

  @Get()
  @TenantRoute('status.list')
  @ApiOperation({ summary: 'The statuses of all metrics of an endpoint' })
  @ApiQuery(START)
  @ApiQuery(END)
  @ApiQuery(VIEW)
  list(@Param() params: Params, @Query() query: Parameters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer(params, query, request, reply);
  }

  @Get(':metric')
  @TenantRoute('status.get')
  @ApiOperation({ summary: 'The statuses of one metric of an endpoint' })
  @ApiQuery(START)
  @ApiQuery(END)
  @ApiQuery(VIEW)
  get(@Param() params: Params, @Query() query: Parameters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer(params, query, request, reply);
  }

  @Options()
  @ApiOperation({ summary: 'The methods of the metrics of an endpoint' })
  listOptions(@Res() reply: FastifyReply): void {
    answerOptions(reply, ALLOW);
  }

  @Options(':metric')
  @ApiOperation({ summary: 'The methods of a metric of an endpoint' })
  metricOptions(@Res() reply: FastifyReply): void {
    answerOptions(reply, ALLOW);
  }

  private async answer(params: Params, query: Parameters, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { from, to } = timeSpan(query);
    const { caller, format } = tenantAdmission(request);
    const { type: groupType, group, service, endpoint: host, metric } = params;
    const report = await reportWithGroups(this.reports, caller.tenantId, params.report, groupType);
    const pointsFrom = (first: string): Promise<Begun<TimelineDocument>> =>
      begun(this.reader.timeline(caller.tenantId, { report, group, service, host, metric }, first, to));
    const found = await pointsFrom(from);
    const points = found.first ? found : await pointsFrom(dayBefore(from));
    const endpoint = { group, groupType, service, host };
    if (format === 'xml') reply.type(XML_TYPE).send(await bodyOfPieces(metricStatusesXml(endpoint, points)));
    else reply.type(JSON_TYPE).send(await bodyOfPieces(metricStatusesJson(endpoint, points, firstOf(query.view) === 'details')));
  }
}
