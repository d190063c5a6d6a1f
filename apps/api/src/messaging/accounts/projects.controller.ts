import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { done, json } from '#api/messaging/answers/answers.js';
import { viewsOf, wholeListAnswer } from '#api/messaging/answers/long-list.js';
import { nameBody } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { requireNewName } from '#api/messaging/names.js';
import { PROJECT } from '#api/messaging/openapi/components.js';
import { DONE } from '#api/messaging/openapi/done.js';
import * as examples from '#api/messaging/openapi/examples.js';
import { BodyOf, Call, type MessagingCall } from '#api/messaging/parameters.js';
import { ADMINS, SERVICE_ADMINS } from '#api/messaging/roles.js';
import { Delete, Get, MessagingController, Post, Put } from '#api/messaging/route.js';
import { type Infer, named, struct, text, unsaid } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { j3 } from '#projections/messaging/layout.js';
import { projectView } from './account-views.js';
import { CreateProject, DeleteProject, ReviseProject, type WrittenProject } from './project-commands.js';
import { descriptionText } from './user-bodies.js';

/** `name` is read by updates only; a creation takes it from the path. */
const newProjectBody = named('MessagingNewProject', struct({ name: unsaid(text), description: descriptionText }));
const projectChangesBody = named(
  'MessagingProjectChange',
  struct({ name: nameBody('a new name'), description: descriptionText }),
  'What is empty or left out stays',
);
type ProjectBody = Infer<typeof newProjectBody>;

/** Projects (messaging contract 3.1). */
@MessagingController('v1/projects', 'messaging: projects')
export class ProjectsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly accounts: AccountQueries,
  ) {}

  @Get('', {
    id: 'listMessagingProjects',
    summary: 'All projects, in the order of their creation',
    who: SERVICE_ADMINS,
    answers: shows({ 'projects?': [PROJECT] }, { projects: [examples.PROJECT] }),
  })
  async list(): Promise<Answer> {
    const projects = await this.accounts.allProjects(new TimeSlice());
    if (projects.length === 0) return json(j3({}));
    const views = viewsOf(projects, async (some) => {
      const names = await this.accounts.namesOf(some.flatMap(({ createdBy }) => createdBy ?? []));
      return some.map((project) => projectView(project, names.get(project.createdBy ?? '')));
    });
    return wholeListAnswer('projects', views);
  }

  @Get(':project', { id: 'getMessagingProject', summary: 'One project', who: ADMINS, answers: shows(PROJECT) })
  async show(@Call() { project: { projectId } }: MessagingCall): Promise<Answer> {
    // It may have been deleted since the call was admitted.
    return this.shown({ project: found(await this.accounts.project(projectId), errors.projectUuidNotFound), readable: true });
  }

  @Post(':project', {
    id: 'createMessagingProject',
    summary: 'Creates a project',
    who: SERVICE_ADMINS,
    project: 'new',
    body: newProjectBody,
    example: { description: 'news of sites' },
    errors: [errors.invalidProjectArguments(), errors.projectExists()],
    answers: shows(PROJECT),
  })
  async create(
    @Call() { context, caller: { userId } }: MessagingCall,
    @Param('project') name: string,
    @BodyOf(newProjectBody, errors.invalidProjectArguments) { description }: ProjectBody,
  ): Promise<Answer> {
    return this.shown(await this.bus.execute(new CreateProject(context, { by: userId, name, description })));
  }

  @Put(':project', {
    id: 'updateMessagingProject',
    summary: 'Renames or describes a project; empty members of the body change nothing',
    who: ADMINS,
    body: projectChangesBody,
    example: { description: 'news of all sites' },
    errors: [errors.invalidBody(), errors.projectNameTaken()],
    answers: shows(PROJECT),
  })
  async update(
    @Call() { context, project: { projectId } }: MessagingCall,
    @BodyOf(projectChangesBody, errors.invalidBody) { name, description }: ProjectBody,
  ): Promise<Answer> {
    requireNewName('project', name);
    return this.shown(await this.bus.execute(new ReviseProject(context, { projectId, name, description })));
  }

  @Delete(':project', {
    id: 'deleteMessagingProject',
    summary: 'Deletes a project with its topics, subscriptions, schemas, messages and memberships',
    who: ADMINS,
    answers: DONE,
  })
  async delete(@Call() { context, project: { projectId } }: MessagingCall): Promise<Answer> {
    return done(this.bus.execute(new DeleteProject(context, { projectId })));
  }

  private async shown({ project, readable }: WrittenProject): Promise<Answer> {
    return json(j3(projectView(project, await this.accounts.nameOf(project.createdBy))), { readable });
  }
}
