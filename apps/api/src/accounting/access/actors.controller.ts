import { Param } from '@nestjs/common';
import { page } from '#api/accounting/answers.js';
import * as errors from '#api/accounting/errors.js';
import { existing } from '#api/accounting/existing.js';
import { lists } from '#api/accounting/openapi/envelopes.js';
import { type AccountingCall, Call } from '#api/accounting/parameters.js';
import { requireSystem } from '#api/accounting/permissions.js';
import { PAGES } from '#api/accounting/queries.js';
import { AccountingController, Get } from '#api/accounting/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { AccessQueries } from '#projections/accounting/access/queries.js';
import { ACTOR, ASSIGNMENT, ENTITLEMENT } from '#projections/accounting/components.js';

/** Registered clients, "actors" on the wire, and their entitlements (accounting contract 3.10). */
@AccountingController('accounting-system/admin/actors', 'accounting: administration')
export class ActorsController {
  constructor(private readonly queries: AccessQueries) {}

  @Get('', {
    id: 'listActors',
    summary: 'The registered clients in the order of their registration',
    consumes: 'json',
    query: PAGES,
    answers: lists(ACTOR),
  })
  async list(@Call() { caller, pageOf }: AccountingCall): Promise<Answer> {
    requireSystem(caller);
    const asked = pageOf();
    return page(asked, await this.queries.clients(asked));
  }

  @Get('entitlements', {
    id: 'listEntitlementAssignments',
    summary: 'Who holds which entitlement, in the order of assignment',
    query: PAGES,
    answers: lists(ASSIGNMENT),
  })
  async assignments(@Call() { caller, pageOf }: AccountingCall): Promise<Answer> {
    requireSystem(caller);
    const asked = pageOf();
    return page(asked, await this.queries.assignments(asked));
  }

  @Get(':actorId/entitlements', {
    id: 'listActorEntitlements',
    summary: 'The entitlements of a client',
    query: PAGES,
    answers: lists(ENTITLEMENT),
  })
  async entitlements(@Call() { caller, pageOf }: AccountingCall, @Param('actorId') id: string): Promise<Answer> {
    requireSystem(caller);
    const assigned = await existing(this.queries.assignedTo(id), errors.actorNotFound, id);
    const asked = pageOf();
    const views = await this.queries.entitlementsById(assigned.slice(asked.offset, asked.offset + asked.size));
    return page(asked, { content: views.map((view) => JSON.stringify(view)), total: assigned.length });
  }
}
