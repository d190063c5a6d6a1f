import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ADMIN, READERS, requireProject } from '#api/accounting/access/permissions.js';
import { CatalogueReader, ofProject, ofProvider } from '#api/accounting/catalogue/catalogue-reader.js';
import { installationsIn } from '#api/accounting/catalogue/installation-scopes.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import { AccountingRoute, accountingCaller } from '#api/accounting/http-policy.js';
import { EXTERNAL_PROVIDER_QUERY, externalProviderId } from '#api/accounting/metrics/usage-queries.js';
import { UsageScopes } from '#api/accounting/metrics/usage-scopes.js';
import { offsetOf, pagingOf, sendLongPage, sendPage } from '#api/accounting/paging.js';
import { ReferenceGate, target } from '#api/accounting/reference-gate.js';
import { sendMessage, sendPieces } from '#api/accounting/responses.js';
import { AccountingWriter } from '#api/accounting/writer.js';
import { covers } from '#domain/accounting/access/entitlements.js';
import { projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { type ProjectCommand, projectContents } from '#domain/accounting/projects/project-rules.js';
import {
  catalogueCollections,
  type ProjectDocument,
  type ProviderDocument,
} from '#projections/accounting/catalogue/catalogue-documents.js';
import { ProjectTrees } from './project-trees.js';

type ProjectPath = Readonly<{ project_id: string }>;
type ProviderPath = ProjectPath & Readonly<{ provider_id: string }>;

/** Projects for those who work in them, and their associations with providers (accounting contract 3.1, 3.3). */
@ApiTags('accounting: projects')
@ApiBearerAuth()
@Controller('accounting-system/projects')
export class ProjectsController {
  constructor(
    private readonly reader: CatalogueReader,
    private readonly scopes: UsageScopes,
    private readonly trees: ProjectTrees,
    private readonly writer: AccountingWriter,
    private readonly gate: ReferenceGate,
  ) {}

  @Get()
  @AccountingRoute()
  @ApiOperation({ summary: "The caller's own projects, in the order of their registration" })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async own(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const paging = pagingOf(request);
    const caller = accountingCaller(request);
    if (caller.isSystemAdministrator || covers(caller.entitlements, READERS, [])) {
      await sendLongPage(request, reply, paging, await this.trees.page(paging));
      return;
    }
    const readable = caller.entitlements.filter(({ segments, role }) => segments.length === 1 && READERS.some((one) => one === role));
    const ids = [...new Set(readable.flatMap(({ segments }) => segments))];
    const known = (await Promise.all(ids.map((id) => this.reader.findProject(id)))).flatMap((project) => project ?? []);
    known.sort((a, b) => (a.order < b.order ? -1 : 1));
    const shown = known.slice(offsetOf(paging), offsetOf(paging) + paging.size);
    await sendLongPage(request, reply, paging, { content: this.trees.content(shown), count: shown.length, total: known.length });
  }

  @Get(':project_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One project with its providers and their installations' })
  async get(@Param() { project_id }: ProjectPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = await this.reader.project(project_id);
    requireProject(accountingCaller(request), READERS, project_id);
    await sendPieces(reply, this.trees.content([project]));
  }

  @Post(':project_id/associate/provider/external')
  @HttpCode(200)
  @AccountingRoute({ body: 'none' })
  @ApiOperation({ summary: 'Associates a provider with a project' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiQuery(EXTERNAL_PROVIDER_QUERY)
  async associateExternal(@Param() { project_id }: ProjectPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const externalId = externalProviderId(request);
    await this.join(request, reply, project_id, () => this.reader.providerByExternalId(externalId));
  }

  @Post(':project_id/dissociate/provider/external')
  @HttpCode(200)
  @AccountingRoute({ body: 'none' })
  @ApiOperation({ summary: 'Ends the association of a provider without installations' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiQuery(EXTERNAL_PROVIDER_QUERY)
  async dissociateExternal(
    @Param() { project_id }: ProjectPath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const externalId = externalProviderId(request);
    await this.part(request, reply, project_id, () => this.reader.providerByExternalId(externalId));
  }

  @Post(':project_id/associate/provider/:provider_id')
  @HttpCode(200)
  @AccountingRoute({ body: 'none' })
  @ApiOperation({ summary: 'Associates a provider with a project' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async associate(@Param() path: ProviderPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.join(request, reply, path.project_id, () => this.reader.provider(path.provider_id));
  }

  @Post(':project_id/dissociate/provider/:provider_id')
  @HttpCode(200)
  @AccountingRoute({ body: 'none' })
  @ApiOperation({ summary: 'Ends the association of a provider without installations' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async dissociate(@Param() path: ProviderPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.part(request, reply, path.project_id, () => this.reader.provider(path.provider_id));
  }

  @Get(':project_id/installations')
  @AccountingRoute()
  @ApiOperation({ summary: 'The installations of a project, in the order of their creation' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async installations(@Param() { project_id }: ProjectPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = await this.reader.project(project_id);
    requireProject(accountingCaller(request), READERS, project_id);
    await this.sendInstallations(request, reply, catalogueCollections.installationsOfProject, ofProject(project));
  }

  @Get(':project_id/providers/external/installations')
  @AccountingRoute()
  @ApiOperation({ summary: 'The installations of a provider in a project, in the order of their creation' })
  @ApiQuery(EXTERNAL_PROVIDER_QUERY)
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async installationsOfExternalProvider(
    @Param() { project_id }: ProjectPath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const externalId = externalProviderId(request);
    const paging = pagingOf(request);
    const { project, provider } = await this.scopes.externalProvider(request, project_id, externalId, READERS);
    await this.sendInstallations(request, reply, catalogueCollections.installationsOfProvider, ofProvider(project, provider.id), paging);
  }

  @Get(':project_id/providers/:provider_id/installations')
  @AccountingRoute()
  @ApiOperation({ summary: 'The installations of a provider in a project, in the order of their creation' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async installationsOfProvider(@Param() path: ProviderPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, provider } = await this.scopes.provider(request, path.project_id, path.provider_id, READERS);
    await this.sendInstallations(request, reply, catalogueCollections.installationsOfProvider, ofProvider(project, provider.id));
  }

  private async sendInstallations(
    request: FastifyRequest,
    reply: FastifyReply,
    collection: string,
    range: ReturnType<typeof ofProject>,
    paging = pagingOf(request),
  ): Promise<void> {
    const page = { offset: offsetOf(paging), limit: paging.size };
    const { documents, total } = await installationsIn(this.reader, [{ collection, range }], page);
    sendPage(request, reply, paging, { content: await this.reader.installationTexts(documents), total });
  }

  private async join(
    request: FastifyRequest,
    reply: FastifyReply,
    projectId: string,
    find: () => Promise<ProviderDocument>,
  ): Promise<void> {
    const { providerId } = await this.associable(request, projectId, find);
    await this.gate.referring([target('provider', providerId)], async () => {
      const { project } = await this.associable(request, projectId, () => this.reader.providerById(providerId)); // as they are now
      await this.write(request, reply, project, { type: 'AssociateProvider', providerId });
    });
    sendMessage(reply, `The following provider ${providerId} has been associated with Project ${projectId}`);
  }

  private async part(
    request: FastifyRequest,
    reply: FastifyReply,
    projectId: string,
    find: () => Promise<ProviderDocument>,
  ): Promise<void> {
    const { project, providerId } = await this.associable(request, projectId, find);
    await this.write(request, reply, project, { type: 'DissociateProvider', providerId });
    sendMessage(reply, `The following provider ${providerId} has been dissociated from Project ${projectId}`);
  }

  /** Project, permission, provider: in this order. */
  private async associable(request: FastifyRequest, projectId: string, find: () => Promise<ProviderDocument>) {
    const project = await this.reader.project(projectId);
    requireProject(accountingCaller(request), ADMIN, projectId);
    const { id: providerId } = await find();
    return { project, providerId };
  }

  private async write(
    request: FastifyRequest,
    reply: FastifyReply,
    { id: projectId, generation }: ProjectDocument,
    association: Readonly<{ type: 'AssociateProvider' | 'DissociateProvider'; providerId: string }>,
  ): Promise<void> {
    const command: ProjectCommand = { ...association, projectId, generation };
    await this.writer.write(request, reply, { stream: projectStream(projectId), decider: projectContents, command });
  }
}
