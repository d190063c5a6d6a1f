import { CommandBus } from '@nestjs/cqrs';
import { done, json, longPage } from '#api/accounting/answers.js';
import { lists, says } from '#api/accounting/openapi/envelopes.js';
import { type AccountingCall, Call } from '#api/accounting/parameters.js';
import { ADMIN } from '#api/accounting/permissions.js';
import { GENERAL_PERMISSIONS } from '#api/accounting/projects/granted-permissions.js';
import { OwnProjects } from '#api/accounting/projects/own-projects.js';
import { PAGES } from '#api/accounting/queries.js';
import { AccountingController, Get, Post } from '#api/accounting/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { answer } from '#api/shared/openapi/described.js';
import { covers } from '#domain/accounting/access/entitlements.js';
import { ACCESSIBLE_PROJECT, PERMISSION } from '#projections/accounting/components.js';
import * as examples from '#projections/accounting/examples.js';
import { RegisterClient } from './commands.js';

const REGISTERED = 'The actor was successfully registered.';

const GENERAL = JSON.stringify(GENERAL_PERMISSIONS);

/** The caller itself: its registration and its permissions (accounting contract 1.5, 3.9). */
@AccountingController('accounting-system/clients', 'accounting: clients')
export class ClientsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly projects: OwnProjects,
  ) {}

  @Post('', {
    id: 'registerClient',
    summary: 'Registers the caller, so that entitlements can be assigned to it; once is enough',
    limit: 'none',
    answers: says(REGISTERED),
  })
  async register(@Call() { caller, context }: AccountingCall): Promise<Answer> {
    const { id: oidcId, issuer, name, email } = caller;
    return done(REGISTERED, this.bus.execute(new RegisterClient(context(), { oidcId, issuer, name, email })));
  }

  @Get('me', {
    id: 'listOwnPermissions',
    summary: 'The projects the caller has to do with, and what it may do there',
    query: PAGES,
    answers: lists(ACCESSIBLE_PROJECT),
  })
  async me(@Call() { caller, pageOf }: AccountingCall): Promise<Answer> {
    const asked = pageOf();
    const found = covers(caller.entitlements, ADMIN, []) // in any tenant: only `SYS` routes require the default one
      ? await this.projects.ofAdministrator(asked)
      : await this.projects.entitled(caller.entitlements, asked);
    return longPage(asked, found);
  }

  @Get('general-permissions', {
    id: 'listGeneralPermissions',
    summary: 'What clients may do with the records of the shared collections',
    answers: { 200: answer([PERMISSION], [{ ...examples.PERMISSION, collection: 'MetricDefinition' }]) },
  })
  general(): Answer {
    return json(GENERAL);
  }
}
