import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { created, done, json, page } from '#api/accounting/answers.js';
import { filled, present, recordOf, required } from '#api/accounting/bodies.js';
import * as errors from '#api/accounting/errors.js';
import { existing } from '#api/accounting/existing.js';
import { lists, says } from '#api/accounting/openapi/envelopes.js';
import { type AccountingCall, Call } from '#api/accounting/parameters.js';
import { requireSystem } from '#api/accounting/permissions.js';
import { PAGES } from '#api/accounting/queries.js';
import { AccountingController, Delete, Get, Patch, Post } from '#api/accounting/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { answer, shows } from '#api/shared/openapi/described.js';
import { doc } from '#domain/shared/shape.js';
import { AccessQueries } from '#projections/accounting/access/queries.js';
import { ENTITLEMENT, OBJECT_ID } from '#projections/accounting/components.js';
import * as examples from '#projections/accounting/examples.js';
import { AssignEntitlement, CreateEntitlement, DeleteEntitlement, DissociateEntitlement, RenameEntitlement } from './commands.js';
import { echoing, storedId } from './path-ids.js';

const DONE = {
  delete: 'Entitlement was deleted successfully.',
  create: 'Entitlement created successfully.',
  assign: 'Entitlement was assigned successfully.',
  dissociate: 'Entitlement was dissociated successfully.',
} as const;

const entitlementBody = recordOf('AccountingEntitlementRequest', {
  name: filled('such as `urn:example:group:accounting:<project>:role=admin`; only names of that form grant anything'),
});

/** Entitlements of clients, and their assignments (accounting contract 3.10). */
@AccountingController('accounting-system/admin/entitlements', 'accounting: administration')
export class EntitlementsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: AccessQueries,
  ) {}

  @Post('', {
    id: 'createEntitlement',
    summary: 'Creates an entitlement; any name that is not empty will do',
    body: entitlementBody,
    example: { name: examples.ENTITLEMENT.name },
    errors: [errors.missing('name'), errors.entitlementTaken('name')],
    answers: {
      201: answer(
        { code: 'integer', message: 'text', id: doc(OBJECT_ID, 'of the entitlement') },
        { code: 201, message: DONE.create, id: examples.ENTITLEMENT.id },
      ),
    },
  })
  async create(@Call() { caller, context, locationOf, given }: AccountingCall<typeof entitlementBody>): Promise<Answer> {
    requireSystem(caller);
    const name = required(present(given).name, 'name');
    const { record: id, readable } = await this.bus.execute(new CreateEntitlement(context(), { name }));
    return created(locationOf(id), JSON.stringify({ code: 201, message: DONE.create, id }), { readable });
  }

  @Get('', {
    id: 'listEntitlements',
    summary: 'The entitlements in the order of their creation',
    query: PAGES,
    answers: lists(ENTITLEMENT),
  })
  async list(@Call() { caller, pageOf }: AccountingCall): Promise<Answer> {
    requireSystem(caller);
    const asked = pageOf();
    return page(asked, await this.queries.entitlements(asked));
  }

  @Get(':id', { id: 'getEntitlement', summary: 'One entitlement', answers: shows(ENTITLEMENT) })
  async get(@Call() { caller }: AccountingCall, @Param('id') id: string): Promise<Answer> {
    requireSystem(caller);
    return json(JSON.stringify(await existing(this.queries.entitlement(id), errors.entitlementNotFound, id)));
  }

  @Patch(':id', {
    id: 'updateEntitlement',
    summary: 'Renames an entitlement: the rights of all who hold it change at once',
    body: entitlementBody,
    example: { name: examples.ENTITLEMENT.name },
    errors: [errors.entitlementNameInUse(), errors.missing('name')],
    answers: shows(ENTITLEMENT),
  })
  async rename(@Call() { caller, context, given }: AccountingCall<typeof entitlementBody>, @Param('id') id: string): Promise<Answer> {
    requireSystem(caller);
    const before = await existing(this.queries.entitlement(id), errors.entitlementNotFound, id);
    const name = required(present(given).name, 'name');
    const command = new RenameEntitlement(context(), { entitlementId: storedId(id), name });
    const { readable } = await echoing([id], () => this.bus.execute(command));
    return json(JSON.stringify({ ...before, name }), { readable });
  }

  @Delete(':id', {
    id: 'deleteEntitlement',
    summary: 'Deletes an entitlement that nobody holds',
    errors: [errors.entitlementAssigned()],
    answers: says(DONE.delete),
  })
  async delete(@Call() { caller, context }: AccountingCall, @Param('id') id: string): Promise<Answer> {
    requireSystem(caller);
    const command = new DeleteEntitlement(context(), { entitlementId: storedId(id) });
    return done(
      DONE.delete,
      echoing([id], () => this.bus.execute(command)),
    );
  }

  @Post(':id/assign/:actorId', {
    id: 'assignEntitlement',
    summary: 'Gives an entitlement to a registered client',
    consumes: 'anything',
    limit: 'none',
    errors: [errors.alreadyAssigned()],
    answers: says(DONE.assign),
  })
  async assign(@Call() { caller, context }: AccountingCall, @Param('id') id: string, @Param('actorId') actorId: string): Promise<Answer> {
    requireSystem(caller);
    const command = new AssignEntitlement(context(), { entitlementId: storedId(id), actorId: storedId(actorId) });
    return done(
      DONE.assign,
      echoing([id, actorId], () => this.bus.execute(command)),
    );
  }

  @Post(':id/dissociate/:actorId', {
    id: 'dissociateEntitlement',
    summary: 'Takes an entitlement from a client',
    consumes: 'anything',
    limit: 'none',
    errors: [errors.notAssigned()],
    answers: says(DONE.dissociate),
  })
  async dissociate(
    @Call() { caller, context }: AccountingCall,
    @Param('id') id: string,
    @Param('actorId') actorId: string,
  ): Promise<Answer> {
    requireSystem(caller);
    const command = new DissociateEntitlement(context(), { entitlementId: storedId(id), actorId: storedId(actorId) });
    return done(
      DONE.dissociate,
      echoing([id, actorId], () => this.bus.execute(command)),
    );
  }
}
