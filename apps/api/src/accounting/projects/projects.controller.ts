import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { longPage, message, pieces } from '#api/accounting/answers.js';
import { InstallationTexts } from '#api/accounting/catalogue/installation-texts.js';
import { PermittedScopes } from '#api/accounting/catalogue/permitted-scopes.js';
import * as errors from '#api/accounting/errors.js';
import { existing } from '#api/accounting/existing.js';
import { INSTALLATION, PROJECT } from '#api/accounting/openapi/components.js';
import { lists, says } from '#api/accounting/openapi/envelopes.js';
import type { RequestedPage } from '#api/accounting/paging.js';
import { type AccountingCall, Call, type ContextOfCall, ExternalProviderId } from '#api/accounting/parameters.js';
import { ADMIN, READERS } from '#api/accounting/permissions.js';
import { EXTERNAL_PROVIDER, PAGES } from '#api/accounting/queries.js';
import { AccountingController, Get, Post } from '#api/accounting/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import { covers } from '#domain/accounting/access/entitlements.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { CatalogueLists, InstallationSource } from '#projections/accounting/catalogue/lists.js';
import { CatalogueQueries, type ProjectDocument, type ProviderDocument } from '#projections/accounting/catalogue/queries.js';
import { AssociateProvider, DissociateProvider } from './association-commands.js';
import { ProjectTrees } from './project-trees.js';

const DONE = {
  associate: 'The following provider site-a has been associated with Project grid',
  dissociate: 'The following provider site-a has been dissociated from Project grid',
} as const;

const ASSOCIATE = {
  summary: 'Associates a provider with a project',
  limit: 'none',
  errors: [errors.alreadyAssociated('grid')],
  answers: says(DONE.associate),
} as const;
const DISSOCIATE = {
  summary: 'Ends the association of a provider without installations',
  limit: 'none',
  errors: [errors.dissociationRefused('grid', 'site-a')],
  answers: says(DONE.dissociate),
} as const;
const INSTALLATIONS_OF_PROVIDER = {
  summary: 'The installations of a provider in a project, in the order of their creation',
  answers: lists(INSTALLATION),
} as const;

/** Projects and their associations with providers, for project members (accounting contract 3.1, 3.3). */
@AccountingController('accounting-system/projects', 'accounting: projects')
export class ProjectsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: CatalogueQueries,
    private readonly lists: CatalogueLists,
    private readonly permitted: PermittedScopes,
    private readonly trees: ProjectTrees,
    private readonly texts: InstallationTexts,
  ) {}

  @Get('', {
    id: 'listOwnAccountingProjects',
    summary: "The caller's own projects, in the order of their registration",
    query: PAGES,
    answers: lists(PROJECT),
  })
  async own(@Call() { caller, pageOf }: AccountingCall): Promise<Answer> {
    const asked = pageOf();
    if (caller.isSystemAdministrator || covers(caller.entitlements, READERS, [])) return longPage(asked, await this.trees.page(asked));
    const readable = caller.entitlements.filter(({ segments, role }) => segments.length === 1 && READERS.some((one) => one === role));
    const ids = [...new Set(readable.flatMap(({ segments }) => segments))];
    // One by one: a project that is set aside is refused, while a combined lookup would show its old state.
    const found = await Promise.all(ids.map((id) => this.queries.project(id)));
    const known = found.flatMap((project) => project ?? []).sort((a, b) => (a.order < b.order ? -1 : 1));
    const shown = known.slice(asked.offset, asked.offset + asked.size);
    return longPage(asked, { content: this.trees.content(shown), count: shown.length, total: known.length });
  }

  @Get(':project_id', {
    id: 'getAccountingProject',
    summary: 'One project with its providers and their installations',
    answers: shows(PROJECT),
  })
  async get(@Call() { caller }: AccountingCall, @Param('project_id') id: string): Promise<Answer> {
    const project = await this.permitted.project(caller, id, READERS);
    return pieces(this.trees.content([project]));
  }

  @Post(':project_id/associate/provider/external', { id: 'associateProviderByExternalId', ...ASSOCIATE, query: EXTERNAL_PROVIDER })
  async associateExternal(
    @Call() { caller, context }: AccountingCall,
    @Param('project_id') id: string,
    @ExternalProviderId() externalId: string,
  ): Promise<Answer> {
    await this.permitted.project(caller, id, ADMIN);
    return this.join(context, id, await this.providerByExternalId(externalId));
  }

  @Post(':project_id/dissociate/provider/external', { id: 'dissociateProviderByExternalId', ...DISSOCIATE, query: EXTERNAL_PROVIDER })
  async dissociateExternal(
    @Call() { caller, context }: AccountingCall,
    @Param('project_id') id: string,
    @ExternalProviderId() externalId: string,
  ): Promise<Answer> {
    const project = await this.permitted.project(caller, id, ADMIN);
    return this.part(context, project, await this.providerByExternalId(externalId));
  }

  @Post(':project_id/associate/provider/:provider_id', { id: 'associateProvider', ...ASSOCIATE })
  async associate(
    @Call() { caller, context }: AccountingCall,
    @Param('project_id') id: string,
    @Param('provider_id') providerId: string,
  ): Promise<Answer> {
    await this.permitted.project(caller, id, ADMIN);
    return this.join(context, id, await this.provider(providerId));
  }

  @Post(':project_id/dissociate/provider/:provider_id', { id: 'dissociateProvider', ...DISSOCIATE })
  async dissociate(
    @Call() { caller, context }: AccountingCall,
    @Param('project_id') id: string,
    @Param('provider_id') providerId: string,
  ): Promise<Answer> {
    const project = await this.permitted.project(caller, id, ADMIN);
    return this.part(context, project, await this.provider(providerId));
  }

  @Get(':project_id/installations', {
    id: 'listProjectInstallations',
    summary: 'The installations of a project, in the order of their creation',
    query: PAGES,
    answers: lists(INSTALLATION),
  })
  async installations(@Call() { caller, pageOf }: AccountingCall, @Param('project_id') id: string): Promise<Answer> {
    const project = await this.permitted.project(caller, id, READERS);
    return this.installationsIn(InstallationSource.ofProject(project), pageOf());
  }

  @Get(':project_id/providers/external/installations', {
    id: 'listProjectProviderInstallationsByExternalId',
    ...INSTALLATIONS_OF_PROVIDER,
    query: { ...PAGES, ...EXTERNAL_PROVIDER },
  })
  async installationsOfExternalProvider(
    @Call() { caller, pageOf }: AccountingCall,
    @Param('project_id') id: string,
    @ExternalProviderId() externalId: string,
  ): Promise<Answer> {
    const asked = pageOf();
    const { project, provider } = await this.permitted.externalProvider(caller, id, externalId);
    return this.installationsIn(InstallationSource.ofProvider(project, provider.id), asked);
  }

  @Get(':project_id/providers/:provider_id/installations', {
    id: 'listProjectProviderInstallations',
    ...INSTALLATIONS_OF_PROVIDER,
    query: PAGES,
  })
  async installationsOfProvider(
    @Call() { caller, pageOf }: AccountingCall,
    @Param('project_id') id: string,
    @Param('provider_id') providerId: string,
  ): Promise<Answer> {
    const { project, provider } = await this.permitted.provider(caller, id, providerId);
    return this.installationsIn(InstallationSource.ofProvider(project, provider.id), pageOf());
  }

  /** @throws AccountingError 404 */
  private provider(id: string): Promise<ProviderDocument> {
    return existing(this.queries.provider(id), errors.providerNotFound, id);
  }

  /** @throws AccountingError 404 */
  private providerByExternalId(externalId: string): Promise<ProviderDocument> {
    return existing(this.queries.providerByExternalId(externalId), errors.externalProviderNotFound, externalId);
  }

  private async installationsIn(source: InstallationSource, asked: RequestedPage): Promise<Answer> {
    const { content, total } = await this.lists.installations([source], asked, new TimeSlice());
    return longPage(asked, { content: this.texts.ofSeveral(content), count: content.length, total });
  }

  private async join(context: ContextOfCall, projectId: string, { id: providerId }: ProviderDocument): Promise<Answer> {
    const { readable } = await this.bus.execute(new AssociateProvider(context(), { projectId, providerId }));
    return message(`The following provider ${providerId} has been associated with Project ${projectId}`, { readable });
  }

  private async part(context: ContextOfCall, project: ProjectDocument, { id: providerId }: ProviderDocument): Promise<Answer> {
    const { id: projectId, generation } = project;
    const { readable } = await this.bus.execute(new DissociateProvider(context(), { projectId, generation, providerId }));
    return message(`The following provider ${providerId} has been dissociated from Project ${projectId}`, { readable });
  }
}
