import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyFrom, members, present, required, text } from '#api/accounting/bodies.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute, accountingCaller } from '#api/accounting/http-policy.js';
import { sendCreated, sendJson, sendMessage } from '#api/accounting/responses.js';
import { accessCollections, type EntitlementDocument, type EntitlementView } from '#projections/accounting/access/access.js';
import { AccessResource, type IdPath, stored } from './access-resource.js';
import { requireSystem } from './permissions.js';

type AssignmentPath = IdPath & Readonly<{ actorId: string }>;

const entitlementBody = members({ name: text });

/** What clients may be allowed to do, and to whom it is assigned (accounting contract 3.10). */
@ApiTags('accounting: administration')
@ApiBearerAuth()
@Controller('accounting-system/admin/entitlements')
export class EntitlementsController extends AccessResource {
  @Post()
  @HttpCode(201)
  @AccountingRoute()
  @ApiOperation({ summary: 'Creates an entitlement; any name that is not empty will do' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: entitlementBody.schema })
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = bodyFrom(request, entitlementBody);
    requireSystem(accountingCaller(request));
    const name = required(present(body).name, 'name');
    const [created] = await this.write(request, reply, { type: 'CreateEntitlement', entitlementId: this.newId(), name });
    if (created?.type !== 'EntitlementCreated') throw new Error('a creation made no entitlement');
    const { entitlementId: id } = created.data;
    sendCreated(request, reply, id, JSON.stringify({ code: 201, message: 'Entitlement created successfully.', id }));
  }

  @Get()
  @AccountingRoute()
  @ApiOperation({ summary: 'The entitlements in the order of their creation' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.sendList(request, reply, accessCollections.entitlements);
  }

  @Get(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One entitlement' })
  async get(@Param() { id }: IdPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireSystem(accountingCaller(request));
    sendJson(reply, JSON.stringify(await this.entitlement(id)));
  }

  @Patch(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Renames an entitlement: the rights of all who hold it change at once' })
  @ApiBody({ schema: entitlementBody.schema })
  async rename(@Param() { id }: IdPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = bodyFrom(request, entitlementBody);
    requireSystem(accountingCaller(request));
    const before = await this.entitlement(id);
    const name = required(present(body).name, 'name');
    await this.write(request, reply, { type: 'RenameEntitlement', entitlementId: stored(id), name });
    sendJson(reply, JSON.stringify({ ...before, name }));
  }

  @Delete(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes an entitlement that nobody holds' })
  async delete(@Param() { id }: IdPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireSystem(accountingCaller(request));
    await this.write(request, reply, { type: 'DeleteEntitlement', entitlementId: stored(id) });
    sendMessage(reply, 'Entitlement was deleted successfully.');
  }

  @Post(':id/assign/:actorId')
  @HttpCode(200)
  @AccountingRoute({ consumes: 'anything', body: 'none' })
  @ApiOperation({ summary: 'Gives an entitlement to a registered client' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async assign(@Param() { id, actorId }: AssignmentPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireSystem(accountingCaller(request));
    await this.write(request, reply, {
      type: 'AssignEntitlement',
      assignmentId: this.newId(),
      entitlementId: stored(id),
      actorId: stored(actorId),
    });
    sendMessage(reply, 'Entitlement was assigned successfully.');
  }

  @Post(':id/dissociate/:actorId')
  @HttpCode(200)
  @AccountingRoute({ consumes: 'anything', body: 'none' })
  @ApiOperation({ summary: 'Takes an entitlement from a client' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async dissociate(@Param() { id, actorId }: AssignmentPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireSystem(accountingCaller(request));
    await this.write(request, reply, { type: 'DissociateEntitlement', entitlementId: stored(id), actorId: stored(actorId) });
    sendMessage(reply, 'Entitlement was dissociated successfully.');
  }

  /** @throws AccountingError 404 */
  private async entitlement(id: string): Promise<EntitlementView> {
    const found = await this.find<EntitlementDocument>(accessCollections.entitlementsById, id);
    if (!found) throw errors.entitlementNotFound(id);
    return found.view;
  }
}
