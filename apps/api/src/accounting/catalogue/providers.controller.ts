import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { AccountingCaller } from '#api/accounting/access/caller.js';
import { ADMIN, READERS, requireOperations } from '#api/accounting/access/permissions.js';
import { created, json, longPage, message, page } from '#api/accounting/answers.js';
import { members, present, required, text } from '#api/accounting/bodies.js';
import { changesIn, orNull } from '#api/accounting/changes.js';
import { EXTERNAL_ID_QUERY, PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
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
import { associationViews } from '#api/accounting/projects/tree-views.js';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { QueryText } from '#api/shared/http/parameters.js';
import { BranchQueries } from '#projections/accounting/catalogue/branches.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import { CatalogueQueries, type ProviderDocument } from '#projections/accounting/catalogue/queries.js';
import { existing } from './existing.js';
import { DeleteProvider, RegisterProvider, ReviseProvider } from './provider-commands.js';

const PROVIDER = { id: text, name: text, website: text, abbreviation: text, logo: text };
const changesBody = members(PROVIDER);
const newBody = members({ ...PROVIDER, external_id: text });
type Changes = Infer<typeof changesBody> | undefined;

const withoutDot = (id: string): string => {
  if (id.includes('.')) throw errors.dotInProviderId();
  return id;
};

/** Members in the order of the wire. */
const textOf = ({ id, name, website, abbreviation, logo, external_id, creator_id }: ProviderDocument): string =>
  JSON.stringify({ id, name, website, abbreviation, logo, external_id, creator_id });

/** Providers, registered here or in the external catalogue (accounting contract 3.7, 8). */
@ApiTags('accounting: providers')
@ApiBearerAuth()
@Controller('accounting-system/providers')
export class ProvidersController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: CatalogueQueries,
    private readonly lists: CatalogueLists,
    private readonly branches: BranchQueries,
  ) {}

  @Post()
  @HttpCode(201)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers a provider under an id of the caller’s choice, or else a generated one' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: newBody.schema })
  async create(
    @GivenBody(newBody) given: Infer<typeof newBody> | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
    @Location() locationOf: LocationOf,
  ): Promise<Answer> {
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

  @Get()
  @AccountingRoute()
  @ApiOperation({ summary: 'All providers, in the order in which they came' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async list(@Caller() caller: AccountingCaller, @Page() pageOf: PageOfCall): Promise<Answer> {
    requireOperations(caller, READERS);
    const asked = pageOf();
    return page(asked, await this.lists.providers(asked));
  }

  @Get('all')
  @AccountingRoute({ consumes: 'json' })
  @ApiOperation({ summary: 'The providers of each project, with their installations there' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async all(@Caller() caller: AccountingCaller, @Page() pageOf: PageOfCall): Promise<Answer> {
    requireOperations(caller, READERS);
    const asked = pageOf();
    const { content: associations, total } = await this.lists.associations(asked);
    const pairs = await this.branches.pairs(associations);
    return longPage(asked, { content: associationViews(this.branches.ofPairs(pairs)), count: pairs.length, total });
  }

  @Get('external')
  @AccountingRoute()
  @ApiOperation({ summary: 'One provider' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async getExternal(@QueryText('externalId') externalId: string | undefined, @Caller() caller: AccountingCaller): Promise<Answer> {
    requireOperations(caller, READERS);
    return json(textOf(await this.byExternalId(externalId)));
  }

  @Patch('external')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes a provider that was registered here and belongs to no project' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiBody({ schema: changesBody.schema })
  async updateExternal(
    @GivenBody(changesBody) given: Changes,
    @QueryText('externalId') externalId: string | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    requireOperations(caller, ADMIN);
    return this.revise(context, await this.byExternalId(externalId), given);
  }

  @Delete('external')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes a provider that was registered here and belongs to no project' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async deleteExternal(
    @QueryText('externalId') externalId: string | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    requireOperations(caller, ADMIN);
    return this.remove(context, await this.byExternalId(externalId));
  }

  @Get(':provider_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One provider' })
  async get(@Param('provider_id') id: string, @Caller() caller: AccountingCaller): Promise<Answer> {
    requireOperations(caller, READERS);
    return json(textOf(await this.byId(id)));
  }

  @Patch(':provider_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes a provider that was registered here and belongs to no project' })
  @ApiBody({ schema: changesBody.schema })
  async update(
    @Param('provider_id') id: string,
    @GivenBody(changesBody) given: Changes,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    requireOperations(caller, ADMIN);
    return this.revise(context, await this.byId(id), given);
  }

  @Delete(':provider_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes a provider that was registered here and belongs to no project' })
  async delete(@Param('provider_id') id: string, @Caller() caller: AccountingCaller, @Context() context: ContextOfCall): Promise<Answer> {
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
    const { record, readable } = await this.bus.execute(new ReviseProvider(context(), before.id, changes));
    return json(textOf(record), { readable });
  }

  private async remove(context: ContextOfCall, { id }: ProviderDocument): Promise<Answer> {
    const { readable } = await this.bus.execute(new DeleteProvider(context(), id));
    return message('Provider has been deleted successfully.', { readable });
  }
}
