import { toCatalogue } from '#api/accounting/stream-commands.js';
import { commandTo, commandWith } from '#api/shared/commands/command-of.js';
import { contextNow } from '#api/shared/commands/context-now.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { Project } from '#domain/accounting/catalogue/catalogue-events.js';
import type { ProjectRegistration } from '#domain/accounting/catalogue/catalogue-rules.js';
import { CatalogueQueries, type ProjectDocument } from '#projections/accounting/catalogue/queries.js';
import { EXTERNAL_PROJECT_CATALOGUE, type FoundProject } from './external-project-catalogue.js';
import { isReservedProjectId } from './project-ids.js';

export type RefusedProject = Readonly<{ id: string; reason: 'registered before' | 'unknown' | 'unavailable' }>;

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
    // The catalogue has it and it is not fresh: it is registered, whether or not reads show it yet.
    if (typeof found.get(id) === 'object' || (await queries.project(id))) refused.push({ id, reason: 'registered before' });
    else refused.push({ id, reason: found.get(id) === 'unavailable' ? 'unavailable' : 'unknown' });
  }
  return refused;
};

/** Deletes a project with its associations, installations, capacities and metrics. */
export class DeleteProject extends commandTo(toCatalogue, 'DeleteProject') {}

/** Registers a project with a free id that is unknown to the external catalogue. */
export class RegisterProject extends commandWith(
  [EXTERNAL_PROJECT_CATALOGUE, CLOCK],
  async (project: ProjectRegistration, { context, gateway }, external, clock) => {
    const known = await external.knows(project.projectId);
    const command = { type: 'RegisterProject', project, known } as const;
    const { events, readable } = await gateway.execute(toCatalogue(contextNow(context, clock), command));
    const { projectId: id, ...values } = eventOf(events, 'ProjectRegistered').data;
    return { record: { id, ...values }, readable };
  },
) {}

/** Registers projects with their values in the external catalogue. Resolves with the registered ids in their order, and a reason for others. */
export class AdoptProjects extends commandWith(
  [CatalogueQueries, EXTERNAL_PROJECT_CATALOGUE, CLOCK],
  async (
    { projectIds, creatorId }: Readonly<{ projectIds: readonly string[]; creatorId: string }>,
    { context, gateway },
    queries,
    external,
    clock,
  ) => {
    const found = await external.findAll([...new Set(projectIds)].filter((id) => !isReservedProjectId(id)));
    const projects = [...found].flatMap(([projectId, one]) => (typeof one === 'object' ? [{ projectId, creatorId, ...one }] : []));
    const command = { type: 'AdoptProjects', projects } as const;
    const { events, readable } = await gateway.execute(toCatalogue(contextNow(context, clock), command));
    const registered = new Set(events.flatMap((event) => (event.type === 'ProjectRegistered' ? [event.data.projectId] : [])));
    const refused = await refusals(queries, projectIds, new Set(registered), found);
    return { adoption: { registered: [...registered], refused }, readable };
  },
) {}

/** Changes values of a project. */
export class ReviseProject extends commandWith(
  [],
  async ({ project, changes }: Readonly<{ project: ProjectDocument; changes: Partial<Project> }>, { context, gateway }) => {
    const command = { type: 'ReviseProject', projectId: project.id, changes } as const;
    const { events, readable } = await gateway.execute(toCatalogue(context, command));
    const [event] = events;
    // Without an event the project has these values, although reads may not have shown them.
    if (event?.type !== 'ProjectRevised') return { record: { ...project, ...changes }, readable };
    const { projectId: _, ...values } = event.data;
    return { record: { ...project, ...values }, readable };
  },
) {}
