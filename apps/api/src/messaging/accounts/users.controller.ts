import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { empty, json } from '#api/messaging/answers.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { type MessagingCaller, MessagingRoute, OpenMessagingRoute } from '#api/messaging/http-policy.js';
import { listAnswer, mapParts } from '#api/messaging/long-list.js';
import { requireName, withVerb } from '#api/messaging/names.js';
import { inParts } from '#api/messaging/pagination.js';
import { BodyOf, Caller, CallerContext, CallerIfAny, PageQuery } from '#api/messaging/parameters.js';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { QueryText } from '#api/shared/http/parameters.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import { userSubject } from '#domain/messaging/accounts/account-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { AccountQueries, type UserDocument } from '#projections/messaging/accounts/queries.js';
import { j3 } from '#projections/messaging/layout.js';
import type { Page } from '#projections/messaging/newest-first.js';
import { profileOf, userBody } from './user-bodies.js';
import { CreateUser, DeleteUser, RefreshToken, ReviseUser } from './user-commands.js';
import { UserPresenter } from './user-presenter.js';
import type { WrittenUser } from './written-user.js';

type UserBody = Infer<typeof userBody>;

/** Users (messaging contract 3.2). Every caller who is admitted sees all of them. */
@ApiTags('messaging: users')
@ApiSecurity('x-api-key')
@Controller('v1')
export class UsersController {
  constructor(
    private readonly bus: CommandBus,
    private readonly accounts: AccountQueries,
    private readonly presenter: UserPresenter,
    private readonly credentialHashes: CredentialHashes,
    private readonly erased: ErasedSubjects,
  ) {}

  @Get('users')
  @MessagingRoute('users:list')
  @ApiOperation({ summary: 'Users, the newest first' })
  @ApiQuery({ name: 'pageSize', required: false })
  @ApiQuery({ name: 'pageToken', required: false })
  @ApiQuery({ name: 'project', required: false, description: 'only members of the project of this name' })
  @ApiQuery({ name: 'details', required: false, description: '`true`: with their projects' })
  async list(
    @PageQuery() page: Page,
    @QueryText('project') name: string | undefined,
    @QueryText('details') details: string | undefined,
  ): Promise<Answer> {
    const [named] = name ? await this.accounts.projectsNamed([name]) : []; // as one of several: the list goes across projects
    const project = name ? found(named, errors.projectUuidNotFound) : undefined;
    const parts = inParts((part) => this.accounts.listUsers(part, project?.projectId), page);
    return listAnswer(
      'users',
      mapParts(parts, (users) => this.presenter.present(users, { withoutProjects: details !== 'true' })),
    );
  }

  @Get('users/profile')
  @OpenMessagingRoute('users:profile')
  @ApiOperation({ summary: 'The user whose key it is' })
  async profile(@CallerIfAny() caller: MessagingCaller | undefined): Promise<Answer> {
    const user = caller?.userId ? await this.accounts.user(caller.userId) : undefined;
    return this.shown(found(user, errors.unauthorized));
  }

  @Get('users/:user')
  @MessagingRoute('users:show')
  @ApiOperation({ summary: 'One user' })
  async show(@Param('user') name: string): Promise<Answer> {
    return this.shown(found(await this.accounts.userNamed(name), errors.userNotFound));
  }

  @Get('users::byToken/:token')
  @MessagingRoute('users:byToken')
  @ApiOperation({ summary: 'The user who has a token' })
  async byToken(@Param('token') token: string): Promise<Answer> {
    const { userId } = found(await this.accounts.tokenHolder(this.credentialHashes.of(token)), errors.userNotFound);
    if (await this.erased.some(userSubject(userId))) throw errors.userNotFound();
    return this.byUuid(userId);
  }

  @Get('users::byUUID/:uuid')
  @MessagingRoute('users:byUUID')
  @ApiOperation({ summary: 'One user by its id' })
  async byUuid(@Param('uuid') id: string): Promise<Answer> {
    return this.shown(found(await this.accounts.user(id), errors.userNotFound));
  }

  @Post('users/:user')
  @HttpCode(200)
  @MessagingRoute('users:create')
  @ApiOperation({ summary: 'Creates a user with a new token' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaOf(userBody) })
  async create(
    @CallerContext() context: CommandContext,
    @Caller() { userId: by }: MessagingCaller,
    @Param('user') name: string,
    @BodyOf(userBody, errors.invalidUserArguments) { projects = [], service_roles = [], ...profile }: UserBody,
  ): Promise<Answer> {
    return this.written(await this.bus.execute(new CreateUser(context, by, profileOf(profile, name), projects, service_roles)));
  }

  @Put('users/:user')
  @MessagingRoute('users:update')
  @ApiOperation({ summary: 'Changes a user; empty texts and lists that are left out change nothing' })
  @ApiBody({ schema: schemaOf(userBody) })
  async update(
    @CallerContext() context: CommandContext,
    @Param('user') user: string,
    @BodyOf(userBody, errors.invalidUserArguments) { name, projects, service_roles: serviceRoles, ...profile }: UserBody,
  ): Promise<Answer> {
    if (name) requireName('user', name);
    const changes = { profile: profileOf(profile, name), projects, serviceRoles };
    return this.written(await this.bus.execute(new ReviseUser(context, user, changes)));
  }

  @Post(`users/${withVerb('user', 'refreshToken')}`)
  @HttpCode(200)
  @MessagingRoute('users:refreshToken', 'none')
  @ApiOperation({ summary: 'Gives a user a new token; the old one is worthless at once' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async refreshToken(@CallerContext() context: CommandContext, @Param('user') user: string): Promise<Answer> {
    return this.written(await this.bus.execute(new RefreshToken(context, user)));
  }

  @Delete('users/:user')
  @MessagingRoute('users:delete')
  @ApiOperation({ summary: 'Deletes a user' })
  async delete(@CallerContext() context: CommandContext, @Param('user') user: string): Promise<Answer> {
    const { readable } = await this.bus.execute(new DeleteUser(context, user));
    return empty({ readable });
  }

  private async shown(user: UserDocument): Promise<Answer> {
    return json(j3(await this.presenter.presentOne(user)));
  }

  private async written({ user, readable }: WrittenUser): Promise<Answer> {
    return json(j3(await this.presenter.presentOne(user)), { readable });
  }
}
