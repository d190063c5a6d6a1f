import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { done, json } from '#api/messaging/answers/answers.js';
import { inParts, PAGES } from '#api/messaging/answers/pagination.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { type MessagingCaller } from '#api/messaging/http-policy.js';
import { requireNewName, withVerb } from '#api/messaging/names.js';
import { COMPONENT_KEY, NO_COMPONENT, TOKEN, USER, USERS } from '#api/messaging/openapi/components.js';
import { DONE } from '#api/messaging/openapi/done.js';
import * as examples from '#api/messaging/openapi/examples.js';
import { BodyOf, Call, CallerIfAny, type MessagingCall } from '#api/messaging/parameters.js';
import { ADMINS, COMPONENT_ADMINS, SERVICE_ADMINS } from '#api/messaging/roles.js';
import { Delete, Get, MessagingController, Post, Put } from '#api/messaging/route.js';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import { userSubject } from '#domain/messaging/accounts/account-events.js';
import { oneOf, type Static } from '#domain/shared/shape.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { AccountQueries, type UserDocument } from '#projections/messaging/accounts/queries.js';
import { j3, j4, jc } from '#projections/messaging/layout.js';
import { newUserBody, userChangesBody, userProfileOf } from './user-bodies.js';
import { CreateUser, DeleteUser, RefreshToken, ReviseUser } from './user-commands.js';
import { UserPresenter, type UserViewOptions } from './user-presenter.js';
import type { WrittenUser } from './written-user.js';

type UserBody = Infer<typeof newUserBody>;

/** Token that a call created. @throws MessagingError C13 for a repeated call if only hashes are stored */
const tokenOf = ({ token }: UserDocument): string => {
  if (token === '') throw errors.tokenNotKept();
  return token;
};

/** Users (messaging contract 3.2). Every admitted caller sees all of them. */
@MessagingController('v1', 'messaging: users')
export class UsersController {
  constructor(
    private readonly bus: CommandBus,
    private readonly accounts: AccountQueries,
    private readonly presenter: UserPresenter,
    private readonly credentialHashes: CredentialHashes,
    private readonly erased: ErasedSubjects,
  ) {}

  @Get('users', {
    id: 'listUsers',
    summary: 'Users, the newest first',
    who: ADMINS,
    query: {
      details: parameter(oneOf('true', 'false'), '`true`: with their projects'),
      project: parameter('text', 'only members of the project of this name'),
      ...PAGES,
    },
    errors: [errors.projectUuidNotFound()],
    answers: shows(USERS),
  })
  async list(@Call() { page, queryText }: MessagingCall): Promise<Answer> {
    const name = queryText('project');
    const [named] = name ? await this.accounts.projectsNamed([name]) : []; // a list, because the lookup spans projects
    const project = name ? found(named, errors.projectUuidNotFound) : undefined;
    const parts = inParts((part) => this.accounts.listUsers(part, project?.projectId), page);
    return this.presenter.list(parts, { withoutProjects: queryText('details') !== 'true' });
  }

  @Get('users/profile', { id: 'getOwnUser', summary: 'The user whose key it is', who: 'anyone', answers: shows(USER) })
  async profile(@CallerIfAny() caller: MessagingCaller | undefined): Promise<Answer> {
    const user = caller?.userId ? await this.accounts.user(caller.userId) : undefined;
    return this.shown(found(user, errors.unauthorized));
  }

  @Get('users/:user', { id: 'getUser', summary: 'One user', who: SERVICE_ADMINS, answers: shows(USER) })
  async show(@Param('user') name: string): Promise<Answer> {
    return this.shown(found(await this.accounts.userNamed(name), errors.userNotFound));
  }

  @Get('users::byToken/:token', {
    id: 'getUserByToken',
    summary: 'The user who has a token',
    who: ['service_admin', 'push_worker'],
    answers: shows(USER),
  })
  async byToken(@Param('token') token: string): Promise<Answer> {
    const { userId } = found(await this.accounts.tokenHolder(this.credentialHashes.of(token)), errors.userNotFound);
    if (await this.erased.some(userSubject(userId))) throw errors.userNotFound();
    return this.byUuid(userId);
  }

  @Get('users::byUUID/:uuid', {
    id: 'getUserByUuid',
    summary: 'One user by its id',
    who: ['service_admin', 'argo_api_authn'],
    answers: shows(USER),
  })
  async byUuid(@Param('uuid') id: string): Promise<Answer> {
    return this.shown(found(await this.accounts.user(id), errors.userNotFound));
  }

  @Post('users/:user', {
    id: 'createUser',
    summary: 'Creates a user with a new token',
    who: SERVICE_ADMINS,
    body: newUserBody,
    example: { email: 'ada@example.org', projects: [{ project: 'EGI', roles: ['publisher'] }] },
    errors: [
      errors.invalidUserArguments(),
      errors.componentTaken('monbox', 'EGI'),
      errors.userExists(),
      errors.duplicateProject('EGI'),
      errors.invalidProject('EGI'),
      errors.invalidRole('reader'),
    ],
    answers: shows(USER),
  })
  async create(
    @Call() { context, caller: { userId: by } }: MessagingCall,
    @Param('user') name: string,
    @BodyOf(newUserBody, errors.invalidUserArguments) { projects = [], service_roles = [], ...profile }: UserBody,
  ): Promise<Answer> {
    const user = { by, profile: userProfileOf(profile, name), projects, serviceRoles: service_roles };
    return this.written(await this.bus.execute(new CreateUser(context, user)), { madeToken: true });
  }

  @Put('users/:user', {
    id: 'updateUser',
    summary: 'Changes a user; empty texts and lists that are left out change nothing',
    who: SERVICE_ADMINS,
    body: userChangesBody,
    example: { service_roles: ['metrics_viewer'] },
    errors: [
      errors.invalidUserArguments(),
      errors.componentTaken('monbox', 'EGI'),
      errors.duplicateProject('EGI'),
      errors.invalidProject('EGI'),
      errors.invalidRole('reader'),
      errors.userNameTaken(),
    ],
    answers: shows(USER),
  })
  async update(
    @Call() { context }: MessagingCall,
    @Param('user') user: string,
    @BodyOf(userChangesBody, errors.invalidUserArguments) { name, projects, service_roles: serviceRoles, ...profile }: UserBody,
  ): Promise<Answer> {
    requireNewName('user', name);
    const changes = { profile: userProfileOf(profile, name), projects, serviceRoles };
    return this.written(await this.bus.execute(new ReviseUser(context, { name: user, changes })));
  }

  @Post(`users/${withVerb('user', 'refreshToken')}`, {
    id: 'refreshUserToken',
    summary: 'Gives a user a new token; the old one is worthless at once',
    who: SERVICE_ADMINS,
    limit: 'none',
    answers: shows(USER),
  })
  async refreshToken(@Call() { context }: MessagingCall, @Param('user') user: string): Promise<Answer> {
    return this.written(await this.bus.execute(new RefreshToken(context, { name: user })), { madeToken: true });
  }

  @Post('users::refreshTokenByUUID/:uuid', {
    id: 'refreshUserTokenByUuid',
    summary: 'Gives the user with an id a new token; the old one is worthless at once',
    who: ['service_admin', 'argo_api_authn'],
    limit: 'none',
    errors: [errors.tokenNotKept()],
    answers: shows({ token: TOKEN }, { token: examples.USER.token }),
  })
  async refreshTokenByUuid(@Call() { context }: MessagingCall, @Param('uuid') userId: string): Promise<Answer> {
    const { user, readable } = await this.bus.execute(new RefreshToken(context, { userId }));
    return json(jc({ token: tokenOf(user) }), { readable });
  }

  /**
   * A caller who is admitted only by a role in the project reaches only users of that project alone: others may have rights elsewhere
   * (messaging contract 1.4).
   */
  @Post(
    {
      'integrations/components/:component/by-project-name/:project/refresh': 'refreshComponentKey',
      'integrations/:component/by-project-name/:project/refresh': 'refreshKeyOfComponent',
    },
    {
      summary: 'Gives the user who is the account of a component a new token; the old one is worthless at once',
      who: COMPONENT_ADMINS,
      limit: 'none',
      errors: [errors.tokenNotKept()],
      answers: { ...shows(COMPONENT_KEY), 404: NO_COMPONENT },
    },
  )
  async refreshComponentKey(@Call() { context, caller, project }: MessagingCall, @Param('component') component: string): Promise<Answer> {
    const isServiceWide = caller.kind === 'service' || COMPONENT_ADMINS.some((role) => caller.serviceRoles.includes(role));
    const within = isServiceWide ? {} : { within: project.projectId };
    const { user, readable } = await this.bus.execute(new RefreshToken(context, { component, componentProject: project.name, ...within }));
    const status = { message: 'Component api key succesfully renewed', code: '200' }; // sic: the spelling is on the wire
    const view: Static<typeof COMPONENT_KEY> = { status, data: { api_key: tokenOf(user) } };
    return json(j4(view), { readable });
  }

  @Delete('users/:user', { id: 'deleteUser', summary: 'Deletes a user', who: SERVICE_ADMINS, answers: DONE })
  async delete(@Call() { context }: MessagingCall, @Param('user') user: string): Promise<Answer> {
    return done(this.bus.execute(new DeleteUser(context, { name: user })));
  }

  private async shown(user: UserDocument): Promise<Answer> {
    return json(j3(await this.presenter.presentOne(user)));
  }

  private async written({ user, readable }: WrittenUser, options?: UserViewOptions): Promise<Answer> {
    return json(j3(await this.presenter.presentOne(user, options)), { readable });
  }
}
