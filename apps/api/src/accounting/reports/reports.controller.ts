import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiProduces, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { READERS, requireRepresentative } from '#api/accounting/access/permissions.js';
import { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { EXTERNAL_ID_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute, accountingCaller } from '#api/accounting/http-policy.js';
import { END_QUERY, EXTERNAL_PROVIDER_QUERY, externalProviderId, reportRange, START_QUERY } from '#api/accounting/metrics/usage-queries.js';
import { UsageScopes } from '#api/accounting/metrics/usage-scopes.js';
import { requiredQuery } from '#api/accounting/queries.js';
import { sendPieces } from '#api/accounting/responses.js';
import { Pace } from '#api/accounting/search/search-pages.js';
import { acceptedType } from '#api/shared/http/accepted-type.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { addVary } from '#api/shared/http/vary.js';
import { Pseudonyms } from '#infra/secrets/pseudonyms.js';
import type { ProviderDocument } from '#projections/accounting/catalogue/queries.js';
import { groupMember, userMember } from '#projections/accounting/metrics/usage-documents.js';
import { reportCsv } from './report-csv.js';
import { ReportReader, type ReportScope } from './report-reader.js';
import { globalReport, installationReport, projectReport, providerReport, type ReportView } from './report-views.js';

const CSV = 'text/csv';
const FORMATS = ['application/json', CSV];

/** Reports come as JSON or as CSV. */
const ReportRoute = () => AccountingRoute({ produces: FORMATS });

const sendReport = async (request: FastifyRequest, reply: FastifyReply, { json, rows }: ReportView): Promise<void> => {
  addVary(reply, 'accept');
  if (acceptedType(request.headers.accept, FORMATS) !== CSV) await sendPieces(reply, json());
  else await sendPieces(reply, reportCsv(rows), `${CSV}; charset=utf-8; header=present`);
};

/** Usage by definition and by the periods that capacities make (accounting contract 6). */
@ApiTags('accounting: reports')
@ApiBearerAuth()
@ApiProduces(...FORMATS)
@ApiQuery(START_QUERY)
@ApiQuery(END_QUERY)
@Controller('accounting-system')
export class ReportsController {
  constructor(
    private readonly scopes: UsageScopes,
    private readonly catalogue: CatalogueReader,
    private readonly reports: ReportReader,
    private readonly pseudonyms: Pseudonyms,
  ) {}

  @Get('installations/external/report')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of an installation' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async ofExternalInstallation(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const externalId = requiredQuery(request, EXTERNAL_ID_QUERY.name);
    const range = reportRange(request);
    const installation = await this.scopes.externalInstallation(request, externalId, READERS);
    await sendReport(request, reply, installationReport(await this.reports.ofInstallation(installation, range, new Pace(request))));
  }

  @Get('installations/:installation_id/report')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of an installation' })
  async ofInstallation(@Param('installation_id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const installation = await this.scopes.installation(request, id, READERS);
    await sendReport(
      request,
      reply,
      installationReport(await this.reports.ofInstallation(installation, reportRange(request), new Pace(request))),
    );
  }

  @Get('projects/:project_id/providers/external/report')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of the installations of a provider in a project' })
  @ApiQuery(EXTERNAL_PROVIDER_QUERY)
  async ofExternalProviderIn(
    @Param('project_id') projectId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const externalId = externalProviderId(request);
    await this.sendOfExternalProviderIn(request, reply, projectId, externalId);
  }

  @Get('projects/:project_id/providers/:provider_id/report')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of the installations of a provider in a project' })
  async ofProviderIn(
    @Param('project_id') projectId: string,
    @Param('provider_id') providerId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { project, provider } = await this.scopes.provider(request, projectId, providerId, READERS);
    await sendReport(
      request,
      reply,
      providerReport(await this.reports.ofProviderIn(project, provider, reportRange(request), new Pace(request))),
    );
  }

  @Get('providers/external/report')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of the installations of a provider: in one project, or in all of them together' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiQuery({ name: 'project_id', required: false })
  async ofExternalProvider(
    @Req() request: FastifyRequest<{ Querystring: Record<string, unknown> }>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const externalId = requiredQuery(request, EXTERNAL_ID_QUERY.name);
    const projectId = firstOf(request.query.project_id);
    if (projectId) return this.sendOfExternalProviderIn(request, reply, projectId, externalId);
    const range = reportRange(request);
    const provider = await this.catalogue.providerByExternalId(externalId);
    requireRepresentative(accountingCaller(request), provider.id);
    await sendReport(request, reply, providerReport(await this.reports.ofProviderMerged(provider, range, new Pace(request))));
  }

  @Get('providers/report/external')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of the installations of a provider in each project' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async ofExternalProviderEverywhere(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const externalId = requiredQuery(request, EXTERNAL_ID_QUERY.name);
    const range = reportRange(request);
    const provider = await this.catalogue.findProviderByExternalId(externalId);
    if (!provider) throw errors.externalProviderNotReported(externalId);
    await this.sendOfProviderEverywhere(request, reply, provider, range);
  }

  @Get('providers/:provider_id/report')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of the installations of a provider in each project' })
  async ofProviderEverywhere(@Param('provider_id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const provider = await this.catalogue.provider(id);
    await this.sendOfProviderEverywhere(request, reply, provider, reportRange(request));
  }

  @Get('projects/:project_id/report')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of the installations of a project' })
  async ofProject(@Param('project_id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.sendOfProject(request, reply, id, () => reportRange(request));
  }

  /** The doubled segment is that of the original service. */
  @Get(['projects/projects/:project_id/groups/:group_id/report', 'projects/:project_id/groups/:group_id/report'])
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of a group in a project' })
  async ofGroup(
    @Param('project_id') id: string,
    @Param('group_id') groupId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.sendOfProject(request, reply, id, () => ({ ...reportRange(request, 'any'), member: groupMember(groupId) }));
  }

  /** The doubled segment is that of the original service. */
  @Get(['projects/projects/:project_id/users/:user_id/report', 'projects/:project_id/users/:user_id/report'])
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of a user in a project' })
  async ofUser(
    @Param('project_id') id: string,
    @Param('user_id') userId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.sendOfProject(request, reply, id, () => ({
      ...reportRange(request, 'any'),
      member: userMember(this.pseudonyms.of(userId, id)),
    }));
  }

  private async sendOfExternalProviderIn(
    request: FastifyRequest,
    reply: FastifyReply,
    projectId: string,
    externalId: string,
  ): Promise<void> {
    const range = reportRange(request);
    const { project, provider } = await this.scopes.externalProvider(request, projectId, externalId, READERS);
    await sendReport(request, reply, providerReport(await this.reports.ofProviderIn(project, provider, range, new Pace(request))));
  }

  private async sendOfProviderEverywhere(
    request: FastifyRequest,
    reply: FastifyReply,
    provider: ProviderDocument,
    range: ReportScope,
  ): Promise<void> {
    requireRepresentative(accountingCaller(request), provider.id);
    await sendReport(request, reply, globalReport(await this.reports.ofProviderEverywhere(provider, range, new Pace(request))));
  }

  /** The scope is read once the project is known to be the caller's. */
  private async sendOfProject(request: FastifyRequest, reply: FastifyReply, id: string, scopeOf: () => ReportScope): Promise<void> {
    const project = await this.scopes.project(request, id, READERS);
    await sendReport(request, reply, projectReport(project, await this.reports.ofProject(project, scopeOf(), new Pace(request))));
  }
}
