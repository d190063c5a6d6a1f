import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ADMIN, READERS, requireOperations } from '#api/accounting/access/permissions.js';
import { bodyFrom, members, present, required, text } from '#api/accounting/bodies.js';
import { changesIn, orNull } from '#api/accounting/changes.js';
import { EXTERNAL_ID_QUERY, PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute, accountingCaller } from '#api/accounting/http-policy.js';
import { offsetOf, pageOfDocuments, pagingOf, sendLongPage, sendPage } from '#api/accounting/paging.js';
import { pairsOf } from '#api/accounting/projects/branches.js';
import { associationViews } from '#api/accounting/projects/tree-views.js';
import { requiredQuery } from '#api/accounting/queries.js';
import { ReferenceGate, target } from '#api/accounting/reference-gate.js';
import { newObjectId, sendCreated, sendJson, sendMessage } from '#api/accounting/responses.js';
import { AccountingWriter } from '#api/accounting/writer.js';
import { CATALOGUE_STREAM, type CatalogueEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import { type CatalogueCommand, catalogue } from '#domain/accounting/catalogue/catalogue-rules.js';
import {
  type AssociationDocument,
  catalogueCollections,
  type ProviderDocument,
} from '#projections/accounting/catalogue/catalogue-documents.js';
import { CatalogueReader } from './catalogue-reader.js';

const PROVIDER = { id: text, name: text, website: text, abbreviation: text, logo: text };
const changesBody = members(PROVIDER);
const newBody = members({ ...PROVIDER, external_id: text });

type ProviderPath = Readonly<{ provider_id: string }>;

const withoutDot = (id: string): string => {
  if (id.includes('.')) throw errors.dotInProviderId();
  return id;
};

/** Providers, those registered here and those of the external catalogue (accounting contract 3.7, 8). */
@ApiTags('accounting: providers')
@ApiBearerAuth()
@Controller('accounting-system/providers')
export class ProvidersController {
  constructor(
    private readonly reader: CatalogueReader,
    private readonly writer: AccountingWriter,
    private readonly gate: ReferenceGate,
  ) {}

  @Post()
  @HttpCode(201)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers a provider under an id of the caller’s choice, or else a generated one' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: newBody.schema })
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const given = bodyFrom(request, newBody);
    const caller = accountingCaller(request);
    requireOperations(caller, ADMIN);
    const body = present(given);
    const name = required(body.name, 'name');
    const provider = {
      providerId: body.id ? withoutDot(body.id) : newObjectId(this.writer.clock),
      name,
      website: orNull(body.website),
      abbreviation: orNull(body.abbreviation),
      logo: orNull(body.logo),
      externalId: body.external_id || randomUUID(),
      creatorId: caller.id,
    };
    const [event] = await this.write(request, reply, { type: 'RegisterProvider', provider });
    if (event?.type !== 'ProviderRegistered') throw new Error('a registration made no event');
    const { externalId: external_id, creatorId: creator_id, providerId: id, ...values } = event.data;
    sendCreated(request, reply, id, providerText({ id, external_id, creator_id, ...values }));
  }

  @Get()
  @AccountingRoute()
  @ApiOperation({ summary: 'All providers, in the order in which they came' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireOperations(accountingCaller(request), READERS);
    const paging = pagingOf(request);
    sendPage(request, reply, paging, await pageOfDocuments(this.reader.catalogue, catalogueCollections.providersInOrder, {}, paging));
  }

  @Get('all')
  @AccountingRoute({ consumes: 'json' })
  @ApiOperation({ summary: 'The providers of each project, with their installations there' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async all(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireOperations(accountingCaller(request), READERS);
    const paging = pagingOf(request);
    const page = { offset: offsetOf(paging), limit: paging.size };
    const { catalogue: view } = this.reader;
    const [total, documents] = await Promise.all([
      view.count(catalogueCollections.associations, {}),
      view.range(catalogueCollections.associations, page),
    ]);
    const associations = documents.map(({ value }) => JSON.parse(value.toString('utf8')) as AssociationDocument);
    const pairs = await pairsOf(this.reader, associations);
    await sendLongPage(request, reply, paging, { content: associationViews(this.reader, pairs), count: pairs.length, total });
  }

  @Get('external')
  @AccountingRoute()
  @ApiOperation({ summary: 'One provider' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async getExternal(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireOperations(accountingCaller(request), READERS);
    sendJson(reply, providerText(await this.external(request)));
  }

  @Patch('external')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes a provider that was registered here and belongs to no project' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiBody({ schema: changesBody.schema })
  async updateExternal(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.change(request, reply, () => this.external(request));
  }

  @Delete('external')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes a provider that was registered here and belongs to no project' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async deleteExternal(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.remove(request, reply, () => this.external(request));
  }

  @Get(':provider_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One provider' })
  async get(@Param() { provider_id }: ProviderPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireOperations(accountingCaller(request), READERS);
    sendJson(reply, providerText(await this.reader.provider(provider_id)));
  }

  @Patch(':provider_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes a provider that was registered here and belongs to no project' })
  @ApiBody({ schema: changesBody.schema })
  async update(@Param() { provider_id }: ProviderPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.change(request, reply, () => this.reader.provider(provider_id));
  }

  @Delete(':provider_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes a provider that was registered here and belongs to no project' })
  async delete(@Param() { provider_id }: ProviderPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.remove(request, reply, () => this.reader.provider(provider_id));
  }

  private external(request: FastifyRequest): Promise<ProviderDocument> {
    return this.reader.providerByExternalId(requiredQuery(request, 'externalId'));
  }

  private async change(request: FastifyRequest, reply: FastifyReply, find: () => Promise<ProviderDocument>): Promise<void> {
    const body = bodyFrom(request, changesBody);
    requireOperations(accountingCaller(request), ADMIN);
    const known = await find();
    const after = await this.gate.removing(target('provider', known.id), async () => {
      const before = await this.reader.providerById(known.id); // as it is now that nobody makes something refer to it
      const { id: newId, ...members } = changesIn(present(body));
      const changes = newId === undefined || newId === before.id ? members : { ...members, newId: withoutDot(newId) };
      const associated = await this.reader.isReferred('provider', before.id);
      const [event] = await this.write(request, reply, { type: 'ReviseProvider', providerId: before.id, changes, associated });
      if (event?.type !== 'ProviderRevised') return before;
      const { providerId, newId: id = providerId, ...values } = event.data;
      return { ...before, ...values, id };
    });
    sendJson(reply, providerText(after));
  }

  private async remove(request: FastifyRequest, reply: FastifyReply, find: () => Promise<ProviderDocument>): Promise<void> {
    requireOperations(accountingCaller(request), ADMIN);
    const known = await find();
    await this.gate.removing(target('provider', known.id), async () => {
      const { id: providerId } = await this.reader.providerById(known.id);
      const associated = await this.reader.isReferred('provider', providerId);
      await this.write(request, reply, { type: 'DeleteProvider', providerId, associated });
    });
    sendMessage(reply, 'Provider has been deleted successfully.');
  }

  private write(request: FastifyRequest, reply: FastifyReply, command: CatalogueCommand): Promise<readonly CatalogueEvent[]> {
    return this.writer.write(request, reply, { stream: CATALOGUE_STREAM, decider: catalogue, command });
  }
}

/** Members in the order of the wire. */
const providerText = ({ id, name, website, abbreviation, logo, external_id, creator_id }: ProviderDocument): string =>
  JSON.stringify({ id, name, website, abbreviation, logo, external_id, creator_id });
