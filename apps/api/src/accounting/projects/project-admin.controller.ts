import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { created, done, json, longPage, pieces } from '#api/accounting/answers.js';
import { changesOf, filled, present, recordOf, required, text, WITHOUT_DOTS } from '#api/accounting/bodies.js';
import { projectHead } from '#api/accounting/catalogue/tree-views.js';
import { changesIn } from '#api/accounting/changes.js';
import * as errors from '#api/accounting/errors.js';
import { existing } from '#api/accounting/existing.js';
import { creates, lists, says } from '#api/accounting/openapi/envelopes.js';
import { type AccountingCall, Call } from '#api/accounting/parameters.js';
import { requireSystem } from '#api/accounting/permissions.js';
import { PAGES } from '#api/accounting/queries.js';
import { AccountingController, Delete, Get, Patch, Post } from '#api/accounting/route.js';
import { due, type Infer, limited, list } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { answer, parameter, shows } from '#api/shared/openapi/described.js';
import type { ProjectRegistration } from '#domain/accounting/catalogue/catalogue-rules.js';
import { doc } from '#domain/shared/shape.js';
import { isDay } from '#domain/shared/time.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { PROJECT } from '#projections/accounting/components.js';
import * as examples from '#projections/accounting/examples.js';
import { AdoptProjects, DeleteProject, type RefusedProject, RegisterProject, ReviseProject } from './project-commands.js';
import { isReservedProjectId } from './project-ids.js';
import { ProjectTrees } from './project-trees.js';

const PROJECT_ID = { id: parameter('text', 'id of the project', 'grid') };

const DELETED = 'Project deleted successfully.';

const DAY = due(text, doc('day', 'yyyy-MM-dd'));
const MEMBERS = {
  acronym: filled('short name'),
  title: filled('full name'),
  start_date: DAY,
  end_date: DAY,
  call_identifier: filled('of the call that funds it'),
};
const changesBody = changesOf('AccountingProjectChange', MEMBERS);
const newBody = recordOf('AccountingNewProject', { id: due(text, doc('text', 'unique, without dots', WITHOUT_DOTS)), ...MEMBERS });
const registrationBody = recordOf('AccountingRegisterProjectsRequest', {
  projects: due(limited(list(filled('id in the external catalogue of projects')), { minItems: 1 })),
});

/** @throws AccountingError 400 */
const realDay = (day: string): string => {
  if (!isDay(day)) throw errors.badProjectDate();
  return day;
};

/** All members are required, and checked in the order of accounting contract 3.11. @throws AccountingError 400 */
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
@AccountingController('accounting-system/admin', 'accounting: administration')
export class ProjectAdminController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: CatalogueQueries,
    private readonly trees: ProjectTrees,
  ) {}

  @Post('projects', {
    id: 'createAccountingProject',
    summary: 'Registers a project',
    body: newBody,
    example: examples.NEW_PROJECT,
    errors: [
      errors.projectRegistered('507f1f77bcf86cd799439011'),
      errors.missing('id'),
      errors.badProjectDate(),
      errors.dotInProjectId(),
      errors.reservedProjectId('507f1f77bcf86cd799439011'),
      errors.projectInCatalogue('507f1f77bcf86cd799439011'),
    ],
    answers: creates(PROJECT, examples.CREATED_PROJECT),
  })
  async create(@Call() { caller, context, locationOf, given }: AccountingCall<typeof newBody>): Promise<Answer> {
    requireSystem(caller);
    const project = { ...newProject(present(given)), creatorId: caller.id };
    const { record, readable } = await this.bus.execute(new RegisterProject(context(), project));
    return created(locationOf(record.id), JSON.stringify({ ...projectHead(record), providers: [] }), { readable });
  }

  @Get('projects', {
    id: 'listAccountingProjects',
    summary: 'All projects, in the order of their registration',
    consumes: 'json',
    query: PAGES,
    answers: lists(PROJECT),
  })
  async list(@Call() { caller, pageOf }: AccountingCall): Promise<Answer> {
    requireSystem(caller);
    const asked = pageOf();
    return longPage(asked, await this.trees.page(asked));
  }

  @Patch('projects/:id', {
    id: 'updateAccountingProject',
    summary: 'Changes a project',
    path: PROJECT_ID,
    body: changesBody,
    example: { title: 'The grid', end_date: '2031-12-31' },
    errors: [errors.badProjectDate()],
    answers: shows(PROJECT),
  })
  async update(@Call() { caller, context, given }: AccountingCall<typeof changesBody>, @Param('id') id: string): Promise<Answer> {
    requireSystem(caller);
    const before = await existing(this.queries.project(id), errors.projectNotFound, id);
    const changes = changesIn(present(given));
    for (const day of [changes.start_date, changes.end_date]) if (day !== undefined) realDay(day);
    const { record, readable } = await this.bus.execute(new ReviseProject(context(), { project: before, changes }));
    return pieces(this.trees.content([record]), { readable });
  }

  @Delete('projects/:id', {
    id: 'deleteAccountingProject',
    summary: 'Deletes a project with its associations, installations, capacities and metrics',
    path: PROJECT_ID,
    answers: says(DELETED),
  })
  async delete(@Call() { caller, context }: AccountingCall, @Param('id') id: string): Promise<Answer> {
    requireSystem(caller);
    return done(DELETED, this.bus.execute(new DeleteProject(context(), { projectId: id })));
  }

  @Post('register-projects', {
    id: 'registerAccountingProjects',
    summary: 'Registers projects as the external catalogue of projects has them',
    body: registrationBody,
    example: { projects: ['101017567', '777536'] },
    errors: [errors.noProjects()],
    answers: {
      200: answer(
        { code: 'integer', message: 'text', errors: doc(['text'], 'why projects were not registered') },
        {
          code: 200,
          message: 'Project(s) : [101017567] registered successfully.',
          errors: ['Project 777536 has already been registered.'],
        },
      ),
    },
  })
  async register(@Call() { caller, context, given }: AccountingCall<typeof registrationBody>): Promise<Answer> {
    requireSystem(caller);
    const ids = (present(given).projects ?? []).map((id) => id ?? '');
    if (ids.length === 0) throw errors.noProjects();
    const { adoption, readable } = await this.bus.execute(new AdoptProjects(context(), { projectIds: ids, creatorId: caller.id }));
    const { registered, refused } = adoption;
    const text =
      registered.length > 0 ? `Project(s) : [${registered.join(', ')}] registered successfully.` : 'No project registration was performed';
    const body = { code: 200, message: text, errors: refused.map(({ id, reason }) => refusalTexts[reason](id)) };
    return json(JSON.stringify(body), { readable });
  }
}
