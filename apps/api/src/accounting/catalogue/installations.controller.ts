import { randomUUID } from 'node:crypto';
import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { created, done, json, longPage } from '#api/accounting/answers.js';
import { changesOf, filled, present, recordOf, required, text } from '#api/accounting/bodies.js';
import type { AccountingCaller } from '#api/accounting/caller.js';
import { changesIn, orNull } from '#api/accounting/changes.js';
import * as errors from '#api/accounting/errors.js';
import { existing } from '#api/accounting/existing.js';
import { creates, lists, says } from '#api/accounting/openapi/envelopes.js';
import { type AccountingCall, Call, type ContextOfCall } from '#api/accounting/parameters.js';
import { ADMIN, READERS, requireProvider } from '#api/accounting/permissions.js';
import { EXTERNAL_ID, PAGES } from '#api/accounting/queries.js';
import { AccountingController, Delete, Get, Patch, Post } from '#api/accounting/route.js';
import { described, type Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import type { Role } from '#domain/accounting/access/entitlements.js';
import { doc } from '#domain/shared/shape.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import { CatalogueQueries, type InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import { INSTALLATION } from '#projections/accounting/components.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import * as examples from '#projections/accounting/examples.js';
import { CreateInstallation, DeleteInstallation, ReviseInstallation } from './installation-commands.js';
import { InstallationScopes } from './installation-scopes.js';
import { InstallationTexts } from './installation-texts.js';
import { PermittedScopes } from './permitted-scopes.js';

const DELETED = 'Installation has been deleted successfully.';

const MEMBERS = {
  organisation: filled('id of a provider that is associated with the project'),
  infrastructure: filled('short name of the infrastructure'),
  installation: filled('name, unique among those of the provider in the project'),
  resource: described(text, doc('text', 'id of a resource')),
  unit_of_access: described(text, doc('text', 'id of a metric definition')),
};
const newBody = recordOf('AccountingNewInstallation', {
  project: filled('id of a project'),
  ...MEMBERS,
  external_id: described(text, doc('text', 'unique; generated when it is left out')),
});
const changesBody = changesOf('AccountingInstallationChange', MEMBERS);
type Changes = Infer<typeof changesBody> | undefined;

const UPDATE = {
  summary: 'Changes an installation without metrics',
  body: changesBody,
  example: { infrastructure: 'cloud' },
  errors: [
    errors.notAssociated('grid', 'site-a'),
    errors.installationInUse('Updating'),
    errors.providerNotFound('site-a'),
    errors.resourceNotFound('cloud'),
    errors.definitionNotFound('507f1f77bcf86cd799439011'),
    errors.installationTaken('grid', 'site-a', 'cluster', '507f1f77bcf86cd799439011'),
  ],
  answers: shows(INSTALLATION),
} as const;

/** Installations by id and by external id (accounting contract 3.1, 3.2). */
@AccountingController('accounting-system/installations', 'accounting: installations')
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

  @Post('', {
    id: 'createInstallation',
    summary: 'Creates an installation of an associated provider in a project',
    body: newBody,
    example: examples.NEW_INSTALLATION,
    errors: [
      errors.missing('project'),
      errors.definitionNotFound('507f1f77bcf86cd799439011'),
      errors.projectNotFound('507f1f77bcf86cd799439011'),
      errors.providerNotFound('507f1f77bcf86cd799439011'),
      errors.notAssociated('grid', 'site-a'),
      errors.installationTaken('grid', 'site-a', 'cluster', '507f1f77bcf86cd799439011'),
      errors.resourceNotFound('507f1f77bcf86cd799439011'),
      errors.externalIdTaken(),
    ],
    answers: creates(INSTALLATION),
  })
  async create(@Call() { caller, context, locationOf, given }: AccountingCall<typeof newBody>): Promise<Answer> {
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

  @Get('all', {
    id: 'listInstallations',
    summary: 'Every installation that the caller may read',
    consumes: 'json',
    query: PAGES,
    answers: lists(INSTALLATION),
  })
  async all(@Call() { caller, pageOf, pace }: AccountingCall): Promise<Answer> {
    const asked = pageOf();
    const sources = await this.scopes.readableBy(caller, pace);
    const { content, total } = await this.lists.installations(sources, asked, pace.slice);
    return longPage(asked, { content: this.texts.ofSeveral(content), count: content.length, total });
  }

  @Get('external', {
    id: 'getInstallationByExternalId',
    summary: 'One installation',
    query: EXTERNAL_ID,
    answers: shows(INSTALLATION),
  })
  async getExternal(@Call() { caller, queryText }: AccountingCall): Promise<Answer> {
    return this.show(await this.byExternalId(queryText('externalId'), caller, READERS));
  }

  @Patch('external', { id: 'updateInstallationByExternalId', ...UPDATE, query: EXTERNAL_ID })
  async updateExternal(@Call() { caller, context, queryText, given }: AccountingCall<typeof changesBody>): Promise<Answer> {
    return this.revise(context, caller, await this.byExternalId(queryText('externalId'), caller, ADMIN), given);
  }

  @Delete('external', {
    id: 'deleteInstallationByExternalId',
    summary: 'Deletes an installation without metrics',
    query: EXTERNAL_ID,
    errors: [errors.installationInUse('Deleting')],
    answers: says(DELETED),
  })
  async deleteExternal(@Call() { caller, context, queryText }: AccountingCall): Promise<Answer> {
    return this.remove(context, await this.byExternalId(queryText('externalId'), caller, ADMIN));
  }

  @Get(':installation_id', { id: 'getInstallation', summary: 'One installation', answers: shows(INSTALLATION) })
  async get(@Call() { caller }: AccountingCall, @Param('installation_id') id: string): Promise<Answer> {
    return this.show(await this.permitted.installation(caller, id, READERS));
  }

  @Patch(':installation_id', { id: 'updateInstallation', ...UPDATE })
  async update(
    @Call() { caller, context, given }: AccountingCall<typeof changesBody>,
    @Param('installation_id') id: string,
  ): Promise<Answer> {
    return this.revise(context, caller, await this.permitted.installation(caller, id, ADMIN), given);
  }

  @Delete(':installation_id', {
    id: 'deleteInstallation',
    summary: 'Deletes an installation without metrics, with its capacities',
    errors: [errors.installationInUse('Deleting')],
    answers: says(DELETED),
  })
  async delete(@Call() { caller, context }: AccountingCall, @Param('installation_id') id: string): Promise<Answer> {
    return this.remove(context, await this.permitted.installation(caller, id, ADMIN));
  }

  /** @throws AccountingError 400 without an external id, 404, 403 */
  private async byExternalId(given: string | undefined, caller: AccountingCaller, roles: readonly Role[]): Promise<InstallationDocument> {
    return this.permitted.externalInstallation(caller, required(given, 'externalId'), roles);
  }

  private async show(installation: InstallationDocument): Promise<Answer> {
    return json(await this.texts.ofOne(installation));
  }

  private async revise(context: ContextOfCall, caller: AccountingCaller, before: InstallationDocument, given: Changes): Promise<Answer> {
    const { unit_of_access, ...values } = present(given);
    const unitOfAccess = await this.definitionId(unit_of_access);
    await this.requireDestination(caller, before, values.organisation);
    const changes = { ...changesIn(values), ...(unitOfAccess !== null && { unitOfAccess }) };
    const { record, readable } = await this.bus.execute(new ReviseInstallation(context(), { installation: before, changes }));
    return json(await this.texts.ofOne(record), { readable });
  }

  /** A move to another provider requires the same right there as a creation (accounting contract 3.1). @throws AccountingError 403 */
  private async requireDestination(
    caller: AccountingCaller,
    { project, organisation }: InstallationDocument,
    to: string | null,
  ): Promise<void> {
    const provider = to ? await this.queries.provider(to) : undefined;
    if (provider && provider.id !== organisation) requireProvider(caller, ADMIN, project, provider.id);
  }

  private async remove(context: ContextOfCall, installation: InstallationDocument): Promise<Answer> {
    return done(DELETED, this.bus.execute(new DeleteInstallation(context(), installation)));
  }

  /** The stored id; `null` for an absent or empty one. @throws AccountingError 404 */
  private async definitionId(id: string | null): Promise<string | null> {
    if (!id) return null;
    const { document } = await existing(this.definitions.definition(id), errors.definitionNotFound, id);
    return document.metric_definition_id;
  }
}
