import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyFrom, members, present, required, text } from '#api/accounting/bodies.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute, accountingCaller } from '#api/accounting/http-policy.js';
import { sendCreated, sendJson, sendMessage } from '#api/accounting/responses.js';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { OidcTenantChanges } from '#domain/accounting/access/access-commands.js';
import type { OidcTenant } from '#domain/accounting/access/access-events.js';
import { ENTITLEMENTS_MANAGEMENT } from '#domain/accounting/access/access-settings.js';
import { accessCollections, HIDDEN_SECRET, type OidcTenantDocument, type OidcTenantView } from '#projections/accounting/access/access.js';
import { AccessResource, type IdPath, stored } from './access-resource.js';
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

/** The fields that a body changes; a client that sends back what it was shown in place of the secret changes nothing about it. */
const changesIn = (body: TenantBody): OidcTenantChanges => {
  const given = FIELDS.filter((field) => body[field] && !(field === 'secret' && body.secret === HIDDEN_SECRET));
  const changes: OidcTenantChanges = Object.fromEntries(given.map((field) => [field, body[field]]));
  if (changes.entitlement_management !== undefined) requireKnownManagement(changes.entitlement_management);
  return changes;
};

/** OIDC issuers beside that of the installation itself, and how their tokens are read (accounting contract 3.12). Secrets are not shown. */
@ApiTags('accounting: administration')
@ApiBearerAuth()
@Controller('accounting-system/admin/oidc-tenants')
export class OidcTenantsController extends AccessResource {
  @Post()
  @HttpCode(201)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers an issuer; its tokens are accepted from now on' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: tenantBody.schema })
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = bodyFrom(request, tenantBody);
    requireSystem(accountingCaller(request));
    const tenant = newTenant(present(body));
    const [created] = await this.write(request, reply, { type: 'CreateOidcTenant', oidcTenantId: this.newId(), tenant });
    if (created?.type !== 'OidcTenantCreated') throw new Error('a creation made no tenant');
    const { oidcTenantId: id } = created.data;
    sendCreated(request, reply, id, JSON.stringify({ id, ...tenant, secret: HIDDEN_SECRET }));
  }

  @Get()
  @AccountingRoute()
  @ApiOperation({ summary: 'The registered issuers in the order of their creation' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.sendList(request, reply, accessCollections.oidcTenants);
  }

  @Get(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One registered issuer' })
  async get(@Param() { id }: IdPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireSystem(accountingCaller(request));
    sendJson(reply, JSON.stringify(await this.tenant(id)));
  }

  @Patch(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes an issuer; empty members change nothing' })
  @ApiBody({ schema: tenantBody.schema })
  async revise(@Param() { id }: IdPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = bodyFrom(request, tenantBody);
    requireSystem(accountingCaller(request));
    const before = await this.tenant(id);
    const changes = changesIn(present(body));
    const [revised] = await this.write(request, reply, { type: 'ReviseOidcTenant', oidcTenantId: stored(id), changes });
    if (revised?.type !== 'OidcTenantRevised') {
      sendJson(reply, JSON.stringify(before));
      return;
    }
    const { oidcTenantId, ...after } = revised.data;
    sendJson(reply, JSON.stringify({ id: oidcTenantId, ...after, secret: HIDDEN_SECRET }));
  }

  @Delete(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Forgets an issuer; its tokens are refused at once' })
  async delete(@Param() { id }: IdPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireSystem(accountingCaller(request));
    await this.write(request, reply, { type: 'DeleteOidcTenant', oidcTenantId: stored(id) });
    sendMessage(reply, 'OIDC tenant configuration deleted successfully.');
  }

  /** @throws AccountingError 404 */
  private async tenant(id: string): Promise<OidcTenantView> {
    const found = await this.find<OidcTenantDocument>(accessCollections.oidcTenantsById, id);
    if (!found) throw errors.oidcTenantNotFound(id);
    return found.view;
  }
}
