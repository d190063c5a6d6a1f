import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { created, done, json, page } from '#api/accounting/answers.js';
import { changesOf, dueTexts, filled, present, recordOf, required, text } from '#api/accounting/bodies.js';
import * as errors from '#api/accounting/errors.js';
import { existing } from '#api/accounting/existing.js';
import { creates, lists, says } from '#api/accounting/openapi/envelopes.js';
import { type AccountingCall, Call } from '#api/accounting/parameters.js';
import { requireSystem } from '#api/accounting/permissions.js';
import { PAGES } from '#api/accounting/queries.js';
import { AccountingController, Delete, Get, Patch, Post } from '#api/accounting/route.js';
import { due, type Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import type { OidcTenantChanges } from '#domain/accounting/access/access-commands.js';
import { OIDC_TENANT_FIELDS, type OidcTenant, oidcTenantOf } from '#domain/accounting/access/access-events.js';
import { ENTITLEMENTS_MANAGEMENT } from '#domain/accounting/access/access-settings.js';
import { AccessQueries, HIDDEN_SECRET } from '#projections/accounting/access/queries.js';
import { OIDC_TENANT, OIDC_TENANT_MEMBERS } from '#projections/accounting/components.js';
import * as examples from '#projections/accounting/examples.js';
import { CreateOidcTenant, DeleteOidcTenant, ReviseOidcTenant } from './commands.js';
import { echoing, storedId } from './path-ids.js';

const DELETED = 'OIDC tenant configuration deleted successfully.';

const TENANT = { ...dueTexts(OIDC_TENANT_MEMBERS), secret: due(text) };
const newTenantBody = recordOf('AccountingNewOidcTenant', {
  ...TENANT,
  issuer: filled('unique in any letter case'),
  tenant_id: filled('unique in any letter case'),
  secret: filled('of the client'),
});
const tenantChangesBody = changesOf('AccountingOidcTenantChange', TENANT);
type TenantBody = Infer<typeof newTenantBody>;

/** @throws AccountingError 400 */
const requireKnownManagement = (value: string): void => {
  if (!ENTITLEMENTS_MANAGEMENT.allowed.includes(value)) throw errors.invalidEntitlementManagement(value);
};

/** All fields are required. @throws AccountingError 400, about the first missing one */
const newTenant = (body: TenantBody): OidcTenant => {
  const tenant = oidcTenantOf((field) => required(body[field], field));
  requireKnownManagement(tenant.entitlement_management);
  return tenant;
};

/** Changed fields of a body. {@link HIDDEN_SECRET}, which clients see in place of the secret, leaves it unchanged. */
const changesIn = (body: TenantBody): OidcTenantChanges => {
  const given = OIDC_TENANT_FIELDS.filter((field) => body[field] && !(field === 'secret' && body.secret === HIDDEN_SECRET));
  const changes: OidcTenantChanges = Object.fromEntries(given.map((field) => [field, body[field]]));
  if (changes.entitlement_management) requireKnownManagement(changes.entitlement_management);
  return changes;
};

/** OIDC issuers other than Logbook itself, and the mapping of their tokens (accounting contract 3.12). Secrets are not shown. */
@AccountingController('accounting-system/admin/oidc-tenants', 'accounting: administration')
export class OidcTenantsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: AccessQueries,
  ) {}

  @Post('', {
    id: 'createOidcTenant',
    summary: 'Registers an issuer; its tokens are accepted from now on',
    body: newTenantBody,
    example: examples.NEW_OIDC_TENANT,
    errors: [
      errors.missing('issuer'),
      errors.invalidEntitlementManagement('x'),
      errors.issuerTaken('https://issuer.example.org'),
      errors.tenantIdTaken('tenant'),
    ],
    answers: creates(OIDC_TENANT),
  })
  async create(@Call() { caller, context, locationOf, given }: AccountingCall<typeof newTenantBody>): Promise<Answer> {
    requireSystem(caller);
    const tenant = newTenant(present(given));
    const { record: id, readable } = await this.bus.execute(new CreateOidcTenant(context(), tenant));
    return created(locationOf(id), JSON.stringify({ id, ...tenant, secret: HIDDEN_SECRET }), { readable });
  }

  @Get('', {
    id: 'listOidcTenants',
    summary: 'The registered issuers in the order of their creation',
    query: PAGES,
    answers: lists(OIDC_TENANT),
  })
  async list(@Call() { caller, pageOf }: AccountingCall): Promise<Answer> {
    requireSystem(caller);
    const asked = pageOf();
    return page(asked, await this.queries.oidcTenants(asked));
  }

  @Get(':id', { id: 'getOidcTenant', summary: 'One registered issuer', answers: shows(OIDC_TENANT) })
  async get(@Call() { caller }: AccountingCall, @Param('id') id: string): Promise<Answer> {
    requireSystem(caller);
    return json(JSON.stringify(await existing(this.queries.oidcTenant(id), errors.oidcTenantNotFound, id)));
  }

  @Patch(':id', {
    id: 'updateOidcTenant',
    summary: 'Changes an issuer; empty members change nothing',
    body: tenantChangesBody,
    example: { client_id: 'accounting-2', secret: 'more-confidential' },
    errors: [errors.invalidEntitlementManagement('x'), errors.issuerInUse(), errors.tenantIdInUse()],
    answers: shows(OIDC_TENANT),
  })
  async revise(@Call() { caller, context, given }: AccountingCall<typeof tenantChangesBody>, @Param('id') id: string): Promise<Answer> {
    requireSystem(caller);
    const before = await existing(this.queries.oidcTenant(id), errors.oidcTenantNotFound, id);
    const changes = changesIn(present(given));
    const command = new ReviseOidcTenant(context(), { oidcTenantId: storedId(id), changes });
    const { record, readable } = await echoing([id], () => this.bus.execute(command));
    const after = { ...before, ...(record ?? changes), secret: HIDDEN_SECRET };
    return json(JSON.stringify(after), { readable });
  }

  @Delete(':id', { id: 'deleteOidcTenant', summary: 'Forgets an issuer; its tokens are refused at once', answers: says(DELETED) })
  async delete(@Call() { caller, context }: AccountingCall, @Param('id') id: string): Promise<Answer> {
    requireSystem(caller);
    const command = new DeleteOidcTenant(context(), { oidcTenantId: storedId(id) });
    return done(
      DELETED,
      echoing([id], () => this.bus.execute(command)),
    );
  }
}
