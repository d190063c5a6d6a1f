import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { parameter } from '#api/shared/openapi/described.js';
import { json } from '#api/status/answers.js';
import { listOfPages, listOfStored, message, reference } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { lists, refers, says } from '#api/status/openapi/envelopes.js';
import { REPORT, SENT_REPORT } from '#api/status/openapi/reports.js';
import { Call, type StatusCall } from '#api/status/parameters.js';
import { inTenant, READERS, WRITERS } from '#api/status/roles.js';
import { AnswersOptions, Delete, Get, Post, Put, StatusController } from '#api/status/route.js';
import type { Query as Parameters } from '#api/status/time-query.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type ReportFilter, ReportQueries } from '#projections/status/reports/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { ChooseNodeReport, CreateReport, DeleteReport, MakeReportPrivate, MakeReportPublic, ReviseReport } from './commands.js';
import { reportBody, reportIn } from './report-body.js';

type Params = Readonly<{ id: string }>;
type SentReport = Infer<typeof reportBody>;

const PATH = 'api/v2/reports';

const DONE = {
  create: 'Successfully Created Report',
  update: 'Report was successfully updated',
  delete: 'Report was successfully deleted',
  setPublic: 'Report is set as public',
  setPrivate: 'Report is set as private',
  setNodeReport: 'Report was set as the default node report',
} as const;

/** Which reports a list is to have: what counts is that a parameter is there, not its value. `private` comes before `public`. */
const filterOf = (query: Parameters): ReportFilter => ({
  isPublic: query.private !== undefined ? false : query.public !== undefined || undefined,
  isOfNode: query.node !== undefined,
  name: firstOf(query.name) || undefined,
});

/** Reports (status contract 12). */
@AnswersOptions('The methods of reports', 'GET, POST, DELETE, PUT, OPTIONS', ['', ':id'])
@AnswersOptions('The methods of the marks of a report', 'POST, OPTIONS', [':id/set-public', ':id/set-private', ':id/set-node-report'])
@StatusController(PATH, 'status: reports')
export class ReportsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly reports: ReportQueries,
    private readonly tenants: TenantQueries,
  ) {}

  @Get('', {
    id: 'listReports',
    summary: 'The reports, by id; parameters without a value count too',
    who: READERS,
    query: {
      name: parameter('text', 'only the report of that name'),
      private: parameter('text', 'only reports that are not public; comes before public'),
      public: parameter('text', 'only public reports'),
      node: parameter('text', 'only the report of the tenant as a node'),
    },
    anyThread: true,
    answers: lists(REPORT),
  })
  async list(@Call() { tenantId, query }: StatusCall): Promise<Answer> {
    const tenantName = await this.nameOf(tenantId);
    return json(await listOfPages(this.reports.records(tenantId, tenantName, new TimeSlice(), filterOf(query))));
  }

  @Get(':id', {
    id: 'getReport',
    summary: 'One report',
    who: READERS,
    anyThread: true,
    answers: lists(REPORT),
  })
  async get(@Call() { tenantId }: StatusCall, @Param() { id }: Params): Promise<Answer> {
    const record = await this.reports.record({ tenantId, id }, await this.nameOf(tenantId));
    if (!record) throw errors.notFound();
    return json(listOfStored([record]));
  }

  @Post('', {
    id: 'createReport',
    summary: 'Creates a report',
    who: WRITERS,
    body: reportBody,
    example: SENT_REPORT,
    errors: [errors.conflict('Report with the same name already exists')],
    answers: refers(201, DONE.create, PATH),
  })
  async create(@Call() { context, tenantId, self }: StatusCall, @Body(reportBody) body: SentReport): Promise<Answer> {
    const { id, readable } = await this.bus.execute(new CreateReport(context, { tenantId, report: reportIn(body) }));
    return json(reference(DONE.create, id, self(id)), { status: 201, readable });
  }

  @Put(':id', {
    id: 'updateReport',
    summary: 'Replaces a report; what is left out is gone',
    who: WRITERS,
    body: reportBody,
    example: SENT_REPORT,
    errors: [errors.conflict('Report with the same name already exists')],
    answers: says(DONE.update),
  })
  async update(@Call() { context, tenantId }: StatusCall, @Param() { id }: Params, @Body(reportBody) body: SentReport): Promise<Answer> {
    const { readable } = await this.bus.execute(new ReviseReport(context, { tenantId, id, report: reportIn(body) }));
    return json(message(DONE.update), { readable });
  }

  @Delete(':id', {
    id: 'deleteReport',
    summary: 'Deletes a report',
    who: WRITERS,
    answers: says(DONE.delete),
  })
  async delete(@Call() { context, tenantId }: StatusCall, @Param() { id }: Params): Promise<Answer> {
    const { readable } = await this.bus.execute(new DeleteReport(context, { tenantId, id }));
    return json(message(DONE.delete), { readable });
  }

  @Post(':id/set-public', {
    id: 'setReportPublic',
    summary: 'Makes a report public',
    who: WRITERS,
    limit: 'none',
    answers: says(DONE.setPublic),
  })
  setPublic(@Call() { context, caller }: StatusCall, @Param() { id }: Params): Promise<Answer> {
    return this.mark(new MakeReportPublic(context, { tenantId: caller.tenantId, id }), DONE.setPublic);
  }

  @Post(':id/set-private', {
    id: 'setReportPrivate',
    summary: 'Makes a report private, as all are at first',
    who: WRITERS,
    limit: 'none',
    answers: says(DONE.setPrivate),
  })
  setPrivate(@Call() { context, caller }: StatusCall, @Param() { id }: Params): Promise<Answer> {
    return this.mark(new MakeReportPrivate(context, { tenantId: caller.tenantId, id }), DONE.setPrivate);
  }

  @Post(':id/set-node-report', {
    id: 'setNodeReport',
    summary: 'Makes a report that of the tenant as a node, in place of the one before',
    who: inTenant('super_admin', ...WRITERS.roles),
    limit: 'none',
    answers: says(DONE.setNodeReport),
  })
  setNodeReport(@Call() { context, caller }: StatusCall, @Param() { id }: Params): Promise<Answer> {
    return this.mark(new ChooseNodeReport(context, { tenantId: caller.tenantId, id }), DONE.setNodeReport);
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
