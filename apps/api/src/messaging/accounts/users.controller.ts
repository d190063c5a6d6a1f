import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyAs } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { callerIfAny, MessagingRoute, OpenMessagingRoute } from '#api/messaging/http-policy.js';
import { mapParts, sendListParts } from '#api/messaging/long-list.js';
import { requireName, withVerb } from '#api/messaging/names.js';
import { inParts, pageOf } from '#api/messaging/pagination.js';
import { sendEmpty, sendJ3 } from '#api/messaging/responses.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { hashCredential } from '#infra/secrets/hash-credential.js';
import type { UserDocument } from '#projections/messaging/accounts/account-documents.js';
import { accountCollections } from '#projections/messaging/accounts/accounts.js';
import { AccountResource, newToken } from './account-resource.js';
import { profileOf, userBody } from './user-bodies.js';

type NamePath = Readonly<{ user: string }>;

/** Users (messaging contract 3.2). Whoever gets in sees all of them. */
@ApiTags('messaging: users')
@ApiSecurity('x-api-key')
@Controller('v1')
export class UsersController extends AccountResource {
  @Get('users')
  @MessagingRoute('users:list')
  @ApiOperation({ summary: 'Users, the newest first' })
  @ApiQuery({ name: 'pageSize', required: false })
  @ApiQuery({ name: 'pageToken', required: false })
  @ApiQuery({ name: 'project', required: false, description: 'only members of the project of this name' })
  @ApiQuery({ name: 'details', required: false, description: '`true`: with their projects' })
  async list(@Query() query: Readonly<Record<string, unknown>>, @Res() reply: FastifyReply): Promise<void> {
    const page = pageOf(query);
    const name = firstOf(query.project);
    const [project] = name ? await this.reader.projectsNamed([name]) : [];
    if (name && !project) throw errors.projectUuidNotFound();
    const withoutProjects = firstOf(query.details) !== 'true';
    const parts = inParts((part) => this.reader.listUsers(part, project?.projectId), page);
    await sendListParts(
      reply,
      'users',
      mapParts(parts, (items) => this.presenter.present(items, { withoutProjects })),
    );
  }

  @Get('users/profile')
  @OpenMessagingRoute('users:profile')
  @ApiOperation({ summary: 'The user whose key it is' })
  async profile(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const userId = callerIfAny(request)?.userId;
    const user = userId ? await this.reader.user(userId) : undefined;
    if (!user) throw errors.unauthorized();
    await this.send(reply, user);
  }

  @Get('users/:user')
  @MessagingRoute('users:show')
  @ApiOperation({ summary: 'One user' })
  async show(@Param() { user }: NamePath, @Res() reply: FastifyReply): Promise<void> {
    await this.send(reply, await this.userNamed(user));
  }

  @Get('users::byToken/:token')
  @MessagingRoute('users:byToken')
  @ApiOperation({ summary: 'The user who has a token' })
  async byToken(@Param() { token }: Readonly<{ token: string }>, @Res() reply: FastifyReply): Promise<void> {
    const holder = await this.reader.view.get(accountCollections.tokens, hashCredential(token));
    if (!holder) throw errors.userNotFound();
    const { userId } = JSON.parse(holder.toString('utf8')) as Pick<UserDocument, 'userId'>;
    await this.sendById(reply, userId);
  }

  @Get('users::byUUID/:uuid')
  @MessagingRoute('users:byUUID')
  @ApiOperation({ summary: 'One user by its id' })
  async byUuid(@Param() { uuid }: Readonly<{ uuid: string }>, @Res() reply: FastifyReply): Promise<void> {
    await this.sendById(reply, uuid);
  }

  @Post('users/:user')
  @HttpCode(200)
  @MessagingRoute('users:create')
  @ApiOperation({ summary: 'Creates a user with a new token' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: userBody.schema })
  async create(@Param() { user: name }: NamePath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { projects = [], service_roles = [], ...profile } = bodyAs(request, userBody, errors.invalidUserArguments);
    const events = await this.write(request, reply, {
      type: 'CreateUser',
      userId: randomUUID(),
      profile: profileOf(profile, name),
      projects,
      serviceRoles: service_roles,
      token: newToken(),
      by: this.creator(request),
    });
    await this.send(reply, await this.userAfter(events));
  }

  @Put('users/:user')
  @MessagingRoute('users:update')
  @ApiOperation({ summary: 'Changes a user; empty texts and lists that are left out change nothing' })
  @ApiBody({ schema: userBody.schema })
  async update(@Param() { user }: NamePath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { projects, service_roles, name, ...profile } = bodyAs(request, userBody, errors.invalidUserArguments);
    if (name) requireName('user', name);
    const changes = profileOf(profile, name);
    const events = await this.write(request, reply, { type: 'ReviseUser', name: user, changes, projects, serviceRoles: service_roles });
    await this.send(reply, await this.userAfter(events));
  }

  @Post(`users/${withVerb('user', 'refreshToken')}`)
  @HttpCode(200)
  @MessagingRoute('users:refreshToken', 'none')
  @ApiOperation({ summary: 'Gives a user a new token; the old one is worthless at once' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async refreshToken(@Param() { user }: NamePath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const events = await this.write(request, reply, { type: 'RefreshToken', name: user, token: newToken() });
    await this.send(reply, await this.userAfter(events));
  }

  @Delete('users/:user')
  @MessagingRoute('users:delete')
  @ApiOperation({ summary: 'Deletes a user' })
  async delete(@Param() { user }: NamePath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.write(request, reply, { type: 'DeleteUser', name: user });
    sendEmpty(reply);
  }

  private async sendById(reply: FastifyReply, userId: string): Promise<void> {
    const user = await this.reader.user(userId);
    if (!user) throw errors.userNotFound();
    await this.send(reply, user);
  }

  private async send(reply: FastifyReply, user: UserDocument): Promise<void> {
    const [view] = await this.presenter.present([user]);
    sendJ3(reply, view ?? {});
  }
}
