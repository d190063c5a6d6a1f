import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { toProject } from '#api/accounting/catalogue/stream-commands.js';
import { ReferenceGate, target } from '#api/accounting/reference-gate.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import type { ProjectEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
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
    private readonly gateway: CommandGateway,
    private readonly queries: CatalogueQueries,
    private readonly gate: ReferenceGate,
  ) {}

  execute({ context, projectId, providerId }: AssociateProvider): Promise<Outcome<ProjectEvent>> {
    return this.gate.referring([target('provider', providerId)], async () => {
      // Inside the gate, where nobody deletes the provider.
      const project = await this.queries.project(projectId);
      if (!project) throw new DomainError('PROJECT_NOT_FOUND', { projectId });
      if (!(await this.queries.providerById(providerId))) throw new DomainError('PROVIDER_NOT_FOUND', { providerId });
      const { generation } = project;
      return this.gateway.execute(toProject(context, { type: 'AssociateProvider', projectId, generation, providerId }));
    });
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
