import { Controller, Get, Param } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { AccountingCaller } from '#api/accounting/access/caller.js';
import { READERS } from '#api/accounting/access/permissions.js';
import { page } from '#api/accounting/answers.js';
import { EXTERNAL_PROVIDER_QUERY, PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import type { RequestedPage } from '#api/accounting/paging.js';
import { Caller, ExternalProviderId, Page, type PageOfCall } from '#api/accounting/parameters.js';
import type { Answer } from '#api/shared/http/answer.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { Pseudonyms } from '#infra/stores/secrets/pseudonyms.js';
import { groupMember, MetricQueries, userMember } from '#projections/accounting/metrics/queries.js';
import { MetricLists } from './metric-lists.js';
import { boundsIn, DEFINITION_QUERY, Filters, FROM_QUERY, type GivenFilters, type MetricListFilter, UNTIL_QUERY } from './parameters.js';
import { PermittedScopes } from './permitted-scopes.js';

type ProjectPath = Readonly<{ project_id: string }>;
type ProviderPath = ProjectPath & Readonly<{ provider_id: string }>;
type GroupPath = ProjectPath & Readonly<{ group_id: string }>;
type UserPath = ProjectPath & Readonly<{ user_id: string }>;

/** A project, or a provider, group or user in it. */
type ListScope = Readonly<{ projectId: string; providerId?: string; member?: string }>;

/** Metrics of projects and of parts of them (accounting contract 3.4). */
@ApiTags('accounting: metrics')
@ApiBearerAuth()
@ApiQuery(PAGE_QUERY)
@ApiQuery(SIZE_QUERY)
@ApiQuery(FROM_QUERY)
@ApiQuery(UNTIL_QUERY)
@Controller('accounting-system/projects')
export class ProjectMetricsController {
  constructor(
    private readonly scopes: PermittedScopes,
    private readonly metrics: MetricQueries,
    private readonly lists: MetricLists,
    private readonly pseudonyms: Pseudonyms,
  ) {}

  @Get(':project_id/metrics')
  @AccountingRoute()
  @ApiOperation({ summary: 'The metrics of a project' })
  @ApiQuery(DEFINITION_QUERY)
  async ofProject(
    @Param() { project_id: projectId }: ProjectPath,
    @Caller() caller: AccountingCaller,
    @Page() pageOf: PageOfCall,
    @Filters() filters: GivenFilters,
  ): Promise<Answer> {
    await this.scopes.project(caller, projectId, READERS);
    const asked = pageOf();
    return this.list({ projectId }, await this.lists.filterOf(filters), asked);
  }

  @Get(':project_id/providers/external/metrics')
  @AccountingRoute()
  @ApiOperation({ summary: 'The metrics of a provider in a project' })
  @ApiQuery(EXTERNAL_PROVIDER_QUERY)
  @ApiQuery(DEFINITION_QUERY)
  async ofExternalProvider(
    @Param() { project_id: projectId }: ProjectPath,
    @ExternalProviderId() externalId: string,
    @Caller() caller: AccountingCaller,
    @Page() pageOf: PageOfCall,
    @Filters() filters: GivenFilters,
  ): Promise<Answer> {
    const asked = pageOf();
    const filter = await this.lists.filterOf(filters);
    const { provider } = await this.scopes.externalProvider(caller, projectId, externalId, READERS);
    return this.list({ projectId, providerId: provider.id }, filter, asked);
  }

  @Get(':project_id/providers/:provider_id/metrics')
  @AccountingRoute()
  @ApiOperation({ summary: 'The metrics of a provider in a project' })
  @ApiQuery(DEFINITION_QUERY)
  async ofProvider(
    @Param() { project_id: projectId, provider_id: providerId }: ProviderPath,
    @Caller() caller: AccountingCaller,
    @Page() pageOf: PageOfCall,
    @Filters() filters: GivenFilters,
  ): Promise<Answer> {
    const { provider } = await this.scopes.provider(caller, projectId, providerId, READERS);
    const asked = pageOf();
    return this.list({ projectId, providerId: provider.id }, await this.lists.filterOf(filters), asked);
  }

  /** The doubled segment is that of the original service. Lists of groups and users are not filtered by definition. */
  @Get(['projects/:project_id/groups/:group_id/metrics', ':project_id/groups/:group_id/metrics'])
  @AccountingRoute()
  @ApiOperation({ summary: 'The metrics of a group in a project' })
  async ofGroup(
    @Param() { project_id: projectId, group_id: groupId }: GroupPath,
    @Caller() caller: AccountingCaller,
    @Page() pageOf: PageOfCall,
    @Filters() filters: GivenFilters,
  ): Promise<Answer> {
    await this.scopes.project(caller, projectId, READERS);
    const asked = pageOf();
    return this.list({ projectId, member: groupMember(groupId) }, boundsIn(filters), asked);
  }

  /** The doubled segment is that of the original service. Lists of groups and users are not filtered by definition. */
  @Get(['projects/:project_id/users/:user_id/metrics', ':project_id/users/:user_id/metrics'])
  @AccountingRoute()
  @ApiOperation({ summary: 'The metrics of a user in a project' })
  async ofUser(
    @Param() { project_id: projectId, user_id: userId }: UserPath,
    @Caller() caller: AccountingCaller,
    @Page() pageOf: PageOfCall,
    @Filters() filters: GivenFilters,
  ): Promise<Answer> {
    await this.scopes.project(caller, projectId, READERS);
    const asked = pageOf();
    return this.list({ projectId, member: userMember(this.pseudonyms.of(userId, projectId)) }, boundsIn(filters), asked);
  }

  private async list({ projectId, providerId, member }: ListScope, filter: MetricListFilter, asked: RequestedPage): Promise<Answer> {
    const installations = await this.metrics.measured(projectId, providerId, new TimeSlice());
    const scope = { projectId, installations, wholeProject: providerId === undefined, member };
    return page(asked, await this.lists.page(scope, filter, asked));
  }
}
