import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { empty, json } from '#api/messaging/answers.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { type MessagingCaller, MessagingRoute } from '#api/messaging/http-policy.js';
import { requireName } from '#api/messaging/names.js';
import { BodyOf, Caller, CallerContext, Project } from '#api/messaging/parameters.js';
import { type Infer, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { AccountQueries, type ProjectReference } from '#projections/messaging/accounts/queries.js';
import { j3 } from '#projections/messaging/layout.js';
import { projectView } from './account-views.js';
import { CreateProject, DeleteProject, ReviseProject, type WrittenProject } from './project-commands.js';

/** `name` is read by updates only; a creation takes it from the path. */
const projectBody = struct({ name: text, description: text });
type ProjectBody = Infer<typeof projectBody>;

/** Projects (messaging contract 3.1). */
@ApiTags('messaging: projects')
@ApiSecurity('x-api-key')
@Controller('v1/projects')
export class ProjectsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly accounts: AccountQueries,
  ) {}

  @Get()
  @MessagingRoute('projects:list')
  @ApiOperation({ summary: 'All projects, in the order of their creation' })
  async list(): Promise<Answer> {
    const projects = await this.accounts.allProjects(new TimeSlice());
    const names = await this.accounts.namesOf(projects.flatMap(({ createdBy }) => createdBy ?? []));
    const views = projects.map((project) => projectView(project, names.get(project.createdBy ?? '')));
    return json(j3(views.length > 0 ? { projects: views } : {}));
  }

  @Get(':project')
  @MessagingRoute('projects:show')
  @ApiOperation({ summary: 'One project' })
  async show(@Project() { projectId }: ProjectReference): Promise<Answer> {
    // It may have been deleted since the call was admitted.
    return this.shown({ project: found(await this.accounts.project(projectId), errors.projectUuidNotFound), readable: true });
  }

  @Post(':project')
  @HttpCode(200)
  @MessagingRoute('projects:create')
  @ApiOperation({ summary: 'Creates a project' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaOf(projectBody) })
  async create(
    @CallerContext() context: CommandContext,
    @Caller() { userId }: MessagingCaller,
    @Param('project') name: string,
    @BodyOf(projectBody, errors.invalidProjectArguments) { description }: ProjectBody,
  ): Promise<Answer> {
    return this.shown(await this.bus.execute(new CreateProject(context, userId, name, description)));
  }

  @Put(':project')
  @MessagingRoute('projects:update')
  @ApiOperation({ summary: 'Renames or describes a project; empty members of the body change nothing' })
  @ApiBody({ schema: schemaOf(projectBody) })
  async update(
    @CallerContext() context: CommandContext,
    @Project() { projectId }: ProjectReference,
    @BodyOf(projectBody, errors.invalidBody) { name, description }: ProjectBody,
  ): Promise<Answer> {
    if (name) requireName('project', name);
    return this.shown(await this.bus.execute(new ReviseProject(context, projectId, name, description)));
  }

  @Delete(':project')
  @MessagingRoute('projects:delete')
  @ApiOperation({ summary: 'Deletes a project with its topics, subscriptions, schemas, messages and memberships' })
  async delete(@CallerContext() context: CommandContext, @Project() { projectId }: ProjectReference): Promise<Answer> {
    const { readable } = await this.bus.execute(new DeleteProject(context, projectId));
    return empty({ readable });
  }

  private async shown({ project, readable }: WrittenProject): Promise<Answer> {
    return json(j3(projectView(project, await this.accounts.nameOf(project.createdBy))), { readable });
  }
}
