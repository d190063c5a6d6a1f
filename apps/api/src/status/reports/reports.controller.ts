import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { parameter } from '#api/shared/openapi/described.js';
import { created, done, json, listOfPages, listOfStored } from '#api/status/answers/answers.js';
import * as errors from '#api/status/errors.js';
import { lists, refers, says } from '#api/status/openapi/envelopes.js';
import { Call, type StatusCall, type WithId } from '#api/status/parameters.js';
import { AnswersOptions, inTenant, READERS, routesWith, StatusController, WRITERS } from '#api/status/route.js';
import type { Query as Parameters } from '#api/status/time-query.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type ReportFilter, ReportQueries } from '#projections/status/reports/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { ChooseNodeReport, CreateReport, DeleteReport, MakeReportPrivate, MakeReportPublic, ReviseReport } from './commands.js';
import { REPORT, SENT_REPORT } from './openapi.js';
import { reportBody, reportIn } from './report-body.js';

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

/** Filter of a list. Only the presence of a parameter counts, not its value. `private` takes precedence over `public`. */
const filterOf = (query: Parameters): ReportFilter => ({
  isPublic: query.private !== undefined ? false : query.public !== undefined || undefined,
  isOfNode: query.node !== undefined,
  name: firstOf(query.name) || undefined,
});

/** Refusals of a body. */
const REFUSALS = [
  errors.conflict('Report with the same name already exists'),
  errors.unprocessableItems([{ message: 'Profile type invalid', details: 'Profile type availability is invalid' }]),
];

const { Delete, Get, Post, Put } = routesWith({ who: WRITERS });

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
    answers: lists(REPORT),
  })
  async get(@Call() { tenantId }: StatusCall, @Param() { id }: WithId): Promise<Answer> {
    const record = await this.reports.record({ tenantId, id }, await this.nameOf(tenantId));
    if (!record) throw errors.notFound();
    return json(listOfStored([record]));
  }

  @Post('', {
    id: 'createReport',
    summary: 'Creates a report',
    body: reportBody,
    example: SENT_REPORT,
    errors: REFUSALS,
    answers: refers(201, DONE.create, PATH),
  })
  create(@Call() { context, tenantId, self }: StatusCall, @Body(reportBody) body: SentReport): Promise<Answer> {
    return created(this.bus.execute(new CreateReport(context, { tenantId, report: reportIn(body) })), DONE.create, self);
  }

  @Put(':id', {
    id: 'updateReport',
    summary: 'Replaces a report; what is left out is gone',
    body: reportBody,
    example: SENT_REPORT,
    errors: REFUSALS,
    answers: says(DONE.update),
  })
  update(@Call() { context, tenantId }: StatusCall, @Param() { id }: WithId, @Body(reportBody) body: SentReport): Promise<Answer> {
    return done(this.bus.execute(new ReviseReport(context, { tenantId, id, report: reportIn(body) })), DONE.update);
  }

  @Delete(':id', { id: 'deleteReport', summary: 'Deletes a report', answers: says(DONE.delete) })
  delete(@Call() { context, tenantId }: StatusCall, @Param() { id }: WithId): Promise<Answer> {
    return done(this.bus.execute(new DeleteReport(context, { tenantId, id })), DONE.delete);
  }

  @Post(':id/set-public', {
    id: 'setReportPublic',
    summary: 'Makes a report public',
    limit: 'none',
    answers: says(DONE.setPublic),
  })
  setPublic(@Call() { context, caller }: StatusCall, @Param() { id }: WithId): Promise<Answer> {
    return done(this.bus.execute(new MakeReportPublic(context, { tenantId: caller.tenantId, id })), DONE.setPublic);
  }

  @Post(':id/set-private', {
    id: 'setReportPrivate',
    summary: 'Makes a report private, as all are at first',
    limit: 'none',
    answers: says(DONE.setPrivate),
  })
  setPrivate(@Call() { context, caller }: StatusCall, @Param() { id }: WithId): Promise<Answer> {
    return done(this.bus.execute(new MakeReportPrivate(context, { tenantId: caller.tenantId, id })), DONE.setPrivate);
  }

  @Post(':id/set-node-report', {
    id: 'setNodeReport',
    summary: 'Makes a report that of the tenant as a node, in place of the one before',
    who: inTenant('super_admin', ...WRITERS.roles),
    limit: 'none',
    answers: says(DONE.setNodeReport),
  })
  setNodeReport(@Call() { context, caller }: StatusCall, @Param() { id }: WithId): Promise<Answer> {
    return done(this.bus.execute(new ChooseNodeReport(context, { tenantId: caller.tenantId, id })), DONE.setNodeReport);
  }

  private async nameOf(tenantId: string): Promise<string> {
    const [name = ''] = await this.tenants.names([tenantId], new TimeSlice());
    return name;
  }
}
