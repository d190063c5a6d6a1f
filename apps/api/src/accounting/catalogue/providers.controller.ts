import { randomUUID } from 'node:crypto';
import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { created, done, json, longPage, page } from '#api/accounting/answers.js';
import { changesOf, filled, present, recordOf, required, text, WITHOUT_DOTS } from '#api/accounting/bodies.js';
import { changesIn, orNull } from '#api/accounting/changes.js';
import * as errors from '#api/accounting/errors.js';
import { existing } from '#api/accounting/existing.js';
import { ASSOCIATION, PROVIDER } from '#api/accounting/openapi/components.js';
import { creates, lists, says } from '#api/accounting/openapi/envelopes.js';
import * as examples from '#api/accounting/openapi/examples.js';
import { type AccountingCall, Call, type ContextOfCall } from '#api/accounting/parameters.js';
import { ADMIN, READERS, requireOperations } from '#api/accounting/permissions.js';
import { EXTERNAL_ID, PAGES } from '#api/accounting/queries.js';
import { AccountingController, Delete, Get, Patch, Post } from '#api/accounting/route.js';
import { described, type Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import { doc } from '#api/shared/openapi/shape.js';
import { BranchQueries } from '#projections/accounting/catalogue/branches.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import { CatalogueQueries, type ProviderDocument } from '#projections/accounting/catalogue/queries.js';
import { DeleteProvider, RegisterProvider, ReviseProvider } from './provider-commands.js';
import { associationViews } from './tree-views.js';

const DELETED = 'Provider has been deleted successfully.';

const id = (description: string) => described(text, doc('text', description, WITHOUT_DOTS));
const MEMBERS = { name: filled('unique'), website: text, abbreviation: text, logo: text };
const changesBody = changesOf('AccountingProviderChange', { id: id('a new id'), ...MEMBERS });
const newBody = recordOf('AccountingNewProvider', {
  id: id('unique, without dots; generated when it is left out'),
  ...MEMBERS,
  external_id: described(text, doc('text', 'unique; generated when it is left out')),
});
type Changes = Infer<typeof changesBody> | undefined;

const withoutDot = (id: string): string => {
  if (id.includes('.')) throw errors.dotInProviderId();
  return id;
};

/** Members in wire order. */
const textOf = ({ id, name, website, abbreviation, logo, external_id, creator_id }: ProviderDocument): string =>
  JSON.stringify({ id, name, website, abbreviation, logo, external_id, creator_id });

const UPDATE = {
  summary: 'Changes a provider that was registered here and belongs to no project',
  body: changesBody,
  example: { website: 'https://site-a.example.org' },
  errors: [
    errors.dotInProviderId(),
    errors.catalogueProvider('update'),
    errors.providerOfProject('update'),
    errors.providerIdTaken('site-a'),
    errors.providerNameTaken('Site A'),
  ],
  answers: shows(PROVIDER),
} as const;
const DELETE = {
  summary: 'Deletes a provider that was registered here and belongs to no project',
  errors: [errors.catalogueProvider('delete'), errors.providerOfProject('delete')],
  answers: says(DELETED),
} as const;

/** Providers, registered here or in the external catalogue (accounting contract 3.7, 8). */
@AccountingController('accounting-system/providers', 'accounting: providers')
export class ProvidersController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: CatalogueQueries,
    private readonly lists: CatalogueLists,
    private readonly branches: BranchQueries,
  ) {}

  @Post('', {
    id: 'createProvider',
    summary: 'Registers a provider under an id of the caller’s choice, or else a generated one',
    body: newBody,
    example: examples.NEW_PROVIDER,
    errors: [
      errors.missing('name'),
      errors.dotInProviderId(),
      errors.providerIdTaken('507f1f77bcf86cd799439011'),
      errors.providerNameTaken('name'),
      errors.externalIdTaken(),
    ],
    answers: creates(PROVIDER),
  })
  async create(@Call() { caller, context, locationOf, given }: AccountingCall<typeof newBody>): Promise<Answer> {
    requireOperations(caller, ADMIN);
    const body = present(given);
    const name = required(body.name, 'name');
    const provider = {
      id: body.id ? withoutDot(body.id) : null,
      name,
      website: orNull(body.website),
      abbreviation: orNull(body.abbreviation),
      logo: orNull(body.logo),
      externalId: body.external_id || randomUUID(),
      creatorId: caller.id,
    };
    const { record, readable } = await this.bus.execute(new RegisterProvider(context(), provider));
    return created(locationOf(record.id), textOf(record), { readable });
  }

  @Get('', {
    id: 'listProviders',
    summary: 'All providers, in the order in which they came',
    query: PAGES,
    answers: lists(PROVIDER),
  })
  async list(@Call() { caller, pageOf }: AccountingCall): Promise<Answer> {
    requireOperations(caller, READERS);
    const asked = pageOf();
    return page(asked, await this.lists.providers(asked));
  }

  @Get('all', {
    id: 'listProvidersByProject',
    summary: 'The providers of each project, with their installations there',
    consumes: 'json',
    query: PAGES,
    answers: lists(ASSOCIATION),
  })
  async all(@Call() { caller, pageOf }: AccountingCall): Promise<Answer> {
    requireOperations(caller, READERS);
    const asked = pageOf();
    const { content: associations, total } = await this.lists.associations(asked);
    const pairs = await this.branches.pairs(associations);
    return longPage(asked, { content: associationViews(this.branches.ofPairs(pairs)), count: pairs.length, total });
  }

  @Get('external', {
    id: 'getProviderByExternalId',
    summary: 'One provider',
    query: EXTERNAL_ID,
    answers: shows(PROVIDER),
  })
  async getExternal(@Call() { caller, queryText }: AccountingCall): Promise<Answer> {
    requireOperations(caller, READERS);
    return json(textOf(await this.byExternalId(queryText('externalId'))));
  }

  @Patch('external', { id: 'updateProviderByExternalId', ...UPDATE, query: EXTERNAL_ID })
  async updateExternal(@Call() { caller, context, queryText, given }: AccountingCall<typeof changesBody>): Promise<Answer> {
    requireOperations(caller, ADMIN);
    return this.revise(context, await this.byExternalId(queryText('externalId')), given);
  }

  @Delete('external', { id: 'deleteProviderByExternalId', ...DELETE, query: EXTERNAL_ID })
  async deleteExternal(@Call() { caller, context, queryText }: AccountingCall): Promise<Answer> {
    requireOperations(caller, ADMIN);
    return this.remove(context, await this.byExternalId(queryText('externalId')));
  }

  @Get(':provider_id', { id: 'getProvider', summary: 'One provider', answers: shows(PROVIDER) })
  async get(@Call() { caller }: AccountingCall, @Param('provider_id') id: string): Promise<Answer> {
    requireOperations(caller, READERS);
    return json(textOf(await this.byId(id)));
  }

  @Patch(':provider_id', { id: 'updateProvider', ...UPDATE })
  async update(@Call() { caller, context, given }: AccountingCall<typeof changesBody>, @Param('provider_id') id: string): Promise<Answer> {
    requireOperations(caller, ADMIN);
    return this.revise(context, await this.byId(id), given);
  }

  @Delete(':provider_id', { id: 'deleteProvider', ...DELETE })
  async delete(@Call() { caller, context }: AccountingCall, @Param('provider_id') id: string): Promise<Answer> {
    requireOperations(caller, ADMIN);
    return this.remove(context, await this.byId(id));
  }

  /** @throws AccountingError 404 */
  private byId(id: string): Promise<ProviderDocument> {
    return existing(this.queries.provider(id), errors.providerNotFound, id);
  }

  /** @throws AccountingError 400 without an external id, 404 */
  private byExternalId(given: string | undefined): Promise<ProviderDocument> {
    const externalId = required(given, 'externalId');
    return existing(this.queries.providerByExternalId(externalId), errors.externalProviderNotFound, externalId);
  }

  private async revise(context: ContextOfCall, before: ProviderDocument, given: Changes): Promise<Answer> {
    const { id: newId, ...values } = changesIn(present(given));
    const changes = newId === undefined || newId === before.id ? values : { ...values, newId: withoutDot(newId) };
    const { record, readable } = await this.bus.execute(new ReviseProvider(context(), { providerId: before.id, changes }));
    return json(textOf(record), { readable });
  }

  private async remove(context: ContextOfCall, { id }: ProviderDocument): Promise<Answer> {
    return done(DELETED, this.bus.execute(new DeleteProvider(context(), { providerId: id })));
  }
}
