import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ProjectStreams } from '#api/accounting/catalogue/project-streams.js';
import { toProject } from '#api/accounting/catalogue/stream-commands.js';
import { References } from '#api/accounting/references/references.js';
import { providerTarget } from '#api/accounting/references/targets.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import type { ProjectEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CatalogueQueries, type ProjectDocument } from '#projections/accounting/catalogue/queries.js';

/** Associates a provider with a project. */
export class AssociateProvider extends Command<Outcome<ProjectEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly providerId: string,
  ) {
    super();
  }
}

/** Ends the association of a provider that has no installations in the project. */
export class DissociateProvider extends Command<Outcome<ProjectEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly project: ProjectDocument,
    readonly providerId: string,
  ) {
    super();
  }
}

@CommandHandler(AssociateProvider)
export class AssociateProviderHandler implements ICommandHandler<AssociateProvider> {
  constructor(
    private readonly projects: ProjectStreams,
    private readonly queries: CatalogueQueries,
    private readonly references: References,
  ) {}

  async execute({ context, projectId, providerId }: AssociateProvider): Promise<Outcome<ProjectEvent>> {
    const project = await this.queries.project(projectId);
    if (!project) throw new DomainError('PROJECT_NOT_FOUND', { projectId });
    const { generation } = project;
    return this.references.holding([providerTarget(providerId)], { projectId }, context, (holds) =>
      this.projects.execute(context, { type: 'AssociateProvider', projectId, generation, providerId, holds }),
    );
  }
}

@CommandHandler(DissociateProvider)
export class DissociateProviderHandler implements ICommandHandler<DissociateProvider> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, project: { id: projectId, generation }, providerId }: DissociateProvider): Promise<Outcome<ProjectEvent>> {
    return this.gateway.execute(toProject(context, { type: 'DissociateProvider', projectId, generation, providerId }));
  }
}

export const associationHandlers = [AssociateProviderHandler, DissociateProviderHandler];
