import type { Provider } from '@nestjs/common';
import { toCatalogue } from '#api/accounting/stream-commands.js';
import type { WrittenRecord } from '#api/accounting/written.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandOf, CommandWith } from '#api/shared/commands/command-of.js';
import { contextNow } from '#api/shared/commands/context-now.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { handles, passOn } from '#api/shared/commands/handlers.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { CatalogueEvent, Project } from '#domain/accounting/catalogue/catalogue-events.js';
import type { CatalogueCommand, ProjectRegistration } from '#domain/accounting/catalogue/catalogue-rules.js';
import { CatalogueQueries, type ProjectDocument } from '#projections/accounting/catalogue/queries.js';
import { EXTERNAL_PROJECT_CATALOGUE, type FoundProject } from './external-project-catalogue.js';
import { isReservedProjectId } from './project-ids.js';

/** A project with the values of its registration. */
type RegisteredProject = Readonly<{ id: string }> & Project;

/** Registers a project with a free id that is unknown to the external catalogue. */
export class RegisterProject extends CommandWith<ProjectRegistration, WrittenRecord<RegisteredProject>> {}

/** Outcome for the ids: `registered` in their order, `refused` with a reason for each other id. */
type Adoption = Readonly<{ registered: readonly string[]; refused: readonly RefusedProject[] }>;
export type RefusedProject = Readonly<{ id: string; reason: 'registered before' | 'unknown' | 'unavailable' }>;

/** Registers projects with their values in the external catalogue. */
export class AdoptProjects extends CommandWith<
  Readonly<{ projectIds: readonly string[]; creatorId: string }>,
  Readonly<{ adoption: Adoption; readable: boolean }>
> {}

/** Changes values of a project. */
export class ReviseProject extends CommandWith<
  Readonly<{ project: ProjectDocument; changes: Partial<Project> }>,
  WrittenRecord<ProjectDocument>
> {}

/** Deletes a project with its associations, installations, capacities and metrics. */
export class DeleteProject extends CommandOf<CatalogueCommand, 'DeleteProject', CatalogueEvent> {}

/** In the order of the request. If an id occurs again, its later occurrences count as already registered. */
const refusals = async (
  queries: CatalogueQueries,
  ids: readonly string[],
  fresh: Set<string>,
  found: ReadonlyMap<string, FoundProject>,
): Promise<readonly RefusedProject[]> => {
  const refused: RefusedProject[] = [];
  for (const id of ids) {
    if (fresh.delete(id)) continue;
    if (await queries.project(id)) refused.push({ id, reason: 'registered before' });
    else refused.push({ id, reason: found.get(id) === 'unavailable' ? 'unavailable' : 'unknown' });
  }
  return refused;
};

export const projectHandlers: readonly Provider[] = [
  ...passOn(toCatalogue, { DeleteProject }),

  handles(
    RegisterProject,
    [CommandGateway, EXTERNAL_PROJECT_CATALOGUE, CLOCK],
    async ({ context, data: project }, gateway, external, clock) => {
      const known = await external.knows(project.projectId);
      const command = { type: 'RegisterProject', project, known } as const;
      const { events, readable } = await gateway.execute(toCatalogue(contextNow(context, clock), command));
      const { projectId: id, ...values } = eventOf(events, 'ProjectRegistered').data;
      return { record: { id, ...values }, readable };
    },
  ),

  handles(
    AdoptProjects,
    [CommandGateway, CatalogueQueries, EXTERNAL_PROJECT_CATALOGUE, CLOCK],
    async ({ context, data: { projectIds, creatorId } }, gateway, queries, external, clock) => {
      const found = await external.findAll([...new Set(projectIds)].filter((id) => !isReservedProjectId(id)));
      const projects = [...found].flatMap(([projectId, one]) => (typeof one === 'object' ? [{ projectId, creatorId, ...one }] : []));
      const command = { type: 'AdoptProjects', projects } as const;
      const { events, readable } = await gateway.execute(toCatalogue(contextNow(context, clock), command));
      const registered = new Set(events.flatMap((event) => (event.type === 'ProjectRegistered' ? [event.data.projectId] : [])));
      const refused = await refusals(queries, projectIds, new Set(registered), found);
      return { adoption: { registered: [...registered], refused }, readable };
    },
  ),

  handles(ReviseProject, [CommandGateway], async ({ context, data: { project, changes } }, gateway) => {
    const command = { type: 'ReviseProject', projectId: project.id, changes } as const;
    const { events, readable } = await gateway.execute(toCatalogue(context, command));
    const [event] = events;
    if (event?.type !== 'ProjectRevised') return { record: project, readable };
    const { projectId: _, ...values } = event.data;
    return { record: { ...project, ...values }, readable };
  }),
];
