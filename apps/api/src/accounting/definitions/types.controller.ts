import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res, type Type } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ADMIN, READERS, requireOperations } from '#api/accounting/access/permissions.js';
import { bodyFrom, members, present, required, text } from '#api/accounting/bodies.js';
import { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { changesIn } from '#api/accounting/changes.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute, accountingCaller } from '#api/accounting/http-policy.js';
import { offsetOf, pagingOf, sendPage } from '#api/accounting/paging.js';
import { newObjectId, sendCreated, sendJson, sendMessage } from '#api/accounting/responses.js';
import { AccountingWriter } from '#api/accounting/writer.js';
import { type DefinitionCommand, definitions, type TypeKind } from '#domain/accounting/definitions/definition-rules.js';
import { SHIPPED_METRIC_TYPES, SHIPPED_UNIT_TYPES, type ShippedType } from '#domain/accounting/definitions/shipped-types.js';
import { DEFINITIONS_STREAM, type DefinitionEvent } from '#domain/accounting/metrics/usage-events.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { typeView } from '#projections/accounting/definitions/definitions.js';

type TypeKindRoutes = Readonly<{
  kind: TypeKind;
  path: string;
  /** The name of the value in bodies. */
  value: 'unit_type' | 'metric_type';
  shipped: readonly ShippedType[];
  notFound: (id: string) => errors.AccountingError;
  deleted: string;
}>;

type TypePath = Readonly<{ id: string }>;

/** The controller of one of the two vocabularies (accounting contract 3.6): first the types that are shipped, then those added. */
const typeController = ({ kind, path, value, shipped, notFound, deleted }: TypeKindRoutes): Type => {
  const body = members({ [value]: text, description: text });
  const shippedViews = shipped.map((type) => ({ typeId: type.typeId, text: JSON.stringify(typeView(kind, { ...type, creatorId: '' })) }));

  @ApiTags(`accounting: ${path}`)
  @ApiBearerAuth()
  @Controller(`accounting-system/${path}`)
  class TypesController {
    constructor(
      private readonly reader: CatalogueReader,
      private readonly writer: AccountingWriter,
    ) {}

    @Post()
    @HttpCode(201)
    @AccountingRoute()
    @ApiOperation({ summary: 'Adds a type' })
    @ApiHeader({ name: 'Idempotency-Key', required: false })
    @ApiBody({ schema: body.schema })
    async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      const given = bodyFrom(request, body);
      const caller = accountingCaller(request);
      requireOperations(caller, ADMIN);
      const sent = present(given);
      const type = { value: required(sent[value] ?? null, value), description: required(sent.description ?? null, 'description') };
      const typeId = newObjectId(this.writer.clock);
      const [event] = await this.write(request, reply, { type: 'CreateType', kind, typeId, creatorId: caller.id, ...type });
      if (event?.type !== 'UnitTypeCreated' && event?.type !== 'MetricTypeCreated') throw new Error('a creation made no event');
      sendCreated(request, reply, event.data.typeId, JSON.stringify(typeView(kind, event.data)));
    }

    @Get()
    @AccountingRoute()
    @ApiOperation({ summary: 'All types: those that come with the service, then the others in the order of their creation' })
    @ApiQuery(PAGE_QUERY)
    @ApiQuery(SIZE_QUERY)
    async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      requireOperations(accountingCaller(request), READERS);
      const paging = pagingOf(request);
      const before = shippedViews.slice(offsetOf(paging), offsetOf(paging) + paging.size).map(({ text }) => text);
      const offset = Math.max(0, offsetOf(paging) - shippedViews.length);
      const { texts, total } = await this.reader.types(kind, { offset, limit: paging.size - before.length });
      sendPage(request, reply, paging, { content: [...before, ...texts], total: shippedViews.length + total });
    }

    @Get(':id')
    @AccountingRoute()
    @ApiOperation({ summary: 'One type' })
    async get(@Param() { id }: TypePath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      requireOperations(accountingCaller(request), READERS);
      sendJson(reply, (await this.type(id)).text);
    }

    @Patch(':id')
    @AccountingRoute()
    @ApiOperation({ summary: 'Changes a type that was added and is not in use' })
    @ApiBody({ schema: body.schema })
    async update(@Param() { id }: TypePath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      const given = bodyFrom(request, body);
      requireOperations(accountingCaller(request), ADMIN);
      const { typeId, creatorId, text: before } = await this.type(id);
      const sent = present(given);
      const changes = changesIn({ value: sent[value] ?? null, description: sent.description ?? null });
      const [event] = await this.write(request, reply, { type: 'ReviseType', kind, typeId, changes });
      const revised = event?.type === 'UnitTypeRevised' || event?.type === 'MetricTypeRevised';
      sendJson(reply, revised ? JSON.stringify(typeView(kind, { ...event.data, creatorId })) : before);
    }

    @Delete(':id')
    @AccountingRoute()
    @ApiOperation({ summary: 'Deletes a type that was added and is not in use' })
    async delete(@Param() { id }: TypePath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      requireOperations(accountingCaller(request), ADMIN);
      const { typeId } = await this.type(id);
      await this.write(request, reply, { type: 'DeleteType', kind, typeId });
      sendMessage(reply, deleted);
    }

    /** @throws AccountingError 404 */
    private async type(id: string): Promise<Readonly<{ typeId: string; creatorId: string; text: string }>> {
      const stored = storedObjectId(id);
      const known = shippedViews.find(({ typeId }) => typeId === stored);
      if (known) return { ...known, creatorId: '' };
      const found = stored === undefined ? undefined : await this.reader.findType(kind, stored);
      if (!found) throw notFound(id);
      return { typeId: found.typeId, creatorId: found.creatorId, text: JSON.stringify(typeView(kind, found)) };
    }

    private write(request: FastifyRequest, reply: FastifyReply, command: DefinitionCommand): Promise<readonly DefinitionEvent[]> {
      return this.writer.write(request, reply, { stream: DEFINITIONS_STREAM, decider: definitions, command });
    }
  }
  return TypesController;
};

export const UnitTypesController = typeController({
  kind: 'unit',
  path: 'unit-types',
  value: 'unit_type',
  shipped: SHIPPED_UNIT_TYPES,
  notFound: errors.unitTypeNotFound,
  deleted: 'Unit Type has been deleted successfully.',
});

export const MetricTypesController = typeController({
  kind: 'metric',
  path: 'metric-types',
  value: 'metric_type',
  shipped: SHIPPED_METRIC_TYPES,
  notFound: errors.metricTypeNotFound,
  deleted: 'Metric Type has been deleted successfully.',
});
