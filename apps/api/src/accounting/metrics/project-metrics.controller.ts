import { Param } from '@nestjs/common';
import { page } from '#api/accounting/answers.js';
import { PermittedScopes } from '#api/accounting/catalogue/permitted-scopes.js';
import * as errors from '#api/accounting/errors.js';
import { lists } from '#api/accounting/openapi/envelopes.js';
import type { RequestedPage } from '#api/accounting/paging.js';
import { type AccountingCall, Call, ExternalProviderId } from '#api/accounting/parameters.js';
import { READERS } from '#api/accounting/permissions.js';
import { EXTERNAL_PROVIDER, PAGES } from '#api/accounting/queries.js';
import { AccountingController, Get } from '#api/accounting/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Pseudonyms } from '#infra/stores/secrets/pseudonyms.js';
import { LISTED_METRIC } from '#projections/accounting/components.js';
import { groupMember, MetricQueries, userMember } from '#projections/accounting/metrics/queries.js';
import type { Work } from '#projections/shared/pages.js';
import { MetricLists } from './metric-lists.js';
import { boundsIn, DEFINITION, Filters, type GivenFilters, type MetricListFilter, PERIOD } from './parameters.js';

type ProjectPath = Readonly<{ project_id: string }>;
type ProviderPath = ProjectPath & Readonly<{ provider_id: string }>;
type GroupPath = ProjectPath & Readonly<{ group_id: string }>;
type UserPath = ProjectPath & Readonly<{ user_id: string }>;

/** A project, or a provider, group or user in it. */
type ListScope = Readonly<{ projectId: string; providerId?: string; member?: string }>;

const OF_PROVIDER = { summary: 'The metrics of a provider in a project', answers: lists(LISTED_METRIC) } as const;

/** Metrics of projects and of parts of them (accounting contract 3.4). */
@AccountingController('accounting-system/projects', 'accounting: metrics')
export class ProjectMetricsController {
  constructor(
    private readonly scopes: PermittedScopes,
    private readonly metrics: MetricQueries,
    private readonly lists: MetricLists,
    private readonly pseudonyms: Pseudonyms,
  ) {}

  @Get(':project_id/metrics', {
    id: 'listProjectMetrics',
    summary: 'The metrics of a project',
    query: { ...DEFINITION, ...PERIOD, ...PAGES },
    errors: [errors.definitionNotFound('507f1f77bcf86cd799439011')],
    answers: lists(LISTED_METRIC),
  })
  async ofProject(
    @Call() { caller, pageOf, pace }: AccountingCall,
    @Param() { project_id: projectId }: ProjectPath,
    @Filters() filters: GivenFilters,
  ): Promise<Answer> {
    await this.scopes.project(caller, projectId, READERS);
    const asked = pageOf();
    return this.list({ projectId }, await this.lists.filterOf(filters), asked, pace);
  }

  @Get(':project_id/providers/external/metrics', {
    id: 'listProjectProviderMetricsByExternalId',
    ...OF_PROVIDER,
    query: { ...DEFINITION, ...EXTERNAL_PROVIDER, ...PERIOD, ...PAGES },
  })
  async ofExternalProvider(
    @Call() { caller, pageOf, pace }: AccountingCall,
    @Param() { project_id: projectId }: ProjectPath,
    @ExternalProviderId() externalId: string,
    @Filters() filters: GivenFilters,
  ): Promise<Answer> {
    const asked = pageOf();
    const filter = await this.lists.filterOf(filters);
    const { provider } = await this.scopes.externalProvider(caller, projectId, externalId);
    return this.list({ projectId, providerId: provider.id }, filter, asked, pace);
  }

  @Get(':project_id/providers/:provider_id/metrics', {
    id: 'listProjectProviderMetrics',
    ...OF_PROVIDER,
    query: { ...DEFINITION, ...PERIOD, ...PAGES },
  })
  async ofProvider(
    @Call() { caller, pageOf, pace }: AccountingCall,
    @Param() { project_id: projectId, provider_id: providerId }: ProviderPath,
    @Filters() filters: GivenFilters,
  ): Promise<Answer> {
    const { provider } = await this.scopes.provider(caller, projectId, providerId);
    const asked = pageOf();
    return this.list({ projectId, providerId: provider.id }, await this.lists.filterOf(filters), asked, pace);
  }

  /** The original service has the doubled segment. Lists of groups and users are not filtered by definition. */
  @Get(
    {
      'projects/:project_id/groups/:group_id/metrics': [
        'listGroupMetricsAtOriginalPath',
        'The metrics of a group in a project, at the path of the original service',
      ],
      ':project_id/groups/:group_id/metrics': 'listGroupMetrics',
    },
    {
      summary: 'The metrics of a group in a project',
      query: { ...PERIOD, ...PAGES },
      answers: lists(LISTED_METRIC),
    },
  )
  async ofGroup(
    @Call() { caller, pageOf, pace }: AccountingCall,
    @Param() { project_id: projectId, group_id: groupId }: GroupPath,
    @Filters() filters: GivenFilters,
  ): Promise<Answer> {
    await this.scopes.project(caller, projectId, READERS);
    const asked = pageOf();
    return this.list({ projectId, member: groupMember(groupId) }, boundsIn(filters), asked, pace);
  }

  /** The original service has the doubled segment. Lists of groups and users are not filtered by definition. */
  @Get(
    {
      'projects/:project_id/users/:user_id/metrics': [
        'listUserMetricsAtOriginalPath',
        'The metrics of a user in a project, at the path of the original service',
      ],
      ':project_id/users/:user_id/metrics': 'listUserMetrics',
    },
    {
      summary: 'The metrics of a user in a project',
      query: { ...PERIOD, ...PAGES },
      answers: lists(LISTED_METRIC),
    },
  )
  async ofUser(
    @Call() { caller, pageOf, pace }: AccountingCall,
    @Param() { project_id: projectId, user_id: userId }: UserPath,
    @Filters() filters: GivenFilters,
  ): Promise<Answer> {
    await this.scopes.project(caller, projectId, READERS);
    const asked = pageOf();
    return this.list({ projectId, member: userMember(this.pseudonyms.of(userId, projectId)) }, boundsIn(filters), asked, pace);
  }

  private async list(
    { projectId, providerId, member }: ListScope,
    filter: MetricListFilter,
    asked: RequestedPage,
    work: Work,
  ): Promise<Answer> {
    const installations = await this.metrics.measured(projectId, providerId, work);
    const scope = { projectId, installations, wholeProject: providerId === undefined, member };
    return page(asked, await this.lists.page(scope, filter, asked, work));
  }
}
