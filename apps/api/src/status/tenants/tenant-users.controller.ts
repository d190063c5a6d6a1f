import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type ReceivedBody, readLargeBody, type Shape } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { QueryText } from '#api/shared/http/parameters.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { answer, parameter } from '#api/shared/openapi/described.js';
import { created, done, json, listOf as listOfMade, withData } from '#api/status/answers/answers.js';
import * as errors from '#api/status/errors.js';
import { listOf, lists, refers, says } from '#api/status/openapi/envelopes.js';
import { Admin, type AdminCall, type WithId } from '#api/status/parameters.js';
import { TENANT_ID } from '#api/status/queries.js';
import { ADMINISTRATORS, routesWith, StatusController, SUPER } from '#api/status/route.js';
import { either, oneOf } from '#domain/shared/shape.js';
import { wireText } from '#projections/status/layout.js';
import { type TenantDocument, TenantQueries } from '#projections/status/tenants/queries.js';
import { AddTenantUser, type NewUser, RemoveTenantUser, RenewTenantUserKey, ReviseTenantUser } from './commands.js';
import { ID, SENT_USER, SHOWN_USER, showsKey, USER } from './openapi.js';
import { SeenTenants } from './seen-tenants.js';
import { newUserBody, type UserBody, userChangeBody, userIn } from './tenant-bodies.js';
import { userView } from './tenant-views.js';

type UserPath = WithId & Readonly<{ userId: string }>;

/** Messages of success (sic). */
const DONE = {
  byId: 'User was successfully retrieved',
  create: 'User was successfully created',
  update: 'User succesfully updated',
  delete: 'User succesfully deleted',
  renew: 'User api key succesfully renewed',
} as const;

/** Unknown tenant, or unknown user of it. */
const NOT_FOUND = [errors.notFound(), errors.userNotFound()];

const { Delete, Get, Post, Put } = routesWith({ who: SUPER, path: TENANT_ID });

/** The users of a tenant, and any user by its id (status contract 9). */
@StatusController('api/v2/admin', 'status: tenants')
export class TenantUsersController {
  constructor(
    private readonly bus: CommandBus,
    private readonly tenants: TenantQueries,
    private readonly seen: SeenTenants,
  ) {}

  @Get('users::byID/:id', {
    id: 'getTenantUserById',
    summary: 'One user of whichever tenant, as far as the caller may see it',
    who: ADMINISTRATORS,
    path: { id: parameter('text', 'id of the user', SHOWN_USER.id) },
    query: { export: parameter(oneOf('flat'), '`flat`: the user without envelope') },
    answers: {
      200: {
        ...answer(either(listOf(USER), USER), { status: { message: DONE.byId, code: '200' }, data: [USER.example] }),
        description: 'the user; with `export=flat` without envelope',
      },
    },
  })
  async byId(@Admin() { roles }: AdminCall, @Param() { id }: WithId, @QueryText('export') form?: string): Promise<Answer> {
    const known = await this.tenants.user(id);
    const user = known && (await this.seen.user(roles[0], known));
    if (!user) throw errors.notFound();
    return json(form === 'flat' ? wireText(user) : withData(DONE.byId, [user]));
  }

  @Get('tenants/:id/users', { id: 'listTenantUsers', summary: 'The users of a tenant', answers: lists(USER) })
  async list(@Admin() { tenantId }: AdminCall): Promise<Answer> {
    const { users } = await this.tenant(tenantId);
    return json(listOfMade(users.map(userView)));
  }

  @Get('tenants/:id/users/:userId', { id: 'getTenantUser', summary: 'One user of a tenant', errors: NOT_FOUND, answers: lists(USER) })
  async get(@Param() { id, userId }: UserPath): Promise<Answer> {
    const { users } = await this.tenant(id);
    const user = users.find((one) => one.id === userId);
    if (!user) throw errors.userNotFound();
    return json(listOfMade([userView(user)]));
  }

  @Post('tenants/:id/users', {
    id: 'createTenantUser',
    summary: 'Adds a user to a tenant; its api key is generated, whatever the body says',
    body: newUserBody,
    example: SENT_USER,
    answers: refers(201, DONE.create, `api/v2/admin/tenants/${ID}/users`),
  })
  async create(@Admin() { context, tenantId, body, self }: AdminCall): Promise<Answer> {
    const { apiKey: _, ...profile } = await this.userFor(tenantId, newUserBody, body);
    return created(this.bus.execute(new AddTenantUser(context, { tenantId, profile })), DONE.create, self);
  }

  @Put('tenants/:id/users/:userId', {
    id: 'updateTenantUser',
    summary: 'Changes a user; empty members of the body change nothing',
    body: userChangeBody,
    example: { roles: ['viewer'] },
    errors: [...NOT_FOUND, errors.conflict('More than one users found using the key: S3CR3T')],
    answers: says(DONE.update),
  })
  async update(@Admin() { context, tenantId, body }: AdminCall, @Param() { userId }: UserPath): Promise<Answer> {
    const changes = await this.userFor(tenantId, userChangeBody, body);
    return done(this.bus.execute(new ReviseTenantUser(context, { tenantId, userId, changes })), DONE.update);
  }

  @Delete('tenants/:id/users/:userId', {
    id: 'deleteTenantUser',
    summary: 'Removes a user; its api key is worthless at once',
    errors: NOT_FOUND,
    answers: says(DONE.delete),
  })
  delete(@Admin() { context, tenantId }: AdminCall, @Param() { userId }: UserPath): Promise<Answer> {
    return done(this.bus.execute(new RemoveTenantUser(context, { tenantId, userId })), DONE.delete);
  }

  @Post('tenants/:id/users/:userId/renew_api_key', {
    id: 'renewTenantUserApiKey',
    summary: 'Gives a user a new api key and shows it; the old one is worthless at once',
    limit: 'none',
    errors: NOT_FOUND,
    answers: showsKey(DONE.renew),
  })
  async renew(@Admin() { context, tenantId }: AdminCall, @Param() { userId }: UserPath): Promise<Answer> {
    const { apiKey, readable } = await this.bus.execute(new RenewTenantUserKey(context, { tenantId, userId }));
    return json(withData(DONE.renew, { api_key: apiKey }), { readable });
  }

  /** @throws StatusError `E404` */
  private async tenant(id: string): Promise<TenantDocument> {
    const tenant = await this.tenants.tenant(id);
    if (!tenant) throw errors.notFound();
    return tenant;
  }

  /** The user in a body. @throws StatusError `E404` for a malformed body if the tenant is unknown, otherwise MalformedJson */
  private async userFor(tenantId: string, shape: Shape<UserBody>, body: ReceivedBody | undefined): Promise<NewUser> {
    try {
      return userIn(await readLargeBody(shape, body));
    } catch (error) {
      if (error instanceof MalformedJson) await this.tenant(tenantId);
      throw error;
    }
  }
}
