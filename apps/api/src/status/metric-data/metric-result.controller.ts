import { Controller, Get, Inject, Options, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { READ_STORE } from '#api/shared/tokens.js';
import * as errors from '#api/status/errors.js';
import { TenantRoute, tenantAdmission } from '#api/status/http-policy.js';
import { findReport, unknownReport } from '#api/status/reports/report-lookup.js';
import { answerOptions, JSON_TYPE } from '#api/status/responses.js';
import { type Begun, begun } from '#api/status/stored-documents.js';
import { executionTime, type Query as Parameters } from '#api/status/time-query.js';
import { XML_TYPE } from '#api/status/xml.js';
import { dayOf } from '#domain/shared/time.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { METRIC_DATA_PROJECTION } from '#projections/status/metric-data/metric-data.js';
import { REPORTS_PROJECTION } from '#projections/status/reports/reports.js';
import { MetricReader, type StoredResult } from './metric-reader.js';
import { metricResultJson, metricResultXml } from './metric-result.js';
import { statusFilter } from './status-filter.js';

const ALLOW = 'GET, OPTIONS';
const EXECUTION_TIME = { name: 'exec_time', required: true, description: 'UTC instant, YYYY-MM-DDTHH:MM:SSZ' };
const SERVICE = { name: 'service', required: false };

type HostParams = Readonly<{ hostname: string }>;
type MetricParams = HostParams & Readonly<{ metric: string }>;

/** Detailed results of the metrics of a host (status contract 13). */
@ApiTags('status: metric results')
@ApiSecurity('x-api-key')
@ApiProduces('application/json', 'application/xml')
@Controller('api/v2/metric_result')
export class MetricResultController {
  private readonly reader: MetricReader;
  private readonly reports: ReadView;

  constructor(@Inject(READ_STORE) store: ReadStore) {
    this.reader = new MetricReader(store.view(METRIC_DATA_PROJECTION));
    this.reports = store.view(REPORTS_PROJECTION);
  }

  @Get(':hostname')
  @TenantRoute('metricResult.get')
  @ApiOperation({ summary: 'All results of a host on the day of exec_time' })
  @ApiQuery(EXECUTION_TIME)
  @ApiQuery({ name: 'filter', required: false, description: 'non-ok, ok, critical, warning, unknown or missing' })
  @ApiQuery(SERVICE)
  async day(
    @Param() { hostname }: HostParams,
    @Query() query: Parameters,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const day = dayOf(executionTime(query));
    const wanted = statusFilter(firstOf(query.filter));
    const service = firstOf(query.service);
    const results = this.reader.ofDay(
      tenantAdmission(request).caller.tenantId,
      hostname,
      day,
      (head) => (!wanted || wanted(head.status)) && (!service || head.service === service),
    );
    await answer(request, reply, hostname, await begun(results));
  }

  @Get(':hostname/:metric')
  @TenantRoute('metricResult.get')
  @ApiOperation({ summary: 'The results of one metric of a host at exactly the second of exec_time' })
  @ApiQuery(EXECUTION_TIME)
  @ApiQuery(SERVICE)
  @ApiQuery({ name: 'report', required: false, description: 'Only results for the report of this name, and those for every report' })
  async single(
    @Param() { hostname, metric }: MetricParams,
    @Query() query: Parameters,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const second = executionTime(query);
    const { tenantId } = tenantAdmission(request).caller;
    const report = await this.reportId(tenantId, firstOf(query.report));
    const service = firstOf(query.service);
    const results = this.reader.at(
      tenantId,
      hostname,
      metric,
      second,
      (head) => (!report || head.report === undefined || head.report === report) && (!service || head.service === service),
    );
    const found = await begun(results);
    if (!found.first) throw errors.numericMessage(404, 'Metric not found!');
    await answer(request, reply, hostname, found);
  }

  @Options(':hostname')
  @ApiOperation({ summary: 'The methods of the results of a host' })
  hostOptions(@Res() reply: FastifyReply): void {
    answerOptions(reply, ALLOW);
  }

  @Options(':hostname/:metric')
  @ApiOperation({ summary: 'The methods of the results of a metric' })
  metricOptions(@Res() reply: FastifyReply): void {
    answerOptions(reply, ALLOW);
  }

  /** Nothing when the caller names no report. @throws StatusError `EMSG404N` */
  private async reportId(tenantId: string, name: string | undefined): Promise<string | undefined> {
    if (!name) return undefined;
    const report = await findReport(this.reports, tenantId, name);
    if (!report) throw errors.numericMessage(404, unknownReport(name));
    return report.id;
  }
}

const answer = async (request: FastifyRequest, reply: FastifyReply, host: string, results: Begun<StoredResult>): Promise<void> => {
  if (tenantAdmission(request).format === 'xml') reply.type(XML_TYPE).send(await bodyOfPieces(metricResultXml(host, results)));
  else reply.type(JSON_TYPE).send(await bodyOfPieces(metricResultJson(host, results)));
};
