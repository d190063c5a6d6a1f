import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { projectStream } from '#domain/accounting/catalogue-events.js';
import { covers } from '#domain/accounting/entitlements.js';
import { type ProjectCommand, projectContents } from '#domain/accounting/project-rules.js';
import { catalogueCollections, type ProjectDocument } from '#projections/accounting/catalogue-documents.js';
import { AccountingRoute, accountingCaller } from './accounting-edge.js';
import { CatalogueReader, ofProject, ofProvider } from './catalogue-reader.js';
import { PAGE_QUERY, SIZE_QUERY } from './documented-queries.js';
import { installationsIn } from './installation-scopes.js';
import { offsetOf, pagingOf, sendPage } from './paging.js';
import { ADMIN, READERS, requireProject, requireProvider } from './permissions.js';
import { ProjectTrees } from './project-trees.js';
import { ReferenceGate, target } from './reference-gate.js';
import { sendJson, sendMessage } from './responses.js';
import { AccountingWriter } from './writer.js';

type ProjectPath = Readonly<{ project_id: string }>;
type ProviderPath = ProjectPath & Readonly<{ provider_id: string }>;

/** Projects for those who work in them, and their associations with providers (accounting contract 3.1, 3.3). */
@ApiTags('accounting: projects')
@ApiBearerAuth()
@Controller('accounting-system/projects')
export class ProjectsController {
  constructor(
    private readonly reader: CatalogueReader,
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
      sendPage(request, reply, paging, await this.trees.page(paging));
      return;
    }
    const readable = caller.entitlements.filter(({ segments, role }) => segments.length === 1 && READERS.some((one) => one === role));
    const ids = [...new Set(readable.flatMap(({ segments }) => segments))];
    const known = (await Promise.all(ids.map((id) => this.reader.findProject(id)))).flatMap((project) => project ?? []);
    known.sort((a, b) => (a.order < b.order ? -1 : 1));
    const shown = known.slice(offsetOf(paging), offsetOf(paging) + paging.size);
    sendPage(request, reply, paging, { content: await this.trees.texts(shown), total: known.length });
  }

  @Get(':project_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One project with its providers and their installations' })
  async get(@Param() { project_id }: ProjectPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = await this.reader.project(project_id);
    requireProject(accountingCaller(request), READERS, project_id);
    sendJson(reply, await this.trees.text(project));
  }

  @Post(':project_id/associate/provider/:provider_id')
  @HttpCode(200)
  @AccountingRoute()
  @ApiOperation({ summary: 'Associates a provider with a project' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async associate(@Param() path: ProviderPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.gate.referring([target('provider', path.provider_id)], async () => {
      const { project, providerId } = await this.associable(path, request);
      await this.write(request, reply, project, { type: 'AssociateProvider', providerId });
    });
    sendMessage(reply, `The following provider ${path.provider_id} has been associated with Project ${path.project_id}`);
  }

  @Post(':project_id/dissociate/provider/:provider_id')
  @HttpCode(200)
  @AccountingRoute()
  @ApiOperation({ summary: 'Ends the association of a provider without installations' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async dissociate(@Param() path: ProviderPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, providerId } = await this.associable(path, request);
    await this.write(request, reply, project, { type: 'DissociateProvider', providerId });
    sendMessage(reply, `The following provider ${path.provider_id} has been dissociated from Project ${path.project_id}`);
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

  @Get(':project_id/providers/:provider_id/installations')
  @AccountingRoute()
  @ApiOperation({ summary: 'The installations of a provider in a project, in the order of their creation' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async installationsOfProvider(@Param() path: ProviderPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = await this.reader.project(path.project_id);
    const { id } = await this.reader.provider(path.provider_id);
    requireProvider(accountingCaller(request), READERS, path.project_id, id);
    await this.sendInstallations(request, reply, catalogueCollections.installationsOfProvider, ofProvider(project, id));
  }

  private async sendInstallations(
    request: FastifyRequest,
    reply: FastifyReply,
    collection: string,
    range: ReturnType<typeof ofProject>,
  ): Promise<void> {
    const paging = pagingOf(request);
    const page = { offset: offsetOf(paging), limit: paging.size };
    const { documents, total } = await installationsIn(this.reader, [{ collection, range }], page);
    sendPage(request, reply, paging, { content: await this.reader.installationTexts(documents), total });
  }

  /** Project, permission, provider: in this order. */
  private async associable({ project_id, provider_id }: ProviderPath, request: FastifyRequest) {
    const project = await this.reader.project(project_id);
    requireProject(accountingCaller(request), ADMIN, project_id);
    const { id: providerId } = await this.reader.provider(provider_id);
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
