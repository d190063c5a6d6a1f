import { Controller, Get, Param } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiProduces, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { AccountingCaller } from '#api/accounting/access/caller.js';
import { READERS, requireRepresentative } from '#api/accounting/access/permissions.js';
import { pieces } from '#api/accounting/answers.js';
import { required } from '#api/accounting/bodies.js';
import { existing } from '#api/accounting/catalogue/existing.js';
import { EXTERNAL_ID_QUERY, EXTERNAL_PROVIDER_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import { PermittedScopes } from '#api/accounting/metrics/permitted-scopes.js';
import { Caller, ExternalProviderId } from '#api/accounting/parameters.js';
import { type Pace, PaceOfCall } from '#api/accounting/search/pace.js';
import type { Answer } from '#api/shared/http/answer.js';
import { QueryText } from '#api/shared/http/parameters.js';
import { Pseudonyms } from '#infra/stores/secrets/pseudonyms.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { groupMember, userMember } from '#projections/accounting/metrics/queries.js';
import { CSV, END_QUERY, Range, type RangeOfCall, REPORT_TYPES, START_QUERY, WantsCsv } from './parameters.js';
import { reportCsv } from './report-csv.js';
import { ReportReader } from './report-reader.js';
import { globalReport, installationReport, projectReport, providerReport, type ReportView } from './report-views.js';

const ReportRoute = () => AccountingRoute({ produces: REPORT_TYPES });

const answer = ({ json, rows }: ReportView, wantsCsv: boolean): Promise<Answer> =>
  wantsCsv
    ? pieces(reportCsv(rows), { type: `${CSV}; charset=utf-8; header=present`, vary: 'accept' })
    : pieces(json(), { vary: 'accept' });

/** Usage by definition and by the periods that capacities make (accounting contract 6). */
@ApiTags('accounting: reports')
@ApiBearerAuth()
@ApiProduces(...REPORT_TYPES)
@ApiQuery(START_QUERY)
@ApiQuery(END_QUERY)
@Controller('accounting-system')
export class ReportsController {
  constructor(
    private readonly scopes: PermittedScopes,
    private readonly catalogue: CatalogueQueries,
    private readonly reports: ReportReader,
    private readonly pseudonyms: Pseudonyms,
  ) {}

  @Get('installations/external/report')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of an installation' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async ofExternalInstallation(
    @QueryText('externalId') given: string | undefined,
    @Caller() caller: AccountingCaller,
    @Range() rangeOf: RangeOfCall,
    @PaceOfCall() pace: Pace,
    @WantsCsv() csv: boolean,
  ): Promise<Answer> {
    const externalId = required(given, 'externalId');
    const range = rangeOf();
    const installation = await this.scopes.externalInstallation(caller, externalId, READERS);
    return answer(installationReport(await this.reports.ofInstallation(installation, range, pace)), csv);
  }

  @Get('installations/:installation_id/report')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of an installation' })
  async ofInstallation(
    @Param('installation_id') id: string,
    @Caller() caller: AccountingCaller,
    @Range() rangeOf: RangeOfCall,
    @PaceOfCall() pace: Pace,
    @WantsCsv() csv: boolean,
  ): Promise<Answer> {
    const installation = await this.scopes.installation(caller, id, READERS);
    return answer(installationReport(await this.reports.ofInstallation(installation, rangeOf(), pace)), csv);
  }

  @Get('projects/:project_id/providers/external/report')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of the installations of a provider in a project' })
  @ApiQuery(EXTERNAL_PROVIDER_QUERY)
  async ofExternalProviderIn(
    @Param('project_id') projectId: string,
    @ExternalProviderId() externalId: string,
    @Caller() caller: AccountingCaller,
    @Range() rangeOf: RangeOfCall,
    @PaceOfCall() pace: Pace,
    @WantsCsv() csv: boolean,
  ): Promise<Answer> {
    const range = rangeOf();
    const { project, provider } = await this.scopes.externalProvider(caller, projectId, externalId, READERS);
    return answer(providerReport(await this.reports.ofProviderIn(project, provider, range, pace)), csv);
  }

  @Get('projects/:project_id/providers/:provider_id/report')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of the installations of a provider in a project' })
  async ofProviderIn(
    @Param('project_id') projectId: string,
    @Param('provider_id') providerId: string,
    @Caller() caller: AccountingCaller,
    @Range() rangeOf: RangeOfCall,
    @PaceOfCall() pace: Pace,
    @WantsCsv() csv: boolean,
  ): Promise<Answer> {
    const { project, provider } = await this.scopes.provider(caller, projectId, providerId, READERS);
    return answer(providerReport(await this.reports.ofProviderIn(project, provider, rangeOf(), pace)), csv);
  }

  @Get('providers/external/report')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of the installations of a provider: in one project, or in all of them together' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiQuery({ name: 'project_id', required: false })
  async ofExternalProvider(
    @QueryText('externalId') given: string | undefined,
    @QueryText('project_id') projectId: string | undefined,
    @Caller() caller: AccountingCaller,
    @Range() rangeOf: RangeOfCall,
    @PaceOfCall() pace: Pace,
    @WantsCsv() csv: boolean,
  ): Promise<Answer> {
    const externalId = required(given, 'externalId');
    const range = rangeOf();
    if (projectId) {
      const { project, provider } = await this.scopes.externalProvider(caller, projectId, externalId, READERS);
      return answer(providerReport(await this.reports.ofProviderIn(project, provider, range, pace)), csv);
    }
    const provider = await existing(this.catalogue.providerByExternalId(externalId), errors.externalProviderNotFound, externalId);
    requireRepresentative(caller, provider.id);
    return answer(providerReport(await this.reports.ofProviderMerged(provider, range, pace)), csv);
  }

  @Get('providers/report/external')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of the installations of a provider in each project' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async ofExternalProviderEverywhere(
    @QueryText('externalId') given: string | undefined,
    @Caller() caller: AccountingCaller,
    @Range() rangeOf: RangeOfCall,
    @PaceOfCall() pace: Pace,
    @WantsCsv() csv: boolean,
  ): Promise<Answer> {
    const externalId = required(given, 'externalId');
    const range = rangeOf();
    const provider = await existing(this.catalogue.providerByExternalId(externalId), errors.externalProviderNotReported, externalId);
    requireRepresentative(caller, provider.id);
    return answer(globalReport(await this.reports.ofProviderEverywhere(provider, range, pace)), csv);
  }

  @Get('providers/:provider_id/report')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of the installations of a provider in each project' })
  async ofProviderEverywhere(
    @Param('provider_id') id: string,
    @Caller() caller: AccountingCaller,
    @Range() rangeOf: RangeOfCall,
    @PaceOfCall() pace: Pace,
    @WantsCsv() csv: boolean,
  ): Promise<Answer> {
    const provider = await existing(this.catalogue.provider(id), errors.providerNotFound, id);
    const range = rangeOf();
    requireRepresentative(caller, provider.id);
    return answer(globalReport(await this.reports.ofProviderEverywhere(provider, range, pace)), csv);
  }

  @Get('projects/:project_id/report')
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of the installations of a project' })
  async ofProject(
    @Param('project_id') id: string,
    @Caller() caller: AccountingCaller,
    @Range() rangeOf: RangeOfCall,
    @PaceOfCall() pace: Pace,
    @WantsCsv() csv: boolean,
  ): Promise<Answer> {
    const project = await this.scopes.project(caller, id, READERS);
    return answer(projectReport(project, await this.reports.ofProject(project, rangeOf(), pace)), csv);
  }

  /** The doubled segment is that of the original service. */
  @Get(['projects/projects/:project_id/groups/:group_id/report', 'projects/:project_id/groups/:group_id/report'])
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of a group in a project' })
  async ofGroup(
    @Param('project_id') id: string,
    @Param('group_id') groupId: string,
    @Caller() caller: AccountingCaller,
    @Range() rangeOf: RangeOfCall,
    @PaceOfCall() pace: Pace,
    @WantsCsv() csv: boolean,
  ): Promise<Answer> {
    const project = await this.scopes.project(caller, id, READERS);
    const scope = { ...rangeOf('any'), member: groupMember(groupId) };
    return answer(projectReport(project, await this.reports.ofProject(project, scope, pace)), csv);
  }

  /** The doubled segment is that of the original service. */
  @Get(['projects/projects/:project_id/users/:user_id/report', 'projects/:project_id/users/:user_id/report'])
  @ReportRoute()
  @ApiOperation({ summary: 'The usage of a user in a project' })
  async ofUser(
    @Param('project_id') id: string,
    @Param('user_id') userId: string,
    @Caller() caller: AccountingCaller,
    @Range() rangeOf: RangeOfCall,
    @PaceOfCall() pace: Pace,
    @WantsCsv() csv: boolean,
  ): Promise<Answer> {
    const project = await this.scopes.project(caller, id, READERS);
    const scope = { ...rangeOf('any'), member: userMember(this.pseudonyms.of(userId, id)) };
    return answer(projectReport(project, await this.reports.ofProject(project, scope, pace)), csv);
  }
}
