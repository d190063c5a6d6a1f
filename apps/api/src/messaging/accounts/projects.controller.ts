import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyAs } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { MessagingRoute, projectOf } from '#api/messaging/http-policy.js';
import { requireName } from '#api/messaging/names.js';
import { sendEmpty, sendJ3 } from '#api/messaging/responses.js';
import { struct, text } from '#api/shared/bodies/body-shape.js';
import { createdProject, type ProjectDocument, revisedProject } from '#projections/messaging/accounts/account-documents.js';
import { AccountResource } from './account-resource.js';
import { projectView } from './account-views.js';

/** `name` is read by updates only; a creation takes it from the path. */
const projectBody = struct({ name: text, description: text });

/** Projects (messaging contract 3.1). */
@ApiTags('messaging: projects')
@ApiSecurity('x-api-key')
@Controller('v1/projects')
export class ProjectsController extends AccountResource {
  @Get()
  @MessagingRoute('projects:list')
  @ApiOperation({ summary: 'All projects, in the order of their creation' })
  async list(@Res() reply: FastifyReply): Promise<void> {
    const projects = await this.reader.allProjects();
    const names = await this.reader.namesOf(projects.flatMap(({ createdBy }) => createdBy ?? []));
    const views = projects.map((project) => projectView(project, names.get(project.createdBy ?? '')));
    sendJ3(reply, views.length > 0 ? { projects: views } : {});
  }

  @Get(':project')
  @MessagingRoute('projects:show')
  @ApiOperation({ summary: 'One project' })
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.send(reply, await this.project(request));
  }

  @Post(':project')
  @HttpCode(200)
  @MessagingRoute('projects:create')
  @ApiOperation({ summary: 'Creates a project' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: projectBody.schema })
  async create(
    @Param() { project: name }: Readonly<{ project: string }>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { description } = bodyAs(request, projectBody, errors.invalidProjectArguments);
    const by = this.creator(request);
    const events = await this.write(request, reply, { type: 'CreateProject', projectId: randomUUID(), name, description, by });
    await this.send(reply, createdProject(this.eventOf(events, 'ProjectCreated')));
  }

  @Put(':project')
  @MessagingRoute('projects:update')
  @ApiOperation({ summary: 'Renames or describes a project; empty members of the body change nothing' })
  @ApiBody({ schema: projectBody.schema })
  async update(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { name, description } = bodyAs(request, projectBody, errors.invalidBody);
    if (name) requireName('project', name);
    const { projectId } = projectOf(request);
    const before = await this.project(request);
    const events = await this.write(request, reply, { type: 'ReviseProject', projectId, name, description });
    await this.send(reply, revisedProject(before, this.eventOf(events, 'ProjectRevised')));
  }

  @Delete(':project')
  @MessagingRoute('projects:delete')
  @ApiOperation({ summary: 'Deletes a project with its topics, subscriptions, schemas, messages and memberships' })
  async delete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.write(request, reply, { type: 'DeleteProject', projectId: projectOf(request).projectId });
    sendEmpty(reply);
  }

  /** The project of the path. */
  private async project(request: FastifyRequest): Promise<ProjectDocument> {
    const project = await this.reader.project(projectOf(request).projectId);
    if (!project) throw errors.projectUuidNotFound(); // deleted since the call was admitted
    return project;
  }

  private async send(reply: FastifyReply, project: ProjectDocument): Promise<void> {
    sendJ3(reply, projectView(project, await this.nameOf(project.createdBy)));
  }
}
