import { Controller, Get, Inject, Options, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstOf } from '#api/shared/http/request-context.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import { DATE_QUERY, dayIn } from '#api/status/day-query.js';
import { listOfPages } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { TenantRoute, tenantAdmission } from '#api/status/http-policy.js';
import { findReport, unknownReport } from '#api/status/reports/report-lookup.js';
import { answerOptions, JSON_TYPE } from '#api/status/responses.js';
import type { Query as Parameters } from '#api/status/time-query.js';
import type { Clock } from '#domain/shared/clock.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { METRIC_DATA_PROJECTION } from '#projections/status/metric-data/metric-data.js';
import { REPORTS_PROJECTION } from '#projections/status/reports/reports.js';
import { MetricReader } from './metric-reader.js';

/** What has that status; without one, what is not OK. */
const troubled =
  (filter: string | undefined) =>
  (status: string): boolean =>
    filter ? status === filter : status !== 'OK';

/** What is not well on a day (extended contract 7). */
@ApiTags('status: metric results')
@ApiSecurity('x-api-key')
@Controller('api/v2/issues/:report')
export class IssuesController {
  private readonly reader: MetricReader;
  private readonly reports: ReadView;

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.reader = new MetricReader(store.view(METRIC_DATA_PROJECTION));
    this.reports = store.view(REPORTS_PROJECTION);
  }

  @Get('endpoints')
  @TenantRoute('issues.list_endpoints')
  @ApiOperation({ summary: 'Endpoints whose last status of the day is not OK' })
  @ApiQuery(DATE_QUERY)
  @ApiQuery({ name: 'filter', required: false, description: 'only this status, in any letter case' })
  async endpoints(
    @Param() { report }: Readonly<{ report: string }>,
    @Query() query: Parameters,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const day = dayIn(query, this.clock);
    const { tenantId } = tenantAdmission(request).caller;
    const wanted = troubled(firstOf(query.filter)?.toUpperCase());
    const endpoints = this.reader.endpoints(tenantId, await this.reportId(tenantId, report), day, wanted);
    reply.type(JSON_TYPE).send(await listOfPages(endpoints));
  }

  @Get('groups/:group/metrics')
  @TenantRoute('issues.list_group_metrics')
  @ApiOperation({ summary: 'Every status other than OK that a metric of a group had on the day' })
  @ApiQuery(DATE_QUERY)
  @ApiQuery({ name: 'filter', required: false, description: 'only this status' })
  async metrics(
    @Param() { report, group }: Readonly<{ report: string; group: string }>,
    @Query() query: Parameters,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const day = dayIn(query, this.clock);
    const { tenantId } = tenantAdmission(request).caller;
    const wanted = troubled(firstOf(query.filter));
    const statuses = this.reader.statuses(tenantId, await this.reportId(tenantId, report), group, day, wanted);
    reply.type(JSON_TYPE).send(await listOfPages(statuses));
  }

  @Options(['endpoints', 'groups/:group/metrics'])
  @ApiOperation({ summary: 'The methods of issues' })
  options(@Res() reply: FastifyReply): void {
    answerOptions(reply, 'GET, OPTIONS');
  }

  /** @throws StatusError `EMSG404`, always JSON */
  private async reportId(tenantId: string, name: string): Promise<string> {
    const report = await findReport(this.reports, tenantId, name);
    if (!report) throw errors.messageOnly(404, unknownReport(name), true);
    return report.id;
  }
}
