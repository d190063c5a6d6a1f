import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { toCatalogue } from '#api/accounting/catalogue/stream-commands.js';
import type { WrittenRecord } from '#api/accounting/written.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { contextNow } from '#api/shared/commands/context-now.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { CatalogueEvent, Project } from '#domain/accounting/catalogue/catalogue-events.js';
import type { CatalogueCommand, ProjectRegistration } from '#domain/accounting/catalogue/catalogue-rules.js';
import type { Clock } from '#domain/shared/clock.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CatalogueQueries, type ProjectDocument } from '#projections/accounting/catalogue/queries.js';
import { EXTERNAL_PROJECT_CATALOGUE, type ExternalProjectCatalogue, type FoundProject } from './external-project-catalogue.js';
import { isReservedProjectId } from './project-ids.js';

/** A project as its registration made it. */
export type RegisteredProject = Readonly<{ id: string }> & Project;

/** Registers a project whose id is free and unknown to the external catalogue. */
export class RegisterProject extends Command<WrittenRecord<RegisteredProject>> {
  constructor(
    readonly context: CommandContext,
    readonly project: ProjectRegistration,
  ) {
    super();
  }
}

/** What became of each of the ids: `registered` in the order of the ids, `refused` with the reason of each other id. */
export type Adoption = Readonly<{ registered: readonly string[]; refused: readonly RefusedProject[] }>;
export type RefusedProject = Readonly<{ id: string; reason: 'registered before' | 'unknown' | 'unavailable' }>;

/** Registers projects with the values that the external catalogue has of them. */
export class AdoptProjects extends Command<Readonly<{ adoption: Adoption; readable: boolean }>> {
  constructor(
    readonly context: CommandContext,
    readonly projectIds: readonly string[],
    readonly creatorId: string,
  ) {
    super();
  }
}

/** Changes values of a project. */
export class ReviseProject extends Command<WrittenRecord<ProjectDocument>> {
  constructor(
    readonly context: CommandContext,
    readonly project: ProjectDocument,
    readonly changes: Partial<Project>,
  ) {
    super();
  }
}

/** Deletes a project with its associations, installations, capacities and metrics. */
export class DeleteProject extends Command<Outcome<CatalogueEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
  ) {
    super();
  }
}

@CommandHandler(RegisterProject)
export class RegisterProjectHandler implements ICommandHandler<RegisterProject> {
  constructor(
    private readonly gateway: CommandGateway,
    @Inject(EXTERNAL_PROJECT_CATALOGUE) private readonly external: ExternalProjectCatalogue,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ context, project }: RegisterProject): Promise<WrittenRecord<RegisteredProject>> {
    const known = await this.external.knows(project.projectId);
    const { events, readable } = await this.gateway.execute(
      toCatalogue(contextNow(context, this.clock), { type: 'RegisterProject', project, known }),
    );
    const [event] = events;
    if (event?.type !== 'ProjectRegistered') throw new Error('a registration made no event');
    const { projectId: id, ...values } = event.data;
    return { record: { id, ...values }, readable };
  }
}

@CommandHandler(AdoptProjects)
export class AdoptProjectsHandler implements ICommandHandler<AdoptProjects> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly queries: CatalogueQueries,
    @Inject(EXTERNAL_PROJECT_CATALOGUE) private readonly external: ExternalProjectCatalogue,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ context, projectIds, creatorId }: AdoptProjects): Promise<Readonly<{ adoption: Adoption; readable: boolean }>> {
    const found = await this.external.findAll([...new Set(projectIds)].filter((id) => !isReservedProjectId(id)));
    const projects = [...found].flatMap(([projectId, one]) => (typeof one === 'object' ? [{ projectId, creatorId, ...one }] : []));
    const { events, readable } = await this.gateway.execute(
      toCatalogue(contextNow(context, this.clock), { type: 'AdoptProjects', projects }),
    );
    const registered = new Set(events.flatMap((event) => (event.type === 'ProjectRegistered' ? [event.data.projectId] : [])));
    const refused = await this.refusals(projectIds, new Set(registered), found);
    return { adoption: { registered: [...registered], refused }, readable };
  }

  /** In the order of the request; an id that was registered now counts as registered before from its second time on. */
  private async refusals(
    ids: readonly string[],
    fresh: Set<string>,
    found: ReadonlyMap<string, FoundProject>,
  ): Promise<readonly RefusedProject[]> {
    const refused: RefusedProject[] = [];
    for (const id of ids) {
      if (fresh.delete(id)) continue;
      if (await this.queries.project(id)) refused.push({ id, reason: 'registered before' });
      else refused.push({ id, reason: found.get(id) === 'unavailable' ? 'unavailable' : 'unknown' });
    }
    return refused;
  }
}

@CommandHandler(ReviseProject)
export class ReviseProjectHandler implements ICommandHandler<ReviseProject> {
  constructor(private readonly gateway: CommandGateway) {}

  async execute({ context, project, changes }: ReviseProject): Promise<WrittenRecord<ProjectDocument>> {
    const command: CatalogueCommand = { type: 'ReviseProject', projectId: project.id, changes };
    const { events, readable } = await this.gateway.execute(toCatalogue(context, command));
    const [event] = events;
    if (event?.type !== 'ProjectRevised') return { record: project, readable };
    const { projectId: _, ...values } = event.data;
    return { record: { ...project, ...values }, readable };
  }
}

@CommandHandler(DeleteProject)
export class DeleteProjectHandler implements ICommandHandler<DeleteProject> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, projectId }: DeleteProject): Promise<Outcome<CatalogueEvent>> {
    return this.gateway.execute(toCatalogue(context, { type: 'DeleteProject', projectId }));
  }
}

export const projectHandlers = [RegisterProjectHandler, AdoptProjectsHandler, ReviseProjectHandler, DeleteProjectHandler];
