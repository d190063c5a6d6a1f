import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireSystem } from '#api/accounting/access/permissions.js';
import { bodyFrom, members, present, required, text } from '#api/accounting/bodies.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import { AccountingRoute, accountingCaller } from '#api/accounting/http-policy.js';
import { pageOfDocuments, pagingOf, sendPage } from '#api/accounting/paging.js';
import { ReferenceGate, target } from '#api/accounting/reference-gate.js';
import { sendCreated, sendMessage } from '#api/accounting/responses.js';
import { AccountingWriter } from '#api/accounting/writer.js';
import { CATALOGUE_STREAM, type CatalogueEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import { type CatalogueCommand, catalogue } from '#domain/accounting/catalogue/catalogue-rules.js';
import { catalogueCollections } from '#projections/accounting/catalogue/catalogue-documents.js';
import { CatalogueReader } from './catalogue-reader.js';

const newBody = members({ id: text, name: text });

/** What installations are parts of (accounting contract 3.8). */
@ApiTags('accounting: resources')
@ApiBearerAuth()
@Controller('accounting-system')
export class ResourcesController {
  constructor(
    private readonly reader: CatalogueReader,
    private readonly writer: AccountingWriter,
    private readonly gate: ReferenceGate,
  ) {}

  @Get('resources')
  @AccountingRoute()
  @ApiOperation({ summary: 'All resources, in the order of their registration' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const paging = pagingOf(request);
    sendPage(request, reply, paging, await pageOfDocuments(this.reader.catalogue, catalogueCollections.resourcesInOrder, {}, paging));
  }

  @Post('admin/resources')
  @HttpCode(201)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers a resource' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: newBody.schema })
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const given = bodyFrom(request, newBody);
    requireSystem(accountingCaller(request));
    const body = present(given);
    const [resourceId, name] = [required(body.id, 'id'), required(body.name, 'name')];
    const [event] = await this.write(request, reply, { type: 'RegisterResource', resourceId, name });
    if (event?.type !== 'ResourceRegistered') throw new Error('a registration made no event');
    sendCreated(request, reply, event.data.resourceId, JSON.stringify({ id: event.data.resourceId, name: event.data.name }));
  }

  @Delete('admin/resources/:id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes a resource that no installation refers to' })
  async delete(@Param() { id }: Readonly<{ id: string }>, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireSystem(accountingCaller(request));
    await this.gate.removing(target('resource', id), async () => {
      const used = await this.reader.isReferred('resource', id);
      await this.write(request, reply, { type: 'DeleteResource', resourceId: id, used });
    });
    sendMessage(reply, 'Resource deleted successfully.');
  }

  private write(request: FastifyRequest, reply: FastifyReply, command: CatalogueCommand): Promise<readonly CatalogueEvent[]> {
    return this.writer.write(request, reply, { stream: CATALOGUE_STREAM, decider: catalogue, command });
  }
}
