import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { READERS } from '#api/accounting/access/permissions.js';
import { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { EXTERNAL_ID_QUERY, PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import { EXTERNAL_PROVIDER_QUERY, externalProviderId } from '#api/accounting/metrics/usage-queries.js';
import { UsageReader } from '#api/accounting/metrics/usage-reader.js';
import { UsageScopes, usagePlace } from '#api/accounting/metrics/usage-scopes.js';
import { offsetOf, pagingOf, sendPage } from '#api/accounting/paging.js';
import { requiredQuery } from '#api/accounting/queries.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { DefinitionCounts } from '#projections/accounting/metrics/usage-documents.js';

/** Definitions that are read at a time. */
const AT_ONCE = 100;

/** Metric definitions that metrics refer to, each once, in the order of their ids (accounting contract 3.1, 3.3). */
@ApiTags('accounting: metric definitions')
@ApiBearerAuth()
@ApiQuery(PAGE_QUERY)
@ApiQuery(SIZE_QUERY)
@Controller('accounting-system')
export class UsedDefinitionsController {
  constructor(
    private readonly scopes: UsageScopes,
    private readonly catalogue: CatalogueReader,
    private readonly usage: UsageReader,
  ) {}

  @Get('installations/external/metric-definitions')
  @AccountingRoute()
  @ApiOperation({ summary: 'The metric definitions that an installation has metrics of' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async ofExternalInstallation(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const externalId = requiredQuery(request, EXTERNAL_ID_QUERY.name);
    const paging = pagingOf(request);
    const installation = await this.scopes.externalInstallation(request, externalId, READERS);
    await this.list(request, reply, await this.usage.definitionCounts([usagePlace(installation)]), paging);
  }

  @Get('installations/:installation_id/metric-definitions')
  @AccountingRoute()
  @ApiOperation({ summary: 'The metric definitions that an installation has metrics of' })
  async ofInstallation(@Param('installation_id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const installation = await this.scopes.installation(request, id, READERS);
    await this.list(request, reply, await this.usage.definitionCounts([usagePlace(installation)]));
  }

  @Get('projects/:project_id/metric-definitions')
  @AccountingRoute()
  @ApiOperation({ summary: 'The metric definitions that a project has metrics of' })
  async ofProject(@Param('project_id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.scopes.project(request, id, READERS);
    await this.list(request, reply, await this.countsIn(id));
  }

  @Get('projects/:project_id/providers/external/metric-definitions')
  @AccountingRoute()
  @ApiOperation({ summary: 'The metric definitions that a provider has metrics of in a project' })
  @ApiQuery(EXTERNAL_PROVIDER_QUERY)
  async ofExternalProvider(
    @Param('project_id') projectId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const externalId = externalProviderId(request);
    const paging = pagingOf(request);
    const { provider } = await this.scopes.externalProvider(request, projectId, externalId, READERS);
    await this.list(request, reply, await this.countsIn(projectId, provider.id), paging);
  }

  @Get('projects/:project_id/providers/:provider_id/metric-definitions')
  @AccountingRoute()
  @ApiOperation({ summary: 'The metric definitions that a provider has metrics of in a project' })
  async ofProvider(
    @Param('project_id') projectId: string,
    @Param('provider_id') providerId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { provider } = await this.scopes.provider(request, projectId, providerId, READERS);
    await this.list(request, reply, await this.countsIn(projectId, provider.id));
  }

  private async countsIn(projectId: string, providerId?: string): Promise<readonly DefinitionCounts[]> {
    return (await this.usage.measured(projectId, providerId)).map(({ definitions }) => definitions);
  }

  private async list(
    request: FastifyRequest,
    reply: FastifyReply,
    counts: readonly DefinitionCounts[],
    paging = pagingOf(request),
  ): Promise<void> {
    const used = new Set<string>();
    for (const definitions of counts) for (const id of Object.keys(definitions)) used.add(id);
    const ids = [...used].sort();
    const slice = new TimeSlice();
    const content: string[] = [];
    let total = 0;
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      for (const { document } of await this.catalogue.definitionRecords(ids.slice(start, start + AT_ONCE))) {
        if (total >= offsetOf(paging) && content.length < paging.size) content.push(JSON.stringify(document));
        total += 1;
      }
      if (slice.isOver) await slice.next();
    }
    sendPage(request, reply, paging, { content, total });
  }
}
