import { Controller, Get, Param } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { page } from '#api/accounting/answers.js';
import { existing } from '#api/accounting/catalogue/existing.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import { Caller, Page, type PageOfCall } from '#api/accounting/parameters.js';
import type { Answer } from '#api/shared/http/answer.js';
import { AccessQueries } from '#projections/accounting/access/queries.js';
import type { AccountingCaller } from './caller.js';
import { requireSystem } from './permissions.js';

/** Registered clients, "actors" on the wire, and what they hold (accounting contract 3.10). */
@ApiTags('accounting: administration')
@ApiBearerAuth()
@ApiQuery(PAGE_QUERY)
@ApiQuery(SIZE_QUERY)
@Controller('accounting-system/admin/actors')
export class ActorsController {
  constructor(private readonly queries: AccessQueries) {}

  @Get()
  @AccountingRoute({ consumes: 'json' })
  @ApiOperation({ summary: 'The registered clients in the order of their registration' })
  async list(@Caller() caller: AccountingCaller, @Page() pageOf: PageOfCall): Promise<Answer> {
    requireSystem(caller);
    const asked = pageOf();
    return page(asked, await this.queries.clients(asked));
  }

  @Get('entitlements')
  @AccountingRoute()
  @ApiOperation({ summary: 'Who holds which entitlement, in the order of assignment' })
  async assignments(@Caller() caller: AccountingCaller, @Page() pageOf: PageOfCall): Promise<Answer> {
    requireSystem(caller);
    const asked = pageOf();
    return page(asked, await this.queries.assignments(asked));
  }

  @Get(':actorId/entitlements')
  @AccountingRoute()
  @ApiOperation({ summary: 'The entitlements of a client' })
  async entitlements(@Param('actorId') id: string, @Caller() caller: AccountingCaller, @Page() pageOf: PageOfCall): Promise<Answer> {
    requireSystem(caller);
    const assigned = await existing(this.queries.assignedTo(id), errors.actorNotFound, id);
    const asked = pageOf();
    const views = await this.queries.entitlementsById(assigned.slice(asked.offset, asked.offset + asked.size));
    return page(asked, { content: views.map((view) => JSON.stringify(view)), total: assigned.length });
  }
}
