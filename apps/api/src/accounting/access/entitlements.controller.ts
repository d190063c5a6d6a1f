import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { created, json, message, page } from '#api/accounting/answers.js';
import { members, present, required, text } from '#api/accounting/bodies.js';
import { existing } from '#api/accounting/catalogue/existing.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
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
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { AccessQueries } from '#projections/accounting/access/queries.js';
import type { AccountingCaller } from './caller.js';
import {
  AssignEntitlement,
  CreateEntitlement,
  DeleteEntitlement,
  DissociateEntitlement,
  RenameEntitlement,
} from './entitlement-commands.js';
import { echoing, storedId } from './path-ids.js';
import { requireSystem } from './permissions.js';

const entitlementBody = members({ name: text });
type GivenEntitlement = Infer<typeof entitlementBody> | undefined;

/** What clients may be allowed to do, and to whom it is assigned (accounting contract 3.10). */
@ApiTags('accounting: administration')
@ApiBearerAuth()
@Controller('accounting-system/admin/entitlements')
export class EntitlementsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: AccessQueries,
  ) {}

  @Post()
  @HttpCode(201)
  @AccountingRoute()
  @ApiOperation({ summary: 'Creates an entitlement; any name that is not empty will do' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: entitlementBody.schema })
  async create(
    @GivenBody(entitlementBody) given: GivenEntitlement,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
    @Location() locationOf: LocationOf,
  ): Promise<Answer> {
    requireSystem(caller);
    const name = required(present(given).name, 'name');
    const { record: id, readable } = await this.bus.execute(new CreateEntitlement(context(), name));
    return created(locationOf(id), JSON.stringify({ code: 201, message: 'Entitlement created successfully.', id }), { readable });
  }

  @Get()
  @AccountingRoute()
  @ApiOperation({ summary: 'The entitlements in the order of their creation' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async list(@Caller() caller: AccountingCaller, @Page() pageOf: PageOfCall): Promise<Answer> {
    requireSystem(caller);
    const asked = pageOf();
    return page(asked, await this.queries.entitlements(asked));
  }

  @Get(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One entitlement' })
  async get(@Param('id') id: string, @Caller() caller: AccountingCaller): Promise<Answer> {
    requireSystem(caller);
    return json(JSON.stringify(await existing(this.queries.entitlement(id), errors.entitlementNotFound, id)));
  }

  @Patch(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Renames an entitlement: the rights of all who hold it change at once' })
  @ApiBody({ schema: entitlementBody.schema })
  async rename(
    @Param('id') id: string,
    @GivenBody(entitlementBody) given: GivenEntitlement,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    requireSystem(caller);
    const before = await existing(this.queries.entitlement(id), errors.entitlementNotFound, id);
    const name = required(present(given).name, 'name');
    const command = new RenameEntitlement(context(), storedId(id), name);
    const { readable } = await echoing([id], () => this.bus.execute(command));
    return json(JSON.stringify({ ...before, name }), { readable });
  }

  @Delete(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes an entitlement that nobody holds' })
  async delete(@Param('id') id: string, @Caller() caller: AccountingCaller, @Context() context: ContextOfCall): Promise<Answer> {
    requireSystem(caller);
    const command = new DeleteEntitlement(context(), storedId(id));
    const { readable } = await echoing([id], () => this.bus.execute(command));
    return message('Entitlement was deleted successfully.', { readable });
  }

  @Post(':id/assign/:actorId')
  @HttpCode(200)
  @AccountingRoute({ consumes: 'anything', body: 'none' })
  @ApiOperation({ summary: 'Gives an entitlement to a registered client' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async assign(
    @Param('id') id: string,
    @Param('actorId') actorId: string,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    requireSystem(caller);
    const command = new AssignEntitlement(context(), storedId(id), storedId(actorId));
    const { readable } = await echoing([id, actorId], () => this.bus.execute(command));
    return message('Entitlement was assigned successfully.', { readable });
  }

  @Post(':id/dissociate/:actorId')
  @HttpCode(200)
  @AccountingRoute({ consumes: 'anything', body: 'none' })
  @ApiOperation({ summary: 'Takes an entitlement from a client' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async dissociate(
    @Param('id') id: string,
    @Param('actorId') actorId: string,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    requireSystem(caller);
    const command = new DissociateEntitlement(context(), storedId(id), storedId(actorId));
    const { readable } = await echoing([id, actorId], () => this.bus.execute(command));
    return message('Entitlement was dissociated successfully.', { readable });
  }
}
