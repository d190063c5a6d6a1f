import { Inject, Param } from '@nestjs/common';
import { ApiProduces } from '@nestjs/swagger';
import { pieces } from '#api/accounting/answers.js';
import { required } from '#api/accounting/bodies.js';
import { PermittedScopes } from '#api/accounting/catalogue/permitted-scopes.js';
import * as errors from '#api/accounting/errors.js';
import { existing } from '#api/accounting/existing.js';
import { ExternalProviderId } from '#api/accounting/parameters.js';
import { READERS, requireRepresentative } from '#api/accounting/permissions.js';
import { EXTERNAL_ID, EXTERNAL_PROVIDER } from '#api/accounting/queries.js';
import { AccountingController, Get } from '#api/accounting/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import { CONFIGURATION } from '#api/shared/tokens.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { Pseudonyms } from '#infra/stores/secrets/pseudonyms.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { GLOBAL_PROVIDER_REPORT, INSTALLATION_REPORT, PROJECT_REPORT, PROVIDER_REPORT } from '#projections/accounting/components.js';
import { groupMember, userMember } from '#projections/accounting/metrics/queries.js';
import { CallForReport, CSV, RANGE, REPORT_TYPES, type ReportCall } from './parameters.js';
import { reportCsv } from './report-csv.js';
import { ReportReader } from './report-reader.js';
import { globalReport, installationReport, projectReport, providerReport, type ReportView } from './report-views.js';

/** For reports on a provider. */
const ONE_PROJECT = parameter('text', 'only this project; default all projects together');

const OF_INSTALLATION = { summary: 'The usage of an installation', produces: REPORT_TYPES, answers: shows(INSTALLATION_REPORT) } as const;
const OF_PROJECT = { produces: REPORT_TYPES, query: RANGE, answers: shows(PROJECT_REPORT) } as const;
const OF_PROVIDER_IN = {
  summary: 'The usage of the installations of a provider in a project',
  produces: REPORT_TYPES,
  answers: shows(PROVIDER_REPORT),
} as const;
const OF_PROVIDER_EVERYWHERE = {
  summary: 'The usage of the installations of a provider in each project',
  produces: REPORT_TYPES,
  errors: [errors.notRepresentative()],
  answers: shows(GLOBAL_PROVIDER_REPORT),
} as const;

/** Usage by definition and by the periods between capacities (accounting contract 6). */
@ApiProduces(...REPORT_TYPES)
@AccountingController('accounting-system', 'accounting: reports')
export class ReportsController {
  constructor(
    private readonly scopes: PermittedScopes,
    private readonly catalogue: CatalogueQueries,
    private readonly reports: ReportReader,
    private readonly pseudonyms: Pseudonyms,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'accountingCsvExact'>,
  ) {}

  @Get('installations/external/report', {
    id: 'getInstallationReportByExternalId',
    ...OF_INSTALLATION,
    query: { ...EXTERNAL_ID, ...RANGE },
  })
  async ofExternalInstallation(@CallForReport() { caller, rangeOf, pace, csv, queryText }: ReportCall): Promise<Answer> {
    const externalId = required(queryText('externalId'), 'externalId');
    const range = rangeOf();
    const installation = await this.scopes.externalInstallation(caller, externalId, READERS);
    return this.answer(installationReport(await this.reports.ofInstallation(installation, range, pace)), csv);
  }

  @Get('installations/:installation_id/report', { id: 'getInstallationReport', ...OF_INSTALLATION, query: RANGE })
  async ofInstallation(@CallForReport() { caller, rangeOf, pace, csv }: ReportCall, @Param('installation_id') id: string): Promise<Answer> {
    const installation = await this.scopes.installation(caller, id, READERS);
    return this.answer(installationReport(await this.reports.ofInstallation(installation, rangeOf(), pace)), csv);
  }

  @Get('projects/:project_id/providers/external/report', {
    id: 'getProjectProviderReportByExternalId',
    ...OF_PROVIDER_IN,
    query: { ...EXTERNAL_PROVIDER, ...RANGE },
  })
  async ofExternalProviderIn(
    @CallForReport() { caller, rangeOf, pace, csv }: ReportCall,
    @Param('project_id') projectId: string,
    @ExternalProviderId() externalId: string,
  ): Promise<Answer> {
    const range = rangeOf();
    const { project, provider } = await this.scopes.externalProvider(caller, projectId, externalId);
    return this.answer(providerReport(await this.reports.ofProviderIn(project, provider, range, pace)), csv);
  }

  @Get('projects/:project_id/providers/:provider_id/report', { id: 'getProjectProviderReport', ...OF_PROVIDER_IN, query: RANGE })
  async ofProviderIn(
    @CallForReport() { caller, rangeOf, pace, csv }: ReportCall,
    @Param('project_id') projectId: string,
    @Param('provider_id') providerId: string,
  ): Promise<Answer> {
    const { project, provider } = await this.scopes.provider(caller, projectId, providerId);
    return this.answer(providerReport(await this.reports.ofProviderIn(project, provider, rangeOf(), pace)), csv);
  }

  @Get('providers/external/report', {
    id: 'getProviderReportByExternalId',
    summary: 'The usage of the installations of a provider: in one project, or in all of them together',
    produces: REPORT_TYPES,
    query: { project_id: ONE_PROJECT, ...EXTERNAL_ID, ...RANGE },
    errors: [errors.notRepresentative(), errors.projectNotFound('507f1f77bcf86cd799439011')],
    answers: shows(PROVIDER_REPORT),
  })
  async ofExternalProvider(@CallForReport() { caller, rangeOf, pace, csv, queryText }: ReportCall): Promise<Answer> {
    const projectId = queryText('project_id');
    const externalId = required(queryText('externalId'), 'externalId');
    const range = rangeOf();
    if (projectId) {
      const { project, provider } = await this.scopes.externalProvider(caller, projectId, externalId);
      return this.answer(providerReport(await this.reports.ofProviderIn(project, provider, range, pace)), csv);
    }
    const provider = await existing(this.catalogue.providerByExternalId(externalId), errors.externalProviderNotFound, externalId);
    requireRepresentative(caller, provider.id);
    return this.answer(providerReport(await this.reports.ofProviderMerged(provider, range, pace)), csv);
  }

  @Get('providers/report/external', {
    id: 'getGlobalProviderReportByExternalId',
    ...OF_PROVIDER_EVERYWHERE,
    query: { ...EXTERNAL_ID, ...RANGE },
  })
  async ofExternalProviderEverywhere(@CallForReport() { caller, rangeOf, pace, csv, queryText }: ReportCall): Promise<Answer> {
    const externalId = required(queryText('externalId'), 'externalId');
    const range = rangeOf();
    const provider = await existing(this.catalogue.providerByExternalId(externalId), errors.externalProviderNotReported, externalId);
    requireRepresentative(caller, provider.id);
    return this.answer(globalReport(await this.reports.ofProviderEverywhere(provider, range, pace)), csv);
  }

  @Get('providers/:provider_id/report', { id: 'getGlobalProviderReport', ...OF_PROVIDER_EVERYWHERE, query: RANGE })
  async ofProviderEverywhere(
    @CallForReport() { caller, rangeOf, pace, csv }: ReportCall,
    @Param('provider_id') id: string,
  ): Promise<Answer> {
    const provider = await existing(this.catalogue.provider(id), errors.providerNotFound, id);
    const range = rangeOf();
    requireRepresentative(caller, provider.id);
    return this.answer(globalReport(await this.reports.ofProviderEverywhere(provider, range, pace)), csv);
  }

  @Get('projects/:project_id/report', {
    id: 'getProjectReport',
    summary: 'The usage of the installations of a project',
    ...OF_PROJECT,
  })
  async ofProject(@CallForReport() { caller, rangeOf, pace, csv }: ReportCall, @Param('project_id') id: string): Promise<Answer> {
    const project = await this.scopes.project(caller, id, READERS);
    return this.answer(projectReport(project, await this.reports.ofProject(project, rangeOf(), pace)), csv);
  }

  /** The original service has the doubled segment. */
  @Get(
    {
      'projects/projects/:project_id/groups/:group_id/report': [
        'getGroupReportAtOriginalPath',
        'The usage of a group in a project, at the path of the original service',
      ],
      'projects/:project_id/groups/:group_id/report': 'getGroupReport',
    },
    { summary: 'The usage of a group in a project', ...OF_PROJECT },
  )
  async ofGroup(
    @CallForReport() { caller, rangeOf, pace, csv }: ReportCall,
    @Param('project_id') id: string,
    @Param('group_id') groupId: string,
  ): Promise<Answer> {
    const project = await this.scopes.project(caller, id, READERS);
    const scope = { ...rangeOf('any'), member: groupMember(groupId) };
    return this.answer(projectReport(project, await this.reports.ofProject(project, scope, pace)), csv);
  }

  /** The original service has the doubled segment. */
  @Get(
    {
      'projects/projects/:project_id/users/:user_id/report': [
        'getUserReportAtOriginalPath',
        'The usage of a user in a project, at the path of the original service',
      ],
      'projects/:project_id/users/:user_id/report': 'getUserReport',
    },
    { summary: 'The usage of a user in a project', ...OF_PROJECT },
  )
  async ofUser(
    @CallForReport() { caller, rangeOf, pace, csv }: ReportCall,
    @Param('project_id') id: string,
    @Param('user_id') userId: string,
  ): Promise<Answer> {
    const project = await this.scopes.project(caller, id, READERS);
    const scope = { ...rangeOf('any'), member: userMember(this.pseudonyms.of(userId, id)) };
    return this.answer(projectReport(project, await this.reports.ofProject(project, scope, pace)), csv);
  }

  private answer({ json, rows }: ReportView, wantsCsv: boolean): Answer {
    return wantsCsv
      ? pieces(reportCsv(rows, this.configuration.accountingCsvExact), { type: `${CSV}; charset=utf-8; header=present`, vary: 'accept' })
      : pieces(json(), { vary: 'accept' });
  }
}
