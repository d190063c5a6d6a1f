import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { AccountingCaller } from '#api/accounting/access/caller.js';
import { requireSystem } from '#api/accounting/access/permissions.js';
import { created, json, longPage, message, pieces } from '#api/accounting/answers.js';
import { members, present, required, text } from '#api/accounting/bodies.js';
import { existing } from '#api/accounting/catalogue/existing.js';
import { changesIn } from '#api/accounting/changes.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import {
  Caller,
  Context,
  type ContextOfCall,
  GivenBody,
  Location,
  type LocationOf,
  Page,
  type PageOfCall,
} from '#api/accounting/parameters.js';
import { type Infer, list } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import type { Project } from '#domain/accounting/catalogue/catalogue-events.js';
import type { ProjectRegistration } from '#domain/accounting/catalogue/catalogue-rules.js';
import { isDay } from '#domain/shared/time.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { AdoptProjects, DeleteProject, type RefusedProject, RegisterProject, ReviseProject } from './project-commands.js';
import { isReservedProjectId } from './project-ids.js';
import { ProjectTrees } from './project-trees.js';
import { projectHead } from './tree-views.js';

const PROJECT = { acronym: text, title: text, start_date: text, end_date: text, call_identifier: text };
const changesBody = members(PROJECT);
const newBody = members({ id: text, ...PROJECT });
const registrationBody = members({ projects: list(text) });

/** @throws AccountingError 400 */
const realDay = (day: string): string => {
  if (!isDay(day)) throw errors.badProjectDate();
  return day;
};

/** Every member, checked in the order of accounting contract 3.11. @throws AccountingError 400 */
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
  if (isReservedProjectId(project.projectId)) throw errors.reservedProjectId(project.projectId);
  return project;
};

const refusalTexts: Readonly<Record<RefusedProject['reason'], (id: string) => string>> = {
  'registered before': (id) => `Project ${id} has already been registered.`,
  unavailable: (id) => `Project : ${id} has not been registered. Please try again.`,
  unknown: (id) => `Project with id {${id}} not found.`,
};

/** Projects for system administrators (accounting contract 3.11). */
@ApiTags('accounting: administration')
@ApiBearerAuth()
@Controller('accounting-system/admin')
export class ProjectAdminController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: CatalogueQueries,
    private readonly trees: ProjectTrees,
  ) {}

  @Post('projects')
  @HttpCode(201)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers a project' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: newBody.schema })
  async create(
    @GivenBody(newBody) given: Infer<typeof newBody> | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
    @Location() locationOf: LocationOf,
  ): Promise<Answer> {
    requireSystem(caller);
    const project = { ...newProject(present(given)), creatorId: caller.id };
    const { record, readable } = await this.bus.execute(new RegisterProject(context(), project));
    return created(locationOf(record.id), JSON.stringify({ ...projectHead(record), providers: [] }), { readable });
  }

  @Get('projects')
  @AccountingRoute({ consumes: 'json' })
  @ApiOperation({ summary: 'All projects, in the order of their registration' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async list(@Caller() caller: AccountingCaller, @Page() pageOf: PageOfCall): Promise<Answer> {
    requireSystem(caller);
    const asked = pageOf();
    return longPage(asked, await this.trees.page(asked));
  }

  @Patch('projects/:id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes a project' })
  @ApiBody({ schema: changesBody.schema })
  async update(
    @Param('id') id: string,
    @GivenBody(changesBody) given: Infer<typeof changesBody> | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    requireSystem(caller);
    const before = await existing(this.queries.project(id), errors.projectNotFound, id);
    const changes: Partial<Project> = changesIn(present(given));
    for (const day of [changes.start_date, changes.end_date]) if (day !== undefined) realDay(day);
    const { record, readable } = await this.bus.execute(new ReviseProject(context(), before, changes));
    return pieces(this.trees.content([record]), { readable });
  }

  @Delete('projects/:id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes a project with its associations, installations, capacities and metrics' })
  async delete(@Param('id') id: string, @Caller() caller: AccountingCaller, @Context() context: ContextOfCall): Promise<Answer> {
    requireSystem(caller);
    const { readable } = await this.bus.execute(new DeleteProject(context(), id));
    return message('Project deleted successfully.', { readable });
  }

  @Post('register-projects')
  @HttpCode(200)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers projects as the external catalogue of projects has them' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: registrationBody.schema })
  async register(
    @GivenBody(registrationBody) given: Infer<typeof registrationBody> | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    requireSystem(caller);
    const ids = (present(given).projects ?? []).map((id) => id ?? '');
    if (ids.length === 0) throw errors.noProjects();
    const { adoption, readable } = await this.bus.execute(new AdoptProjects(context(), ids, caller.id));
    const { registered, refused } = adoption;
    const text =
      registered.length > 0 ? `Project(s) : [${registered.join(', ')}] registered successfully.` : 'No project registration was performed';
    const body = { code: 200, message: text, errors: refused.map(({ id, reason }) => refusalTexts[reason](id)) };
    return json(JSON.stringify(body), { readable });
  }
}
