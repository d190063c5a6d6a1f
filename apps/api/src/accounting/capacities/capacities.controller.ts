import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { done, json } from '#api/accounting/answers.js';
import { changesOf, decimal, filled, present, recordOf, required, text } from '#api/accounting/bodies.js';
import { installationRef, PermittedScopes } from '#api/accounting/catalogue/permitted-scopes.js';
import * as errors from '#api/accounting/errors.js';
import { existing } from '#api/accounting/existing.js';
import { says } from '#api/accounting/openapi/envelopes.js';
import type { RequestedPage } from '#api/accounting/paging.js';
import { type AccountingCall, Call, type ContextOfCall, contextAfter, type PageOfCall } from '#api/accounting/parameters.js';
import { ADMIN } from '#api/accounting/permissions.js';
import { EXTERNAL_ID, PAGES } from '#api/accounting/queries.js';
import { AccountingController, Get, Patch, Post } from '#api/accounting/route.js';
import { described, due, type Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { answer } from '#api/shared/openapi/described.js';
import { doc } from '#domain/shared/shape.js';
import { CapacityQueries, capacitiesText } from '#projections/accounting/capacities/queries.js';
import type { InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import { CAPACITY } from '#projections/accounting/components.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import * as examples from '#projections/accounting/examples.js';
import { instantIn, RegisterCapacity, ReviseCapacity } from './commands.js';

const DONE = {
  register: 'Capacity has been successfully registered.',
  revise: 'Capacity was updated successfully.',
} as const;

type InstallationPath = Readonly<{ installation_id: string }>;
type CapacityPath = InstallationPath & Readonly<{ capacity_id: string }>;

const registeredOn = described(text, doc('text', 'from when on the value holds: a day (its midnight in UTC) or a timestamp; default now'));
const newCapacityBody = recordOf('AccountingNewCapacity', {
  value: due(decimal),
  metric_definition_id: filled('id of a metric definition'),
  registered_on: registeredOn,
});
const capacityChangesBody = changesOf('AccountingCapacityChange', { value: decimal, registered_on: registeredOn });
type NewCapacityBody = Infer<typeof newCapacityBody> | undefined;
type CapacityChangesBody = Infer<typeof capacityChangesBody> | undefined;

const PART = { ...PAGES, page: { ...PAGES.page, description: 'With this or size: only one page' } };

/** `undefined` if the whole list is requested. @throws AccountingError 400 */
const pageIfAny = (page: string | undefined, size: string | undefined, pageOf: PageOfCall): RequestedPage | undefined =>
  page === undefined && size === undefined ? undefined : pageOf();

const LIST = {
  summary: 'All capacities in the order of their creation, or a page of them',
  answers: { 200: answer([CAPACITY], [examples.CAPACITY]) },
} as const;
const REGISTER = {
  summary: 'Registers a capacity; registered_on is a day or a timestamp, now when it is left out',
  body: newCapacityBody,
  example: examples.NEW_CAPACITY,
  errors: [errors.missing('value'), errors.badDate(), errors.definitionNotFound('507f1f77bcf86cd799439011'), errors.capacityTaken()],
  answers: says(DONE.register),
} as const;
const REVISE = {
  summary: 'Changes the value of a capacity, or when it begins to count',
  body: capacityChangesBody,
  example: { value: 150 },
  errors: [errors.badDate(), errors.capacityTaken()],
  answers: says(DONE.revise),
} as const;

/** Capacities of an installation, each from a date on (accounting contract 7). */
@AccountingController('accounting-system/installations', 'accounting: capacities')
export class CapacitiesController {
  constructor(
    private readonly bus: CommandBus,
    private readonly scopes: PermittedScopes,
    private readonly capacities: CapacityQueries,
    private readonly definitions: DefinitionQueries,
  ) {}

  @Get('external/capacities', { id: 'listCapacitiesByExternalId', ...LIST, query: { ...PART, ...EXTERNAL_ID } })
  async listExternal(@Call() { caller, pageOf, queryText }: AccountingCall): Promise<Answer> {
    const externalId = required(queryText('externalId'), 'externalId');
    const asked = pageIfAny(queryText('page'), queryText('size'), pageOf);
    return this.list(await this.scopes.externalInstallation(caller, externalId, ADMIN), asked);
  }

  @Post('external/capacities', { id: 'registerCapacityByExternalId', ...REGISTER, query: EXTERNAL_ID })
  async registerExternal(@Call() { caller, context, queryText, given }: AccountingCall<typeof newCapacityBody>): Promise<Answer> {
    const installation = await this.scopes.externalInstallation(caller, required(queryText('externalId'), 'externalId'), ADMIN);
    return this.register(installation, given, context);
  }

  @Patch('external/capacities/:capacity_id', { id: 'updateCapacityByExternalId', ...REVISE, query: EXTERNAL_ID })
  async reviseExternal(
    @Call() { caller, context, queryText, given }: AccountingCall<typeof capacityChangesBody>,
    @Param('capacity_id') id: string,
  ): Promise<Answer> {
    const installation = await this.scopes.externalInstallation(caller, required(queryText('externalId'), 'externalId'), ADMIN);
    return this.revise(installation, id, given, context);
  }

  @Get(':installation_id/capacities', { id: 'listCapacities', ...LIST, query: PART })
  async listInternal(@Call() { caller, pageOf, queryText }: AccountingCall, @Param() path: InstallationPath): Promise<Answer> {
    const installation = await this.scopes.installation(caller, path.installation_id, ADMIN);
    return this.list(installation, pageIfAny(queryText('page'), queryText('size'), pageOf));
  }

  @Post(':installation_id/capacities', { id: 'registerCapacity', ...REGISTER })
  async registerInternal(
    @Call() { caller, context, given }: AccountingCall<typeof newCapacityBody>,
    @Param() path: InstallationPath,
  ): Promise<Answer> {
    return this.register(await this.scopes.installation(caller, path.installation_id, ADMIN), given, context);
  }

  @Patch(':installation_id/capacities/:capacity_id', { id: 'updateCapacity', ...REVISE })
  async reviseInternal(
    @Call() { caller, context, given }: AccountingCall<typeof capacityChangesBody>,
    @Param() path: CapacityPath,
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
    return done(
      DONE.register,
      this.bus.execute(new RegisterCapacity(surrounding, { installation: installationRef(installation), capacity })),
    );
  }

  private async revise(
    installation: InstallationDocument,
    id: string,
    given: CapacityChangesBody,
    context: ContextOfCall,
  ): Promise<Answer> {
    // An unknown capacity takes precedence over an empty body.
    if (given === undefined && !(await this.capacities.has(installationRef(installation), id))) throw errors.capacityNotFound(id);
    const { value, registered_on: registeredOn } = present(given);
    const surrounding = await contextAfter(context, async () => {
      if (!(await this.capacities.has(installationRef(installation), id))) throw errors.capacityNotFound(id);
      instantIn(registeredOn);
    });
    const command = new ReviseCapacity(surrounding, {
      installation: installationRef(installation),
      capacityId: id,
      revision: { value, registeredOn },
    });
    return done(DONE.revise, this.bus.execute(command));
  }
}
