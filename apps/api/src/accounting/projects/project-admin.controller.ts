import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireSystem } from '#api/accounting/access/permissions.js';
import { bodyFrom, members, present, required, text } from '#api/accounting/bodies.js';
import { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { changesIn } from '#api/accounting/changes.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute, accountingCaller } from '#api/accounting/http-policy.js';
import { pagingOf, sendLongPage } from '#api/accounting/paging.js';
import { sendCreated, sendJson, sendMessage, sendPieces } from '#api/accounting/responses.js';
import { AccountingWriter } from '#api/accounting/writer.js';
import { type Infer, list } from '#api/shared/bodies/body-shape.js';
import { CATALOGUE_STREAM, type CatalogueEvent, type Project } from '#domain/accounting/catalogue/catalogue-events.js';
import { type CatalogueCommand, catalogue, type ProjectRegistration } from '#domain/accounting/catalogue/catalogue-rules.js';
import { isDay } from '#domain/shared/time.js';
import { type FoundProject, PROJECT_CATALOGUE, type ProjectCatalogue } from './project-catalogue.js';
import { ProjectTrees } from './project-trees.js';
import { projectHead } from './tree-views.js';

const PROJECT = { acronym: text, title: text, start_date: text, end_date: text, call_identifier: text };
const changesBody = members(PROJECT);
const newBody = members({ id: text, ...PROJECT });
const registrationBody = members({ projects: list(text) });

/** Words of the grammar of entitlements, in which a colon separates the segments. */
const isReserved = (id: string): boolean => id === 'operations' || id === 'roles' || id.includes(':');

const realDay = (day: string): string => {
  if (!isDay(day)) throw errors.badProjectDate();
  return day;
};

/** Every member, checked in the order of accounting contract 3.11. */
const newProject = (body: Infer<typeof newBody>): Omit<ProjectRegistration, 'creatorId'> => {
  const project = {
    projectId: required(body.id, 'id'),
    acronym: required(body.acronym, 'acronym'),
    title: required(body.title, 'title'),
    start_date: realDay(required(body.start_date, 'start_date')),
    end_date: realDay(required(body.end_date, 'end_date')),
    call_identifier: required(body.call_identifier, 'call_identifier'),
  };
  if (project.projectId.includes('.')) throw errors.dotInProjectId();
  if (isReserved(project.projectId)) throw errors.reservedProjectId(project.projectId);
  return project;
};

/** Projects for system administrators (accounting contract 3.11). */
@ApiTags('accounting: administration')
@ApiBearerAuth()
@Controller('accounting-system/admin')
export class ProjectAdminController {
  constructor(
    private readonly reader: CatalogueReader,
    private readonly trees: ProjectTrees,
    private readonly writer: AccountingWriter,
    @Inject(PROJECT_CATALOGUE) private readonly external: ProjectCatalogue,
  ) {}

  @Post('projects')
  @HttpCode(201)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers a project' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: newBody.schema })
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = bodyFrom(request, newBody);
    requireSystem(accountingCaller(request));
    const project = { ...newProject(present(body)), creatorId: accountingCaller(request).id };
    const known = await this.external.knows(project.projectId);
    const [event] = await this.write(request, reply, { type: 'RegisterProject', project, known });
    if (event?.type !== 'ProjectRegistered') throw new Error('a registration made no event');
    const { projectId: id } = event.data;
    sendCreated(request, reply, id, JSON.stringify({ ...projectHead({ ...event.data, id }), providers: [] }));
  }

  @Get('projects')
  @AccountingRoute({ consumes: 'json' })
  @ApiOperation({ summary: 'All projects, in the order of their registration' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireSystem(accountingCaller(request));
    const paging = pagingOf(request);
    await sendLongPage(request, reply, paging, await this.trees.page(paging));
  }

  @Patch('projects/:id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes a project' })
  @ApiBody({ schema: changesBody.schema })
  async update(@Param() { id }: Readonly<{ id: string }>, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = bodyFrom(request, changesBody);
    requireSystem(accountingCaller(request));
    const before = await this.reader.project(id);
    const changes: Partial<Project> = changesIn(present(body));
    for (const day of [changes.start_date, changes.end_date]) if (day !== undefined) realDay(day);
    const [event] = await this.write(request, reply, { type: 'ReviseProject', projectId: id, changes });
    await sendPieces(reply, this.trees.content([event?.type === 'ProjectRevised' ? { ...before, ...event.data } : before]));
  }

  @Delete('projects/:id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes a project with its associations, installations, capacities and metrics' })
  async delete(@Param() { id }: Readonly<{ id: string }>, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireSystem(accountingCaller(request));
    await this.write(request, reply, { type: 'DeleteProject', projectId: id });
    sendMessage(reply, 'Project deleted successfully.');
  }

  @Post('register-projects')
  @HttpCode(200)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers projects as the external catalogue of projects has them' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: registrationBody.schema })
  async register(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = bodyFrom(request, registrationBody);
    requireSystem(accountingCaller(request));
    const ids = (present(body).projects ?? []).map((id) => id ?? '');
    if (ids.length === 0) throw errors.noProjects();
    const found = await this.external.findAll([...new Set(ids)].filter((id) => !isReserved(id)));
    const { id: creatorId } = accountingCaller(request);
    const projects = [...found].flatMap(([projectId, one]) => (typeof one === 'object' ? [{ projectId, creatorId, ...one }] : []));
    const events = await this.write(request, reply, { type: 'AdoptProjects', projects });
    const fresh = new Set(events.flatMap((event) => (event.type === 'ProjectRegistered' ? [event.data.projectId] : [])));
    const refused = await this.refusals(ids, new Set(fresh), found);
    const message =
      fresh.size > 0 ? `Project(s) : [${[...fresh].join(', ')}] registered successfully.` : 'No project registration was performed';
    sendJson(reply, JSON.stringify({ code: 200, message, errors: refused }));
  }

  /** What is wrong with the others, in the order of the request; an id counts as registered from its second time on. */
  private async refusals(ids: readonly string[], fresh: Set<string>, found: ReadonlyMap<string, FoundProject>): Promise<readonly string[]> {
    const texts: string[] = [];
    for (const id of ids) {
      if (fresh.delete(id)) continue;
      if (await this.reader.findProject(id)) texts.push(`Project ${id} has already been registered.`);
      else if (found.get(id) === 'unavailable') texts.push(`Project : ${id} has not been registered. Please try again.`);
      else texts.push(`Project with id {${id}} not found.`);
    }
    return texts;
  }

  private write(request: FastifyRequest, reply: FastifyReply, command: CatalogueCommand): Promise<readonly CatalogueEvent[]> {
    return this.writer.write(request, reply, { stream: CATALOGUE_STREAM, decider: catalogue, command });
  }
}
