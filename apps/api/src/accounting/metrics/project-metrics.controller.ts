import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { READERS } from '#api/accounting/access/permissions.js';
import { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import { type Paging, pagingOf, sendPage } from '#api/accounting/paging.js';
import { Pseudonyms } from '#infra/secrets/pseudonyms.js';
import { groupMember, userMember } from '#projections/accounting/metrics/usage-documents.js';
import { type MetricListFilter, MetricLists } from './metric-lists.js';
import {
  DEFINITION_QUERY,
  EXTERNAL_PROVIDER_QUERY,
  externalProviderId,
  FROM_QUERY,
  metricDates,
  metricListFilter,
  UNTIL_QUERY,
} from './usage-queries.js';
import { UsageReader } from './usage-reader.js';
import { UsageScopes } from './usage-scopes.js';

type ProjectPath = Readonly<{ project_id: string }>;
type ProviderPath = ProjectPath & Readonly<{ provider_id: string }>;
type GroupPath = ProjectPath & Readonly<{ group_id: string }>;
type UserPath = ProjectPath & Readonly<{ user_id: string }>;

/** What the query says. */
type Asked = Readonly<{ paging: Paging; filter: MetricListFilter }>;

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
    private readonly scopes: UsageScopes,
    private readonly catalogue: CatalogueReader,
    private readonly usage: UsageReader,
    private readonly lists: MetricLists,
    private readonly pseudonyms: Pseudonyms,
  ) {}

  @Get(':project_id/metrics')
  @AccountingRoute()
  @ApiOperation({ summary: 'The metrics of a project' })
  @ApiQuery(DEFINITION_QUERY)
  async ofProject(@Param() { project_id }: ProjectPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.scopes.project(request, project_id, READERS);
    await this.list(request, reply, { projectId: project_id }, await this.asked(request));
  }

  @Get(':project_id/providers/external/metrics')
  @AccountingRoute()
  @ApiOperation({ summary: 'The metrics of a provider in a project' })
  @ApiQuery(EXTERNAL_PROVIDER_QUERY)
  @ApiQuery(DEFINITION_QUERY)
  async ofExternalProvider(
    @Param() { project_id }: ProjectPath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const externalId = externalProviderId(request);
    const asked = await this.asked(request);
    const { provider } = await this.scopes.externalProvider(request, project_id, externalId, READERS);
    await this.list(request, reply, { projectId: project_id, providerId: provider.id }, asked);
  }

  @Get(':project_id/providers/:provider_id/metrics')
  @AccountingRoute()
  @ApiOperation({ summary: 'The metrics of a provider in a project' })
  @ApiQuery(DEFINITION_QUERY)
  async ofProvider(
    @Param() { project_id, provider_id }: ProviderPath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { provider } = await this.scopes.provider(request, project_id, provider_id, READERS);
    await this.list(request, reply, { projectId: project_id, providerId: provider.id }, await this.asked(request));
  }

  /** The doubled segment is that of the original service. */
  @Get(['projects/:project_id/groups/:group_id/metrics', ':project_id/groups/:group_id/metrics'])
  @AccountingRoute()
  @ApiOperation({ summary: 'The metrics of a group in a project' })
  async ofGroup(@Param() { project_id, group_id }: GroupPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.ofMember(request, reply, project_id, groupMember(group_id));
  }

  /** The doubled segment is that of the original service. */
  @Get(['projects/:project_id/users/:user_id/metrics', ':project_id/users/:user_id/metrics'])
  @AccountingRoute()
  @ApiOperation({ summary: 'The metrics of a user in a project' })
  async ofUser(@Param() { project_id, user_id }: UserPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.ofMember(request, reply, project_id, userMember(this.pseudonyms.of(user_id, project_id)));
  }

  /** Lists of groups and users are not filtered by definition. */
  private async ofMember(request: FastifyRequest, reply: FastifyReply, projectId: string, member: string): Promise<void> {
    await this.scopes.project(request, projectId, READERS);
    await this.list(request, reply, { projectId, member }, { paging: pagingOf(request), filter: metricDates(request) });
  }

  private async asked(request: FastifyRequest): Promise<Asked> {
    const paging = pagingOf(request);
    return { paging, filter: await metricListFilter(request, this.catalogue) };
  }

  private async list(
    request: FastifyRequest,
    reply: FastifyReply,
    { projectId, providerId, member }: Readonly<{ projectId: string; providerId?: string; member?: string }>,
    { paging, filter }: Asked,
  ): Promise<void> {
    const installations = await this.usage.measured(projectId, providerId);
    const scope = { projectId, installations, wholeProject: providerId === undefined, member };
    sendPage(request, reply, paging, await this.lists.page(scope, filter, paging));
  }
}
