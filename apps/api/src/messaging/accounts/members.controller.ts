import { randomUUID } from 'node:crypto';
import { Controller, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyAs } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { MessagingRoute, messagingCall, projectOf } from '#api/messaging/http-policy.js';
import { mapParts, sendListParts } from '#api/messaging/long-list.js';
import { withVerb } from '#api/messaging/names.js';
import { inParts, pageOf } from '#api/messaging/pagination.js';
import { sendJ3, sendJC } from '#api/messaging/responses.js';
import { readBody } from '#api/shared/bodies/body-shape.js';
import { bodyOf, firstOf } from '#api/shared/http/request-context.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import type { ProjectRoles } from '#domain/messaging/accounts/account-commands.js';
import type { UserDocument } from '#projections/messaging/accounts/account-documents.js';
import { isMember } from './account-reader.js';
import { AccountResource, newToken } from './account-resource.js';
import { memberBody, rolesBody } from './user-bodies.js';
import type { UserViewOptions } from './user-presenter.js';

type NamePath = Readonly<{ user: string }>;

/** The members of a project (messaging contract 3.3). Service administrators see all of a user, project administrators what concerns the project. */
@ApiTags('messaging: members')
@ApiSecurity('x-api-key')
@Controller('v1/projects/:project/members')
export class MembersController extends AccountResource {
  @Get()
  @MessagingRoute('projects:listUsers')
  @ApiOperation({ summary: 'The members of a project, those created last first' })
  @ApiQuery({ name: 'pageSize', required: false })
  @ApiQuery({ name: 'pageToken', required: false })
  @ApiQuery({ name: 'details', required: false, description: '`true`: with their projects' })
  async list(@Query() query: Readonly<Record<string, unknown>>, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { projectId } = projectOf(request);
    const options = { ...viewFor(request), withoutProjects: firstOf(query.details) !== 'true' };
    const parts = inParts((part) => this.reader.listUsers(part, projectId), pageOf(query));
    await sendListParts(
      reply,
      'users',
      mapParts(parts, (items) => this.presenter.present(items, options)),
    );
  }

  @Get(':user')
  @MessagingRoute('projects:showUser')
  @ApiOperation({ summary: 'One member' })
  async show(@Param() { user: name }: NamePath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const user = await this.userNamed(name);
    if (!isMember(user, projectOf(request).projectId)) throw errors.userNotFound();
    await this.send(reply, user, viewFor(request));
  }

  @Post(':user')
  @HttpCode(200)
  @MessagingRoute('projects:createUser')
  @ApiOperation({ summary: 'Creates a user who is a member of the project; whoever calls learns the token' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: memberBody.schema })
  async create(@Param() { user: name }: NamePath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { email, projects } = bodyAs(request, memberBody, errors.invalidUserArguments);
    const { projectId, name: project } = projectOf(request);
    const roles = naming(project, projects)[0]?.roles ?? [];
    const account = { userId: randomUUID(), token: newToken(), by: this.creator(request) };
    const events = await this.write(request, reply, { type: 'CreateMember', projectId, name, email, roles, ...account });
    await this.send(reply, await this.userAfter(events), {});
  }

  @Put(':user')
  @MessagingRoute('projects:updateUser')
  @ApiOperation({
    summary: 'Replaces the roles of a member by those of the item of the body for this project; without one nothing changes',
  })
  @ApiBody({ schema: memberBody.schema })
  async update(@Param() { user: name }: NamePath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { projects } = bodyAs(request, memberBody, errors.invalidUserArguments);
    const { projectId, name: project } = projectOf(request);
    const [item, another] = naming(project, projects);
    if (item && !another) {
      const events = await this.write(request, reply, { type: 'ReplaceMemberRoles', projectId, name, roles: item.roles });
      await this.send(reply, await this.userAfter(events), viewFor(request));
      return;
    }
    const user = await this.userNamed(name);
    if (!isMember(user, projectId)) throw errors.notAMember();
    if (another) throw errors.duplicateProject(project);
    await this.send(reply, user, viewFor(request));
  }

  @Post(withVerb('user', 'add'))
  @HttpCode(200)
  @MessagingRoute('projects:addUser')
  @ApiOperation({ summary: 'Makes a user a member of the project' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: rolesBody.schema })
  async add(@Param() { user: name }: NamePath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const roles = await this.rolesFor(name, request);
    const events = await this.write(request, reply, { type: 'AddMember', projectId: projectOf(request).projectId, name, roles });
    await this.send(reply, await this.userAfter(events), viewFor(request));
  }

  @Post(withVerb('user', 'remove'))
  @HttpCode(200)
  @MessagingRoute('projects:removeUser', 'none')
  @ApiOperation({ summary: 'Ends the membership of a user; the user stays' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async remove(@Param() { user: name }: NamePath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.write(request, reply, { type: 'RemoveMember', projectId: projectOf(request).projectId, name });
    sendJC(reply, {});
  }

  /** The body of a call that looks at the user first: a malformed body for an unknown user is 404. */
  private async rolesFor(name: string, request: FastifyRequest): Promise<readonly string[]> {
    try {
      return readBody(rolesBody, bodyOf(request)).roles;
    } catch (error) {
      if (error instanceof MalformedJson) await this.userNamed(name);
      throw error;
    }
  }

  private async send(reply: FastifyReply, user: UserDocument, options: UserViewOptions): Promise<void> {
    const [view] = await this.presenter.present([user], options);
    sendJ3(reply, view ?? {});
  }
}

/** The items of a body that name the project. */
const naming = (project: string, items: readonly ProjectRoles[]): readonly ProjectRoles[] =>
  items.filter((item) => item.project === project);

/** Tokens and other projects are for service administrators: a role of that name in the project shows nothing (messaging contract 3.2). */
const viewFor = (request: FastifyRequest): UserViewOptions =>
  messagingCall(request).caller.serviceRoles.includes('service_admin') ? {} : { onlyIn: projectOf(request).projectId };
