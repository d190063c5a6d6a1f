import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { AccountingCaller } from '#api/accounting/access/caller.js';
import { ADMIN, READERS, requireProvider } from '#api/accounting/access/permissions.js';
import { created, json, message, page } from '#api/accounting/answers.js';
import { members, present, required, text } from '#api/accounting/bodies.js';
import { changesIn, orNull } from '#api/accounting/changes.js';
import { EXTERNAL_ID_QUERY, PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import { PermittedScopes } from '#api/accounting/metrics/permitted-scopes.js';
import {
  Caller,
  Context,
  type ContextOfCall,
  GivenBody,
  Location,
  type LocationOf,
  Page,
  type PageOfCall,
} from '#api/accounting/parameters.js';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { QueryText } from '#api/shared/http/parameters.js';
import type { Role } from '#domain/accounting/access/entitlements.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import { CatalogueQueries, type InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import { existing } from './existing.js';
import { CreateInstallation, DeleteInstallation, ReviseInstallation } from './installation-commands.js';
import { InstallationScopes } from './installation-scopes.js';
import { InstallationTexts } from './installation-texts.js';

const newBody = members({
  project: text,
  organisation: text,
  infrastructure: text,
  installation: text,
  resource: text,
  unit_of_access: text,
  external_id: text,
});
const changesBody = members({
  organisation: text,
  infrastructure: text,
  installation: text,
  resource: text,
  unit_of_access: text,
});
type Changes = Infer<typeof changesBody> | undefined;

/** Installations by id and by external id (accounting contract 3.1, 3.2). */
@ApiTags('accounting: installations')
@ApiBearerAuth()
@Controller('accounting-system/installations')
export class InstallationsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: CatalogueQueries,
    private readonly lists: CatalogueLists,
    private readonly scopes: InstallationScopes,
    private readonly permitted: PermittedScopes,
    private readonly texts: InstallationTexts,
    private readonly definitions: DefinitionQueries,
  ) {}

  @Post()
  @HttpCode(201)
  @AccountingRoute()
  @ApiOperation({ summary: 'Creates an installation of an associated provider in a project' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: newBody.schema })
  async create(
    @GivenBody(newBody) given: Infer<typeof newBody> | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
    @Location() locationOf: LocationOf,
  ): Promise<Answer> {
    const body = present(given);
    const projectId = required(body.project, 'project');
    const provider = required(body.organisation, 'organisation');
    const infrastructure = required(body.infrastructure, 'infrastructure');
    const installation = required(body.installation, 'installation');
    const unitOfAccess = await this.definitionId(body.unit_of_access);
    const { generation } = await existing(this.queries.project(projectId), errors.projectNotFound, projectId);
    const { id: organisation } = await existing(this.queries.provider(provider), errors.providerNotFound, provider);
    requireProvider(caller, ADMIN, projectId, organisation);
    const content = { organisation, infrastructure, installation, resource: orNull(body.resource), unitOfAccess };
    const externalId = body.external_id || randomUUID();
    const command = new CreateInstallation(context(), { projectId, generation, externalId, content, creatorId: caller.id });
    const { record, readable } = await this.bus.execute(command);
    return created(locationOf(record.id), await this.texts.ofCreated(record), { readable });
  }

  @Get('all')
  @AccountingRoute({ consumes: 'json' })
  @ApiOperation({ summary: 'Every installation that the caller may read' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async all(@Caller() caller: AccountingCaller, @Page() pageOf: PageOfCall): Promise<Answer> {
    const asked = pageOf();
    const sources = await this.scopes.readableBy(caller);
    const { content, total } = await this.lists.installations(sources, asked, new TimeSlice());
    return page(asked, { content: await this.texts.ofSeveral(content), total });
  }

  @Get('external')
  @AccountingRoute()
  @ApiOperation({ summary: 'One installation' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async getExternal(@QueryText('externalId') externalId: string | undefined, @Caller() caller: AccountingCaller): Promise<Answer> {
    return this.show(await this.byExternalId(externalId, caller, READERS));
  }

  @Patch('external')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes an installation without metrics' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiBody({ schema: changesBody.schema })
  async updateExternal(
    @GivenBody(changesBody) given: Changes,
    @QueryText('externalId') externalId: string | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    return this.revise(context, await this.byExternalId(externalId, caller, ADMIN), given);
  }

  @Delete('external')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes an installation without metrics' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async deleteExternal(
    @QueryText('externalId') externalId: string | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    return this.remove(context, await this.byExternalId(externalId, caller, ADMIN));
  }

  @Get(':installation_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One installation' })
  async get(@Param('installation_id') id: string, @Caller() caller: AccountingCaller): Promise<Answer> {
    return this.show(await this.permitted.installation(caller, id, READERS));
  }

  @Patch(':installation_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes an installation without metrics' })
  @ApiBody({ schema: changesBody.schema })
  async update(
    @Param('installation_id') id: string,
    @GivenBody(changesBody) given: Changes,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    return this.revise(context, await this.permitted.installation(caller, id, ADMIN), given);
  }

  @Delete(':installation_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes an installation without metrics, with its capacities' })
  async delete(
    @Param('installation_id') id: string,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    return this.remove(context, await this.permitted.installation(caller, id, ADMIN));
  }

  /** @throws AccountingError 400 without an external id, 404, 403 */
  private async byExternalId(given: string | undefined, caller: AccountingCaller, roles: readonly Role[]): Promise<InstallationDocument> {
    return this.permitted.externalInstallation(caller, required(given, 'externalId'), roles);
  }

  private async show(installation: InstallationDocument): Promise<Answer> {
    return json(await this.texts.ofOne(installation));
  }

  private async revise(context: ContextOfCall, before: InstallationDocument, given: Changes): Promise<Answer> {
    const { unit_of_access, ...values } = present(given);
    const unitOfAccess = await this.definitionId(unit_of_access);
    const changes = { ...changesIn(values), ...(unitOfAccess !== null && { unitOfAccess }) };
    const { record, readable } = await this.bus.execute(new ReviseInstallation(context(), before, changes));
    return json(await this.texts.ofOne(record), { readable });
  }

  private async remove(context: ContextOfCall, installation: InstallationDocument): Promise<Answer> {
    const { readable } = await this.bus.execute(new DeleteInstallation(context(), installation));
    return message('Installation has been deleted successfully.', { readable });
  }

  /** The id as it is stored; `null` for none and for an empty one. @throws AccountingError 404 */
  private async definitionId(id: string | null): Promise<string | null> {
    if (!id) return null;
    const { document } = await existing(this.definitions.definition(id), errors.definitionNotFound, id);
    return document.metric_definition_id;
  }
}
