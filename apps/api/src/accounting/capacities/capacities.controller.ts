import { Controller, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { AccountingCaller } from '#api/accounting/access/caller.js';
import { ADMIN } from '#api/accounting/access/permissions.js';
import { json, message } from '#api/accounting/answers.js';
import { decimal, members, present, required, text } from '#api/accounting/bodies.js';
import { existing } from '#api/accounting/catalogue/existing.js';
import { EXTERNAL_ID_QUERY, PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import { installationRef, PermittedScopes } from '#api/accounting/metrics/permitted-scopes.js';
import type { RequestedPage } from '#api/accounting/paging.js';
import { Caller, Context, type ContextOfCall, contextAfter, GivenBody, Page, type PageOfCall } from '#api/accounting/parameters.js';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { QueryText } from '#api/shared/http/parameters.js';
import { CapacityQueries, capacitiesText } from '#projections/accounting/capacities/queries.js';
import type { InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import { instantIn, RegisterCapacity, ReviseCapacity } from './commands.js';

type InstallationPath = Readonly<{ installation_id: string }>;
type CapacityPath = InstallationPath & Readonly<{ capacity_id: string }>;

const newCapacityBody = members({ value: decimal, metric_definition_id: text, registered_on: text });
const capacityChangesBody = members({ value: decimal, registered_on: text });
type NewCapacityBody = Infer<typeof newCapacityBody> | undefined;
type CapacityChangesBody = Infer<typeof capacityChangesBody> | undefined;

const PART_QUERY = { ...PAGE_QUERY, description: 'With this or size: only one page' };

/** `undefined` if the caller wants the whole list. @throws AccountingError 400 */
const pageIfAny = (page: string | undefined, size: string | undefined, pageOf: PageOfCall): RequestedPage | undefined =>
  page === undefined && size === undefined ? undefined : pageOf();

/** What is allocated to an installation from when on (accounting contract 7). */
@ApiTags('accounting: capacities')
@ApiBearerAuth()
@Controller('accounting-system/installations')
export class CapacitiesController {
  constructor(
    private readonly bus: CommandBus,
    private readonly scopes: PermittedScopes,
    private readonly capacities: CapacityQueries,
    private readonly definitions: DefinitionQueries,
  ) {}

  @Get('external/capacities')
  @AccountingRoute()
  @ApiOperation({ summary: 'All capacities in the order of their creation, or a page of them' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiQuery(PART_QUERY)
  @ApiQuery(SIZE_QUERY)
  async listExternal(
    @QueryText('externalId') given: string | undefined,
    @QueryText('page') page: string | undefined,
    @QueryText('size') size: string | undefined,
    @Caller() caller: AccountingCaller,
    @Page() pageOf: PageOfCall,
  ): Promise<Answer> {
    const externalId = required(given, 'externalId');
    const asked = pageIfAny(page, size, pageOf);
    return this.list(await this.scopes.externalInstallation(caller, externalId, ADMIN), asked);
  }

  @Post('external/capacities')
  @HttpCode(200)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers a capacity; registered_on is a day or a timestamp, now when it is left out' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiBody({ schema: newCapacityBody.schema })
  async registerExternal(
    @GivenBody(newCapacityBody) given: NewCapacityBody,
    @QueryText('externalId') externalId: string | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    const installation = await this.scopes.externalInstallation(caller, required(externalId, 'externalId'), ADMIN);
    return this.register(installation, given, context);
  }

  @Patch('external/capacities/:capacity_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes the value of a capacity, or when it begins to count' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiBody({ schema: capacityChangesBody.schema })
  async reviseExternal(
    @Param('capacity_id') id: string,
    @GivenBody(capacityChangesBody) given: CapacityChangesBody,
    @QueryText('externalId') externalId: string | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    const installation = await this.scopes.externalInstallation(caller, required(externalId, 'externalId'), ADMIN);
    return this.revise(installation, id, given, context);
  }

  @Get(':installation_id/capacities')
  @AccountingRoute()
  @ApiOperation({ summary: 'All capacities in the order of their creation, or a page of them' })
  @ApiQuery(PART_QUERY)
  @ApiQuery(SIZE_QUERY)
  async listInternal(
    @Param() path: InstallationPath,
    @QueryText('page') page: string | undefined,
    @QueryText('size') size: string | undefined,
    @Caller() caller: AccountingCaller,
    @Page() pageOf: PageOfCall,
  ): Promise<Answer> {
    const installation = await this.scopes.installation(caller, path.installation_id, ADMIN);
    return this.list(installation, pageIfAny(page, size, pageOf));
  }

  @Post(':installation_id/capacities')
  @HttpCode(200)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers a capacity; registered_on is a day or a timestamp, now when it is left out' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: newCapacityBody.schema })
  async registerInternal(
    @Param() path: InstallationPath,
    @GivenBody(newCapacityBody) given: NewCapacityBody,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    return this.register(await this.scopes.installation(caller, path.installation_id, ADMIN), given, context);
  }

  @Patch(':installation_id/capacities/:capacity_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes the value of a capacity, or when it begins to count' })
  @ApiBody({ schema: capacityChangesBody.schema })
  async reviseInternal(
    @Param() path: CapacityPath,
    @GivenBody(capacityChangesBody) given: CapacityChangesBody,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    return this.revise(await this.scopes.installation(caller, path.installation_id, ADMIN), path.capacity_id, given, context);
  }

  private async list(installation: InstallationDocument, asked: RequestedPage | undefined): Promise<Answer> {
    const ref = installationRef(installation);
    if (!asked) return json(await this.capacities.listText(ref));
    const all = await this.capacities.ofInstallation(ref);
    return json(capacitiesText(all.slice(asked.offset, asked.offset + asked.size)));
  }

  private async register(installation: InstallationDocument, given: NewCapacityBody, context: ContextOfCall): Promise<Answer> {
    const body = present(given);
    const value = required(body.value, 'value');
    const definitionId = required(body.metric_definition_id, 'metric_definition_id');
    const capacity = { value, definitionId, registeredOn: body.registered_on };
    const surrounding = await contextAfter(context, async () => {
      await existing(this.definitions.definition(definitionId), errors.definitionNotFound, definitionId);
      instantIn(body.registered_on);
    });
    const { readable } = await this.bus.execute(new RegisterCapacity(surrounding, installationRef(installation), capacity));
    return message('Capacity has been successfully registered.', { readable });
  }

  private async revise(
    installation: InstallationDocument,
    id: string,
    given: CapacityChangesBody,
    context: ContextOfCall,
  ): Promise<Answer> {
    // An unknown capacity comes before an empty body.
    if (given === undefined && !(await this.capacities.has(installationRef(installation), id))) throw errors.capacityNotFound(id);
    const { value, registered_on: registeredOn } = present(given);
    const surrounding = await contextAfter(context, async () => {
      if (!(await this.capacities.has(installationRef(installation), id))) throw errors.capacityNotFound(id);
      instantIn(registeredOn);
    });
    const command = new ReviseCapacity(surrounding, installationRef(installation), id, { value, registeredOn });
    const { readable } = await this.bus.execute(command);
    return message('Capacity was updated successfully.', { readable });
  }
}
