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
import type { OidcTenantChanges } from '#domain/accounting/access/access-commands.js';
import type { OidcTenant } from '#domain/accounting/access/access-events.js';
import { ENTITLEMENTS_MANAGEMENT } from '#domain/accounting/access/access-settings.js';
import { AccessQueries, HIDDEN_SECRET } from '#projections/accounting/access/queries.js';
import type { AccountingCaller } from './caller.js';
import { CreateOidcTenant, DeleteOidcTenant, ReviseOidcTenant } from './oidc-tenant-commands.js';
import { echoing, storedId } from './path-ids.js';
import { requireSystem } from './permissions.js';

/** In the order in which they are checked. */
const FIELDS = [
  'issuer',
  'tenant_id',
  'client_id',
  'secret',
  'authorization_path',
  'introspection_path',
  'user_info_path',
  'token_path',
  'auth_server_url',
  'user_id_token_claim',
  'service_id_token_claim',
  'group_management_namespace',
  'group_management_parent',
  'entitlement_management',
] as const satisfies readonly (keyof OidcTenant)[];

const tenantBody = members({
  issuer: text,
  tenant_id: text,
  client_id: text,
  secret: text,
  authorization_path: text,
  introspection_path: text,
  user_info_path: text,
  token_path: text,
  auth_server_url: text,
  user_id_token_claim: text,
  service_id_token_claim: text,
  group_management_namespace: text,
  group_management_parent: text,
  entitlement_management: text,
});
type TenantBody = Infer<typeof tenantBody>;

/** @throws AccountingError 400 */
const requireKnownManagement = (value: string): void => {
  if (!ENTITLEMENTS_MANAGEMENT.allowed.includes(value)) throw errors.invalidEntitlementManagement(value);
};

/** Every field must be there. @throws AccountingError 400, about the first that is not */
const newTenant = (body: TenantBody): OidcTenant => {
  const value = (field: (typeof FIELDS)[number]): string => required(body[field], field);
  for (const field of FIELDS) value(field);
  requireKnownManagement(value('entitlement_management'));
  return {
    issuer: value('issuer'),
    tenant_id: value('tenant_id'),
    client_id: value('client_id'),
    secret: value('secret'),
    authorization_path: value('authorization_path'),
    introspection_path: value('introspection_path'),
    user_info_path: value('user_info_path'),
    token_path: value('token_path'),
    auth_server_url: value('auth_server_url'),
    user_id_token_claim: value('user_id_token_claim'),
    service_id_token_claim: value('service_id_token_claim'),
    group_management_namespace: value('group_management_namespace'),
    group_management_parent: value('group_management_parent'),
    entitlement_management: value('entitlement_management'),
  };
};

/** The fields that a body changes. {@link HIDDEN_SECRET}, which clients are shown in place of the secret, leaves the secret as it is. */
const changesIn = (body: TenantBody): OidcTenantChanges => {
  const given = FIELDS.filter((field) => body[field] && !(field === 'secret' && body.secret === HIDDEN_SECRET));
  const changes: OidcTenantChanges = Object.fromEntries(given.map((field) => [field, body[field]]));
  if (changes.entitlement_management !== undefined) requireKnownManagement(changes.entitlement_management);
  return changes;
};

/** OIDC issuers beside Logbook itself, and how their tokens are read (accounting contract 3.12). Secrets are not shown. */
@ApiTags('accounting: administration')
@ApiBearerAuth()
@Controller('accounting-system/admin/oidc-tenants')
export class OidcTenantsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: AccessQueries,
  ) {}

  @Post()
  @HttpCode(201)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers an issuer; its tokens are accepted from now on' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: tenantBody.schema })
  async create(
    @GivenBody(tenantBody) given: TenantBody | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
    @Location() locationOf: LocationOf,
  ): Promise<Answer> {
    requireSystem(caller);
    const tenant = newTenant(present(given));
    const { record: id, readable } = await this.bus.execute(new CreateOidcTenant(context(), tenant));
    return created(locationOf(id), JSON.stringify({ id, ...tenant, secret: HIDDEN_SECRET }), { readable });
  }

  @Get()
  @AccountingRoute()
  @ApiOperation({ summary: 'The registered issuers in the order of their creation' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async list(@Caller() caller: AccountingCaller, @Page() pageOf: PageOfCall): Promise<Answer> {
    requireSystem(caller);
    const asked = pageOf();
    return page(asked, await this.queries.oidcTenants(asked));
  }

  @Get(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One registered issuer' })
  async get(@Param('id') id: string, @Caller() caller: AccountingCaller): Promise<Answer> {
    requireSystem(caller);
    return json(JSON.stringify(await existing(this.queries.oidcTenant(id), errors.oidcTenantNotFound, id)));
  }

  @Patch(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes an issuer; empty members change nothing' })
  @ApiBody({ schema: tenantBody.schema })
  async revise(
    @Param('id') id: string,
    @GivenBody(tenantBody) given: TenantBody | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    requireSystem(caller);
    const before = await existing(this.queries.oidcTenant(id), errors.oidcTenantNotFound, id);
    const changes = changesIn(present(given));
    const command = new ReviseOidcTenant(context(), storedId(id), changes);
    const { record, readable } = await echoing([id], () => this.bus.execute(command));
    const after = record ? { id: before.id, ...record, secret: HIDDEN_SECRET } : before;
    return json(JSON.stringify(after), { readable });
  }

  @Delete(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Forgets an issuer; its tokens are refused at once' })
  async delete(@Param('id') id: string, @Caller() caller: AccountingCaller, @Context() context: ContextOfCall): Promise<Answer> {
    requireSystem(caller);
    const command = new DeleteOidcTenant(context(), storedId(id));
    const { readable } = await echoing([id], () => this.bus.execute(command));
    return message('OIDC tenant configuration deleted successfully.', { readable });
  }
}
