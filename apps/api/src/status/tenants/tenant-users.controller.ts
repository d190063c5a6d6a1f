import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { type ReceivedBody, readLargeBody } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { QueryText, RawBody } from '#api/shared/http/parameters.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import { json } from '#api/status/answers.js';
import { listOf, message, reference, withData } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { AdminRoute } from '#api/status/http-policy.js';
import { AdminContext, AdminRole, type Link, Self } from '#api/status/parameters.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { wireText } from '#projections/status/layout.js';
import { type TenantDocument, TenantQueries } from '#projections/status/tenants/queries.js';
import { AddTenantUser, type NewUser, RemoveTenantUser, RenewTenantUserKey, ReviseTenantUser } from './commands.js';
import { userBody, userIn } from './tenant-bodies.js';
import { userView, visibleUser } from './tenant-views.js';

type TenantPath = Readonly<{ id: string }>;
type UserPath = TenantPath & Readonly<{ userId: string }>;

/** The users of a tenant, and any user by its id (status contract 9). */
@ApiTags('status: tenants')
@ApiSecurity('x-api-key')
@Controller('api/v2/admin')
export class TenantUsersController {
  constructor(
    private readonly bus: CommandBus,
    private readonly tenants: TenantQueries,
  ) {}

  @Get('users::byID/:id')
  @AdminRoute('tenants.user_by_id')
  @ApiOperation({ summary: 'One user of whichever tenant, as far as the caller may see it' })
  @ApiQuery({ name: 'export', required: false, description: '`flat`: the user without envelope' })
  async byId(
    @Param() { id }: Readonly<{ id: string }>,
    @AdminRole() role: string | undefined,
    @QueryText('export') form?: string,
  ): Promise<Answer> {
    const known = await this.tenants.user(id);
    const user = known && visibleUser(role, known);
    if (!user) throw errors.notFound();
    return json(form === 'flat' ? wireText(user) : withData('User was successfully retrieved', [user]));
  }

  @Get('tenants/:id/users')
  @AdminRoute('tenants.list_users')
  @ApiOperation({ summary: 'The users of a tenant' })
  async list(@Param() { id }: TenantPath): Promise<Answer> {
    const { users } = await this.tenant(id);
    return json(listOf(users.map(userView)));
  }

  @Get('tenants/:id/users/:userId')
  @AdminRoute('tenants.get_user')
  @ApiOperation({ summary: 'One user of a tenant' })
  async get(@Param() { id, userId }: UserPath): Promise<Answer> {
    const { users } = await this.tenant(id);
    const user = users.find((one) => one.id === userId);
    if (!user) throw errors.userNotFound();
    return json(listOf([userView(user)]));
  }

  @Post('tenants/:id/users')
  @HttpCode(201)
  @AdminRoute('tenants.create_user')
  @ApiOperation({ summary: 'Adds a user to a tenant; its api key is generated, whatever the body says' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaOf(userBody) })
  async create(
    @AdminContext() context: CommandContext,
    @Param() { id: tenantId }: TenantPath,
    @RawBody() body: ReceivedBody | undefined,
    @Self() self: Link,
  ): Promise<Answer> {
    const { apiKey: _, ...profile } = await this.userFor(tenantId, body);
    const { id, readable } = await this.bus.execute(new AddTenantUser(context, { tenantId, profile }));
    return json(reference('User was successfully created', id, self(id)), { status: 201, readable });
  }

  @Put('tenants/:id/users/:userId')
  @AdminRoute('tenants.update_user')
  @ApiOperation({ summary: 'Changes a user; empty members of the body change nothing' })
  @ApiBody({ schema: schemaOf(userBody) })
  async update(
    @AdminContext() context: CommandContext,
    @Param() { id, userId }: UserPath,
    @RawBody() body: ReceivedBody | undefined,
  ): Promise<Answer> {
    const changes = await this.userFor(id, body);
    const { readable } = await this.bus.execute(new ReviseTenantUser(context, { tenantId: id, userId, changes }));
    return json(message('User succesfully updated'), { readable }); // sic
  }

  @Delete('tenants/:id/users/:userId')
  @AdminRoute('tenants.delete_user')
  @ApiOperation({ summary: 'Removes a user; its api key is worthless at once' })
  async delete(@AdminContext() context: CommandContext, @Param() { id, userId }: UserPath): Promise<Answer> {
    const { readable } = await this.bus.execute(new RemoveTenantUser(context, { tenantId: id, userId }));
    return json(message('User succesfully deleted'), { readable }); // sic
  }

  @Post('tenants/:id/users/:userId/renew_api_key')
  @HttpCode(200)
  @AdminRoute('tenants.user_refresh_token', 'none')
  @ApiOperation({ summary: 'Gives a user a new api key and shows it; the old one is worthless at once' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async renew(@AdminContext() context: CommandContext, @Param() { id, userId }: UserPath): Promise<Answer> {
    const { apiKey, readable } = await this.bus.execute(new RenewTenantUserKey(context, { tenantId: id, userId }));
    return json(withData('User api key succesfully renewed', { api_key: apiKey }), { readable }); // sic
  }

  /** @throws StatusError `E404` */
  private async tenant(id: string): Promise<TenantDocument> {
    const tenant = await this.tenants.tenant(id);
    if (!tenant) throw errors.notFound();
    return tenant;
  }

  /** The user that a body describes. @throws StatusError `E404` for a malformed body where the tenant is unknown, otherwise MalformedJson */
  private async userFor(tenantId: string, body: ReceivedBody | undefined): Promise<NewUser> {
    try {
      return userIn(await readLargeBody(userBody, body));
    } catch (error) {
      if (error instanceof MalformedJson) await this.tenant(tenantId);
      throw error;
    }
  }
}
