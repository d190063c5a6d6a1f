import { Controller, Delete, Get, HttpCode, Options, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { json, methods } from '#api/status/answers.js';
import { listOfPages, listOfStored, message, reference } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { TenantRoute } from '#api/status/http-policy.js';
import { Caller, type Link, Self, type TenantCaller, TenantContext } from '#api/status/parameters.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { CreateReport, DeleteReport, ReviseReport } from './commands.js';
import { reportBody, reportIn } from './report-body.js';

type Params = Readonly<{ id: string }>;
type SentReport = Infer<typeof reportBody>;

const ALLOW = 'GET, POST, DELETE, PUT, OPTIONS';

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
  @ApiOperation({ summary: 'The reports, by id' })
  async list(@Caller() { tenantId }: TenantCaller): Promise<Answer> {
    return json(await listOfPages(this.reports.records(tenantId, await this.nameOf(tenantId), new TimeSlice())));
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
  @ApiBody({ schema: reportBody.schema })
  async create(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @Body(reportBody) body: SentReport,
    @Self() self: Link,
  ): Promise<Answer> {
    const { id, readable } = await this.bus.execute(new CreateReport(context, tenantId, reportIn(body)));
    return json(reference('Successfully Created Report', id, self(id)), { status: 201, readable });
  }

  @Put(':id')
  @TenantRoute('reports.update')
  @ApiOperation({ summary: 'Replaces a report; what is left out is gone' })
  @ApiBody({ schema: reportBody.schema })
  async update(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @Param() { id }: Params,
    @Body(reportBody) body: SentReport,
  ): Promise<Answer> {
    const { readable } = await this.bus.execute(new ReviseReport(context, tenantId, id, reportIn(body)));
    return json(message('Report was successfully updated'), { readable });
  }

  @Delete(':id')
  @TenantRoute('reports.delete')
  @ApiOperation({ summary: 'Deletes a report' })
  async delete(@TenantContext() context: CommandContext, @Caller() { tenantId }: TenantCaller, @Param() { id }: Params): Promise<Answer> {
    const { readable } = await this.bus.execute(new DeleteReport(context, tenantId, id));
    return json(message('Report was successfully deleted'), { readable });
  }

  @Options(['', ':id'])
  @ApiOperation({ summary: 'The methods of reports' })
  options(): Answer {
    return methods(ALLOW);
  }

  private async nameOf(tenantId: string): Promise<string> {
    const [name = ''] = await this.tenants.names([tenantId], new TimeSlice());
    return name;
  }
}
