import { Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Infer, readBody } from '#api/shared/bodies/body-shape.js';
import { newKey } from '#api/shared/commands/new-key.js';
import { bodyOf, firstOf } from '#api/shared/http/request-context.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { listOf, message, reference, withData } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { AdminRoute } from '#api/status/http-policy.js';
import { JSON_TYPE, linkTo } from '#api/status/responses.js';
import { wireText } from '#projections/status/layout.js';
import { type TenantUserDocument, tenantCollections } from '#projections/status/tenants/tenants.js';
import { apiKeyOf, newUser, userBody } from './tenant-bodies.js';
import { parse, roleOf, type TenantPath, TenantResource, type UserPath } from './tenant-resource.js';
import { userView, visibleUser } from './tenant-views.js';

/** The users of a tenant, and any user by its id (status contract 9). */
@ApiTags('status: tenants')
@ApiSecurity('x-api-key')
@Controller('api/v2/admin')
export class TenantUsersController extends TenantResource {
  @Get('users::byID/:id')
  @AdminRoute('tenants.user_by_id')
  @ApiOperation({ summary: 'One user of whichever tenant, as far as the caller may see it' })
  @ApiQuery({ name: 'export', required: false, description: '`flat`: the user without envelope' })
  async byId(
    @Param() { id }: Readonly<{ id: string }>,
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const bytes = await this.view.get(tenantCollections.users, id);
    const user = bytes && visibleUser(roleOf(request), parse<TenantUserDocument>(bytes));
    if (!user) throw errors.notFound();
    reply.type(JSON_TYPE).send(firstOf(query.export) === 'flat' ? wireText(user) : withData('User was successfully retrieved', [user]));
  }

  @Get('tenants/:id/users')
  @AdminRoute('tenants.list_users')
  @ApiOperation({ summary: 'The users of a tenant' })
  async list(@Param() { id }: TenantPath, @Res() reply: FastifyReply): Promise<void> {
    const { users } = await this.tenant(id);
    reply.type(JSON_TYPE).send(listOf(users.map(userView)));
  }

  @Get('tenants/:id/users/:userId')
  @AdminRoute('tenants.get_user')
  @ApiOperation({ summary: 'One user of a tenant' })
  async get(@Param() { id, userId }: UserPath, @Res() reply: FastifyReply): Promise<void> {
    const { users } = await this.tenant(id);
    const user = users.find((one) => one.id === userId);
    if (!user) throw errors.userNotFound();
    reply.type(JSON_TYPE).send(listOf([userView(user)]));
  }

  @Post('tenants/:id/users')
  @HttpCode(201)
  @AdminRoute('tenants.create_user')
  @ApiOperation({ summary: 'Adds a user to a tenant; its api key is generated, whatever the body says' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: userBody.schema })
  async create(@Param() { id }: TenantPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const user = newUser({ ...(await this.bodyFor(id, request)), api_key: '' });
    const [added] = await this.write(request, reply, { type: 'AddTenantUser', tenantId: id, user });
    if (added?.type !== 'TenantUserAdded') throw new Error('an addition made no user');
    const { userId } = added.data;
    reply
      .code(201)
      .type(JSON_TYPE)
      .send(reference('User was successfully created', userId, linkTo(request, userId)));
  }

  @Put('tenants/:id/users/:userId')
  @AdminRoute('tenants.update_user')
  @ApiOperation({ summary: 'Changes a user; empty members of the body change nothing' })
  @ApiBody({ schema: userBody.schema })
  async update(@Param() { id, userId }: UserPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { name, email, roles, api_key } = await this.bodyFor(id, request);
    const key = api_key ? { key: apiKeyOf(api_key) } : {};
    await this.write(request, reply, { type: 'ReviseTenantUser', tenantId: id, userId, changes: { name, email, roles }, ...key });
    reply.type(JSON_TYPE).send(message('User succesfully updated')); // sic
  }

  @Delete('tenants/:id/users/:userId')
  @AdminRoute('tenants.delete_user')
  @ApiOperation({ summary: 'Removes a user; its api key is worthless at once' })
  async delete(@Param() { id, userId }: UserPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.write(request, reply, { type: 'RemoveTenantUser', tenantId: id, userId });
    reply.type(JSON_TYPE).send(message('User succesfully deleted')); // sic
  }

  @Post('tenants/:id/users/:userId/renew_api_key')
  @HttpCode(200)
  @AdminRoute('tenants.user_refresh_token', 'none')
  @ApiOperation({ summary: 'Gives a user a new api key and shows it; the old one is worthless at once' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async renew(@Param() { id, userId }: UserPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const key = apiKeyOf(newKey());
    const [renewed] = await this.write(request, reply, { type: 'RenewTenantUserKey', tenantId: id, userId, key });
    if (renewed?.type !== 'TenantUserKeyRenewed') throw new Error('a renewal made no key');
    const { apiKey } = renewed.data;
    if (!apiKey) throw errors.userNotFound(); // a repeated request whose user was removed since
    reply.type(JSON_TYPE).send(withData('User api key succesfully renewed', { api_key: apiKey })); // sic
  }

  /** The body of a call that looks at the tenant first: a malformed body for an unknown tenant is 404. */
  private async bodyFor(tenantId: string, request: FastifyRequest): Promise<Infer<typeof userBody>> {
    try {
      return readBody(userBody, bodyOf(request));
    } catch (error) {
      if (error instanceof MalformedJson) await this.tenant(tenantId);
      throw error;
    }
  }
}
