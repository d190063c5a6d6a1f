import { Controller, Delete, Get, HttpCode, Options, Param, Post, Put, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import { json, methods } from '#api/status/answers.js';
import { listOfPages, listOfStored, message, reference } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { TenantRoute } from '#api/status/http-policy.js';
import { Caller, type Link, Self, type TenantCaller, TenantContext } from '#api/status/parameters.js';
import type { Query as Parameters } from '#api/status/time-query.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type ReportFilter, ReportQueries } from '#projections/status/reports/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { ChooseNodeReport, CreateReport, DeleteReport, MakeReportPrivate, MakeReportPublic, ReviseReport } from './commands.js';
import { reportBody, reportIn } from './report-body.js';

type Params = Readonly<{ id: string }>;
type SentReport = Infer<typeof reportBody>;

const ALLOW = 'GET, POST, DELETE, PUT, OPTIONS';

/** Which reports a list is to have: what counts is that a parameter is there, not its value. `private` comes before `public`. */
const filterOf = (query: Parameters): ReportFilter => ({
  isPublic: query.private !== undefined ? false : query.public !== undefined || undefined,
  isOfNode: query.node !== undefined,
  name: firstOf(query.name) || undefined,
});

/** Reports (status contract 12). */
@ApiTags('status: reports')
@ApiSecurity('x-api-key')
@Controller('api/v2/reports')
export class ReportsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly reports: ReportQueries,
    private readonly tenants: TenantQueries,
  ) {}

  @Get()
  @TenantRoute('reports.list')
  @ApiOperation({ summary: 'The reports, by id; parameters without a value count too' })
  @ApiQuery({ name: 'node', required: false, description: 'only the report of the tenant as a node' })
  @ApiQuery({ name: 'public', required: false, description: 'only public reports' })
  @ApiQuery({ name: 'private', required: false, description: 'only reports that are not public; comes before public' })
  @ApiQuery({ name: 'name', required: false, description: 'only the report of that name' })
  async list(@Caller() { tenantId }: TenantCaller, @Query() query: Parameters): Promise<Answer> {
    const tenantName = await this.nameOf(tenantId);
    return json(await listOfPages(this.reports.records(tenantId, tenantName, new TimeSlice(), filterOf(query))));
  }

  @Get(':id')
  @TenantRoute('reports.get')
  @ApiOperation({ summary: 'One report' })
  async get(@Caller() { tenantId }: TenantCaller, @Param() { id }: Params): Promise<Answer> {
    const record = await this.reports.record({ tenantId, id }, await this.nameOf(tenantId));
    if (!record) throw errors.notFound();
    return json(listOfStored([record]));
  }

  @Post()
  @HttpCode(201)
  @TenantRoute('reports.create')
  @ApiOperation({ summary: 'Creates a report' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaOf(reportBody) })
  async create(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @Body(reportBody) body: SentReport,
    @Self() self: Link,
  ): Promise<Answer> {
    const { id, readable } = await this.bus.execute(new CreateReport(context, { tenantId, report: reportIn(body) }));
    return json(reference('Successfully Created Report', id, self(id)), { status: 201, readable });
  }

  @Put(':id')
  @TenantRoute('reports.update')
  @ApiOperation({ summary: 'Replaces a report; what is left out is gone' })
  @ApiBody({ schema: schemaOf(reportBody) })
  async update(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @Param() { id }: Params,
    @Body(reportBody) body: SentReport,
  ): Promise<Answer> {
    const { readable } = await this.bus.execute(new ReviseReport(context, { tenantId, id, report: reportIn(body) }));
    return json(message('Report was successfully updated'), { readable });
  }

  @Delete(':id')
  @TenantRoute('reports.delete')
  @ApiOperation({ summary: 'Deletes a report' })
  async delete(@TenantContext() context: CommandContext, @Caller() { tenantId }: TenantCaller, @Param() { id }: Params): Promise<Answer> {
    const { readable } = await this.bus.execute(new DeleteReport(context, { tenantId, id }));
    return json(message('Report was successfully deleted'), { readable });
  }

  @Post(':id/set-public')
  @HttpCode(200)
  @TenantRoute('reports.set_public', 'none')
  @ApiOperation({ summary: 'Makes a report public' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  setPublic(@TenantContext() context: CommandContext, @Caller() caller: TenantCaller, @Param() { id }: Params): Promise<Answer> {
    return this.mark(new MakeReportPublic(context, { tenantId: caller.tenantId, id }), 'Report is set as public');
  }

  @Post(':id/set-private')
  @HttpCode(200)
  @TenantRoute('reports.set_private', 'none')
  @ApiOperation({ summary: 'Makes a report private, as all are at first' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  setPrivate(@TenantContext() context: CommandContext, @Caller() caller: TenantCaller, @Param() { id }: Params): Promise<Answer> {
    return this.mark(new MakeReportPrivate(context, { tenantId: caller.tenantId, id }), 'Report is set as private');
  }

  @Post(':id/set-node-report')
  @HttpCode(200)
  @TenantRoute('reports.set_node_report', 'none')
  @ApiOperation({ summary: 'Makes a report that of the tenant as a node, in place of the one before' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  setNodeReport(@TenantContext() context: CommandContext, @Caller() caller: TenantCaller, @Param() { id }: Params): Promise<Answer> {
    return this.mark(new ChooseNodeReport(context, { tenantId: caller.tenantId, id }), 'Report was set as the default node report');
  }

  @Options([':id/set-public', ':id/set-private', ':id/set-node-report'])
  @ApiOperation({ summary: 'The methods of the marks of a report' })
  optionsOfMarks(): Answer {
    return methods('POST, OPTIONS');
  }

  @Options(['', ':id'])
  @ApiOperation({ summary: 'The methods of reports' })
  options(): Answer {
    return methods(ALLOW);
  }

  private async mark(command: MakeReportPublic | MakeReportPrivate | ChooseNodeReport, text: string): Promise<Answer> {
    const { readable } = await this.bus.execute(command);
    return json(message(text), { readable });
  }

  private async nameOf(tenantId: string): Promise<string> {
    const [name = ''] = await this.tenants.names([tenantId], new TimeSlice());
    return name;
  }
}
