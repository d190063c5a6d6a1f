import { Param } from '@nestjs/common';
import { page } from '#api/accounting/answers.js';
import { required } from '#api/accounting/bodies.js';
import { installationRef, PermittedScopes } from '#api/accounting/catalogue/permitted-scopes.js';
import { lists } from '#api/accounting/openapi/envelopes.js';
import type { RequestedPage } from '#api/accounting/paging.js';
import { type AccountingCall, Call, ExternalProviderId } from '#api/accounting/parameters.js';
import { READERS } from '#api/accounting/permissions.js';
import { EXTERNAL_ID, EXTERNAL_PROVIDER, PAGES } from '#api/accounting/queries.js';
import { AccountingController, Get } from '#api/accounting/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { METRIC_DEFINITION } from '#projections/accounting/components.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import { MetricQueries, type SeriesOfInstallation } from '#projections/accounting/metrics/queries.js';
import type { Work } from '#projections/shared/pages.js';

/** Definitions that are read together. */
const AT_ONCE = 100;

const OF_INSTALLATION = {
  summary: 'The metric definitions that an installation has metrics of',
  answers: lists(METRIC_DEFINITION),
} as const;
const OF_PROVIDER = {
  summary: 'The metric definitions that a provider has metrics of in a project',
  answers: lists(METRIC_DEFINITION),
} as const;

/** Metric definitions that metrics refer to, without duplicates, in the order of their ids (accounting contract 3.1, 3.3). */
@AccountingController('accounting-system', 'accounting: metric definitions')
export class UsedDefinitionsController {
  constructor(
    private readonly scopes: PermittedScopes,
    private readonly definitions: DefinitionQueries,
    private readonly metrics: MetricQueries,
  ) {}

  @Get('installations/external/metric-definitions', {
    id: 'listInstallationMetricDefinitionsByExternalId',
    ...OF_INSTALLATION,
    query: { ...EXTERNAL_ID, ...PAGES },
  })
  async ofExternalInstallation(@Call() { caller, pageOf, queryText, pace }: AccountingCall): Promise<Answer> {
    const externalId = required(queryText('externalId'), 'externalId');
    const asked = pageOf();
    const installation = await this.scopes.externalInstallation(caller, externalId, READERS);
    return this.list(asked, await this.metrics.seriesOfEach([installationRef(installation)]), pace);
  }

  @Get('installations/:installation_id/metric-definitions', { id: 'listInstallationMetricDefinitions', ...OF_INSTALLATION, query: PAGES })
  async ofInstallation(@Call() { caller, pageOf, pace }: AccountingCall, @Param('installation_id') id: string): Promise<Answer> {
    const installation = await this.scopes.installation(caller, id, READERS);
    return this.list(pageOf(), await this.metrics.seriesOfEach([installationRef(installation)]), pace);
  }

  @Get('projects/:project_id/metric-definitions', {
    id: 'listProjectMetricDefinitions',
    summary: 'The metric definitions that a project has metrics of',
    query: PAGES,
    answers: lists(METRIC_DEFINITION),
  })
  async ofProject(@Call() { caller, pageOf, pace }: AccountingCall, @Param('project_id') id: string): Promise<Answer> {
    await this.scopes.project(caller, id, READERS);
    return this.list(pageOf(), await this.seriesIn(id, undefined, pace), pace);
  }

  @Get('projects/:project_id/providers/external/metric-definitions', {
    id: 'listProjectProviderMetricDefinitionsByExternalId',
    ...OF_PROVIDER,
    query: { ...EXTERNAL_PROVIDER, ...PAGES },
  })
  async ofExternalProvider(
    @Call() { caller, pageOf, pace }: AccountingCall,
    @Param('project_id') projectId: string,
    @ExternalProviderId() externalId: string,
  ): Promise<Answer> {
    const asked = pageOf();
    const { provider } = await this.scopes.externalProvider(caller, projectId, externalId);
    return this.list(asked, await this.seriesIn(projectId, provider.id, pace), pace);
  }

  @Get('projects/:project_id/providers/:provider_id/metric-definitions', {
    id: 'listProjectProviderMetricDefinitions',
    ...OF_PROVIDER,
    query: PAGES,
  })
  async ofProvider(
    @Call() { caller, pageOf, pace }: AccountingCall,
    @Param('project_id') projectId: string,
    @Param('provider_id') providerId: string,
  ): Promise<Answer> {
    const { provider } = await this.scopes.provider(caller, projectId, providerId);
    return this.list(pageOf(), await this.seriesIn(projectId, provider.id, pace), pace);
  }

  private async seriesIn(projectId: string, providerId: string | undefined, work: Work): Promise<readonly SeriesOfInstallation[]> {
    return (await this.metrics.measured(projectId, providerId, work)).map(({ definitions }) => definitions);
  }

  private async list(asked: RequestedPage, series: readonly SeriesOfInstallation[], work: Work): Promise<Answer> {
    const used = new Set<string>();
    for (const definitions of series) for (const id of Object.keys(definitions)) used.add(id);
    const ids = [...used].sort();
    const { slice } = work;
    const content: string[] = [];
    let total = 0;
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      for (const { document } of await this.definitions.definitions(ids.slice(start, start + AT_ONCE))) {
        if (total >= asked.offset && content.length < asked.size) content.push(JSON.stringify(document));
        total += 1;
      }
      if (work.isPointless) break;
      if (slice.isOver) await slice.next();
    }
    return page(asked, { content, total });
  }
}
