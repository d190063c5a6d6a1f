import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute, accountingCaller } from '#api/accounting/http-policy.js';
import { offsetOf, pagingOf, sendPage } from '#api/accounting/paging.js';
import { accessCollections, type EntitlementDocument, type HolderDocument } from '#projections/accounting/access/access.js';
import { AccessResource } from './access-resource.js';
import { requireSystem } from './permissions.js';

/** Registered clients and what they hold (accounting contract 3.10). */
@ApiTags('accounting: administration')
@ApiBearerAuth()
@ApiQuery(PAGE_QUERY)
@ApiQuery(SIZE_QUERY)
@Controller('accounting-system/admin/actors')
export class ActorsController extends AccessResource {
  @Get()
  @AccountingRoute({ consumes: 'json' })
  @ApiOperation({ summary: 'The registered clients in the order of their registration' })
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.sendList(request, reply, accessCollections.actors);
  }

  @Get('entitlements')
  @AccountingRoute()
  @ApiOperation({ summary: 'Who holds which entitlement, in the order of assignment' })
  assignments(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.sendList(request, reply, accessCollections.assignments);
  }

  @Get(':actorId/entitlements')
  @AccountingRoute()
  @ApiOperation({ summary: 'The entitlements of a client' })
  async entitlements(
    @Param() { actorId }: Readonly<{ actorId: string }>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    requireSystem(accountingCaller(request));
    const holder = await this.find<HolderDocument>(accessCollections.holders, actorId);
    if (!holder) throw errors.actorNotFound(actorId);
    const paging = pagingOf(request);
    const { assigned } = holder;
    const ids = assigned.slice(offsetOf(paging), offsetOf(paging) + paging.size).map(({ entitlementId }) => entitlementId);
    const found = ids.length === 0 ? [] : await this.view.getMany(accessCollections.entitlementsById, ids);
    const content = found.flatMap((bytes) => (bytes === null ? [] : [wireOf(bytes)]));
    sendPage(request, reply, paging, { content, total: assigned.length });
  }
}

const wireOf = (bytes: Buffer): string => JSON.stringify((JSON.parse(bytes.toString('utf8')) as EntitlementDocument).view);
