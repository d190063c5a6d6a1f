import { Controller, Get, Inject, Options, Param, Put, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { list, readLargeBody, struct, text } from '#api/shared/bodies/body-shape.js';
import { StreamWrite } from '#api/shared/commands/stream-write.js';
import { noteReadability } from '#api/shared/http/read-model-header.js';
import { contextOf, receivedBodyOf } from '#api/shared/http/request-context.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import { queriesOf } from '#api/status/dated-records/queries-of.js';
import { DATE_QUERY, dayIn } from '#api/status/day-query.js';
import { listOf, listOfStored, withData } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { AdminRoute, adminAdmission, TenantRoute, tenantAdmission } from '#api/status/http-policy.js';
import { findReport } from '#api/status/reports/report-lookup.js';
import { answerOptions, JSON_TYPE } from '#api/status/responses.js';
import type { Clock } from '#domain/shared/clock.js';
import { type MetricProfile, metricProfiles } from '#domain/status/dated-records/metric-profiles.js';
import { type ListedMetric, METRIC_LIST_STREAM, metricList } from '#domain/status/metric-list/metric-list.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import type { DatedQueries } from '#projections/status/dated-records/queries.js';
import { METRIC_LIST, METRIC_LIST_KEY, METRIC_LIST_PROJECTION } from '#projections/status/metric-list/metric-list.js';
import { REPORTS_PROJECTION } from '#projections/status/reports/reports.js';

const metricsBody = list(struct({ name: text, tags: list(text) }));

/** The whole list as it stands in a response. */
const storedList = async (view: ReadView): Promise<Buffer | null> => view.get(METRIC_LIST, METRIC_LIST_KEY);

const sendList = async (view: ReadView, reply: FastifyReply): Promise<void> => {
  const metrics = await storedList(view);
  reply.type(JSON_TYPE).send(listOfStored(metrics ? [metrics] : []));
};

/** The metric list, shared by all tenants (status extended contract 9), for those who keep it. */
@ApiTags('status: metrics')
@ApiSecurity('x-api-key')
@Controller('api/v2/admin/metrics')
export class MetricListAdminController {
  private readonly view: ReadView;

  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.view = store.view(METRIC_LIST_PROJECTION);
  }

  @Get()
  @AdminRoute('metrics_admin.get')
  @ApiOperation({ summary: 'The whole list' })
  list(@Res() reply: FastifyReply): Promise<void> {
    return sendList(this.view, reply);
  }

  @Put()
  @AdminRoute('metrics_admin.update', 'document')
  @ApiOperation({ summary: 'Replaces the whole list' })
  @ApiBody({ schema: metricsBody.schema })
  async replace(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const metrics = await readLargeBody(metricsBody, receivedBodyOf(request));
    const context = contextOf(request, 'status', { kind: 'key', id: adminAdmission(request).caller.actorId }, this.clock);
    const command = { type: 'ReplaceMetricList', metrics } as const;
    const { readable } = await this.commands.execute(new StreamWrite(METRIC_LIST_STREAM, metricList, command, context));
    noteReadability(reply, readable);
    reply.type(JSON_TYPE).send(withData('Metrics resource succesfully updated', metrics)); // sic
  }

  @Options()
  @ApiOperation({ summary: 'The methods of the list' })
  options(@Res() reply: FastifyReply): void {
    answerOptions(reply, 'GET, PUT, OPTIONS');
  }
}

/** The same list for tenants, whole or as far as a report uses it. */
@ApiTags('status: metrics')
@ApiSecurity('x-api-key')
@Controller('api/v2/metrics')
export class MetricListController {
  private readonly view: ReadView;
  private readonly reports: ReadView;

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(queriesOf(metricProfiles)) private readonly profiles: DatedQueries,
  ) {
    this.view = store.view(METRIC_LIST_PROJECTION);
    this.reports = store.view(REPORTS_PROJECTION);
  }

  @Get()
  @TenantRoute('metrics.get')
  @ApiOperation({ summary: 'The whole list' })
  list(@Res() reply: FastifyReply): Promise<void> {
    return sendList(this.view, reply);
  }

  @Get('by_report/:report')
  @TenantRoute('metrics_report.get')
  @ApiOperation({ summary: "The metrics of the report's metric profile as of a day" })
  @ApiQuery(DATE_QUERY)
  async byReport(
    @Param() { report: name }: Readonly<{ report: string }>,
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const day = dayIn(query, this.clock);
    const { tenantId } = tenantAdmission(request).caller;
    const report = await findReport(this.reports, tenantId, name);
    if (!report) throw missing(`No report with name: ${name} exists!`);
    const reference = report.profiles.find(({ type }) => type === 'metric');
    if (!reference) throw missing("Report doesn't contain a metric profile");
    const profile = await this.profiles.snapshot({ tenantId, id: reference.id }, day);
    if (!profile) throw missing(`No metric profiles with ID: ${reference.id} exists!`);
    const { services } = JSON.parse(profile.toString('utf8')) as MetricProfile;
    const used = new Set(services.flatMap(({ metrics }) => metrics));
    const stored = await storedList(this.view);
    const metrics = JSON.parse(`[${stored?.toString('utf8') ?? ''}]`) as readonly ListedMetric[];
    reply.type(JSON_TYPE).send(listOf(metrics.filter((metric) => used.has(metric.name))));
  }

  @Options('by_report/:report')
  @ApiOperation({ summary: 'The methods of the metrics of a report' })
  options(@Res() reply: FastifyReply): void {
    answerOptions(reply, 'GET, OPTIONS');
  }
}

const missing = (what: string): errors.StatusError => errors.messageOnly(404, what, true);
