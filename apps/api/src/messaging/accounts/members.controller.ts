import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { json } from '#api/messaging/answers/answers.js';
import { inParts, PAGES } from '#api/messaging/answers/pagination.js';
import { bodyFrom, bodyOfKnown } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { type MessagingCaller } from '#api/messaging/http-policy.js';
import { withVerb } from '#api/messaging/names.js';
import { NOTHING, USER, USERS } from '#api/messaging/openapi/components.js';
import { BodyOf, Call, type MessagingCall } from '#api/messaging/parameters.js';
import { ADMINS } from '#api/messaging/roles.js';
import { Get, MessagingController, Post, Put } from '#api/messaging/route.js';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import type { ProjectRoles } from '#domain/messaging/accounts/account-commands.js';
import { oneOf } from '#domain/shared/shape.js';
import { AccountQueries, isMember, type ProjectReference, type UserDocument } from '#projections/messaging/accounts/queries.js';
import { j3, jc } from '#projections/messaging/layout.js';
import { AddMember, CreateMember, RemoveMember, ReplaceMemberRoles } from './member-commands.js';
import { memberBody, rolesBody } from './user-bodies.js';
import { UserPresenter, type UserViewOptions } from './user-presenter.js';

type MemberBody = Infer<typeof memberBody>;

/** Item of the body for the project. As in a creation, the first one counts. */
const itemFor = ({ name }: ProjectReference, { projects }: MemberBody): ProjectRoles | undefined =>
  projects.find(({ project }) => project === name);

/** Only service administrators see tokens and other projects, whatever roles the caller has in the project (messaging contract 3.2). */
const viewFor = ({ serviceRoles }: MessagingCaller, { projectId }: ProjectReference): UserViewOptions =>
  serviceRoles.includes('service_admin') ? {} : { onlyIn: projectId };

/** The members of a project (messaging contract 3.3). Service administrators see whole users, project administrators only their part. */
@MessagingController('v1/projects/:project/members', 'messaging: members')
export class MembersController {
  constructor(
    private readonly bus: CommandBus,
    private readonly accounts: AccountQueries,
    private readonly presenter: UserPresenter,
  ) {}

  @Get('', {
    id: 'listProjectMembers',
    summary: 'The members of a project, those created last first',
    who: ADMINS,
    query: {
      details: parameter(oneOf('true', 'false'), '`true`: with their projects'),
      ...PAGES,
    },
    answers: shows(USERS),
  })
  list(@Call() { page, caller, project, queryText }: MessagingCall): Promise<Answer> {
    const options = { ...viewFor(caller, project), withoutProjects: queryText('details') !== 'true' };
    const parts = inParts((part) => this.accounts.listUsers(part, project.projectId), page);
    return this.presenter.list(parts, options);
  }

  @Get(':user', { id: 'getProjectMember', summary: 'One member', who: ADMINS, answers: shows(USER) })
  async show(@Call() { caller, project }: MessagingCall, @Param('user') name: string): Promise<Answer> {
    const user = await this.userNamed(name);
    if (!isMember(user, project.projectId)) throw errors.userNotFound();
    return this.shown(user, viewFor(caller, project));
  }

  @Post(':user', {
    id: 'createProjectMember',
    summary: 'Creates a user who is a member of the project; whoever calls learns the token',
    who: ADMINS,
    body: memberBody,
    example: { email: 'ada@example.org', projects: [{ project: 'EGI', roles: ['publisher'] }] },
    errors: [errors.invalidUserArguments(), errors.userExists(), errors.invalidRole('reader')],
    answers: shows(USER),
  })
  async create(
    @Call() { context, caller: { userId: by }, project }: MessagingCall,
    @Param('user') name: string,
    @BodyOf(memberBody, errors.invalidUserArguments) body: MemberBody,
  ): Promise<Answer> {
    const member = { name, email: body.email, roles: itemFor(project, body)?.roles ?? [] };
    const { user, readable } = await this.bus.execute(new CreateMember(context, { by, projectId: project.projectId, ...member }));
    return this.shown(user, { madeToken: true }, readable);
  }

  @Put(':user', {
    id: 'updateProjectMember',
    summary: 'Replaces the roles of a member by those of the item of the body for this project; without one nothing changes',
    who: ADMINS,
    body: memberBody,
    example: { projects: [{ project: 'EGI', roles: ['publisher', 'consumer'] }] },
    errors: [errors.invalidUserArguments(), errors.notAMember(), errors.invalidRole('reader')],
    answers: shows(USER),
  })
  async update(
    @Call() { context, caller, project }: MessagingCall,
    @Param('user') name: string,
    @BodyOf(memberBody, errors.invalidUserArguments) body: MemberBody,
  ): Promise<Answer> {
    const item = itemFor(project, body);
    if (item) {
      const { user, readable } = await this.bus.execute(
        new ReplaceMemberRoles(context, { projectId: project.projectId, name, roles: item.roles }),
      );
      return this.shown(user, viewFor(caller, project), readable);
    }
    const user = await this.userNamed(name);
    if (!isMember(user, project.projectId)) throw errors.notAMember();
    return this.shown(user, viewFor(caller, project));
  }

  @Post(withVerb('user', 'add'), {
    id: 'addProjectMember',
    summary: 'Makes a user a member of the project',
    who: ADMINS,
    body: rolesBody,
    example: { roles: ['consumer'] },
    errors: [errors.invalidBody(), errors.alreadyAMember(), errors.invalidRole('reader')],
    answers: shows(USER),
  })
  async add(@Call() { context, caller, project, body }: MessagingCall, @Param('user') name: string): Promise<Answer> {
    const { roles } = await bodyOfKnown(
      () => bodyFrom(body, rolesBody, errors.invalidBody),
      () => this.userNamed(name),
    );
    const { user, readable } = await this.bus.execute(new AddMember(context, { projectId: project.projectId, name, roles }));
    return this.shown(user, viewFor(caller, project), readable);
  }

  @Post(withVerb('user', 'remove'), {
    id: 'removeProjectMember',
    summary: 'Ends the membership of a user; the user stays',
    who: ADMINS,
    limit: 'none',
    errors: [errors.notAMember()],
    answers: shows(NOTHING, {}),
  })
  async remove(@Call() { context, project: { projectId } }: MessagingCall, @Param('user') name: string): Promise<Answer> {
    const { readable } = await this.bus.execute(new RemoveMember(context, { projectId, name }));
    return json(jc({}), { readable });
  }

  /** @throws MessagingError N06 */
  private async userNamed(name: string): Promise<UserDocument> {
    return found(await this.accounts.userNamed(name), errors.userNotFound);
  }

  private async shown(user: UserDocument, options: UserViewOptions, readable = true): Promise<Answer> {
    return json(j3(await this.presenter.presentOne(user, options)), { readable });
  }
}
