import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Provider } from '#domain/accounting/catalogue/catalogue-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CatalogueQueries, type ProjectDocument } from '#projections/accounting/catalogue/queries.js';
import { required } from './bodies.js';
import { CreateInstallation } from './catalogue/installation-commands.js';
import { ProjectStreams } from './catalogue/project-streams.js';
import { RegisterProvider } from './catalogue/provider-commands.js';
import * as errors from './errors.js';
import { LISTENER_ID } from './listener-configuration.js';
import { References } from './references/references.js';
import { providerTarget } from './references/targets.js';

type Readability = Readonly<{ readable: boolean }>;

/** `name` is needed only for a provider that is not registered yet. */
export type AnnouncedProvider = Readonly<{ externalId: string; name: string | null }> & Omit<Provider, 'name'>;

/** Registers a provider unless there is one of its external id, and associates it with the project. A repetition changes nothing. */
export class TakeAnnouncedProvider extends Command<Readability> {
  constructor(
    readonly context: CommandContext,
    readonly project: ProjectDocument,
    readonly provider: AnnouncedProvider,
  ) {
    super();
  }
}

/** Creates an installation in the project unless there is one of its external id. `organisation`: external id of its provider. */
export class TakeAnnouncedInstallation extends Command<Readability> {
  constructor(
    readonly context: CommandContext,
    readonly project: ProjectDocument,
    readonly installation: Readonly<{ externalId: string; infrastructure: string; organisation: string }>,
  ) {
    super();
  }
}

@CommandHandler(TakeAnnouncedProvider)
export class TakeAnnouncedProviderHandler implements ICommandHandler<TakeAnnouncedProvider> {
  constructor(
    private readonly bus: CommandBus,
    private readonly projects: ProjectStreams,
    private readonly references: References,
    private readonly queries: CatalogueQueries,
  ) {}

  async execute({ context, project: { id: projectId, generation }, provider }: TakeAnnouncedProvider): Promise<Readability> {
    const known = await this.queries.providerByExternalId(provider.externalId);
    const providerId = known?.id ?? (await this.registered(context, provider));
    if (await this.queries.isAssociated(providerId, projectId)) return { readable: true };
    // Not the command, which looks the project up: it is the one of the listener.
    return this.references.holding([providerTarget(providerId)], { projectId }, context, (holds) =>
      this.projects.execute(context, { type: 'AssociateProvider', projectId, generation, providerId, holds }),
    );
  }

  /** @throws AccountingError 400 without a name */
  private async registered(context: CommandContext, { name, ...provider }: AnnouncedProvider): Promise<string> {
    const registration = { ...provider, name: required(name, 'name'), id: null, creatorId: LISTENER_ID };
    const { record } = await this.bus.execute(new RegisterProvider(context, registration));
    return record.id;
  }
}

@CommandHandler(TakeAnnouncedInstallation)
export class TakeAnnouncedInstallationHandler implements ICommandHandler<TakeAnnouncedInstallation> {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: CatalogueQueries,
  ) {}

  async execute({ context, project, installation }: TakeAnnouncedInstallation): Promise<Readability> {
    const { externalId, infrastructure, organisation } = installation;
    const provider = await this.queries.providerByExternalId(organisation);
    if (!provider) throw errors.externalProviderNotFound(organisation);
    if (await this.queries.installationByExternalId(externalId)) return { readable: true };
    const content = { organisation: provider.id, infrastructure, installation: externalId, resource: null, unitOfAccess: null };
    const { id: projectId, generation } = project;
    return this.bus.execute(new CreateInstallation(context, { projectId, generation, externalId, content, creatorId: LISTENER_ID }));
  }
}

export const amsHandlers = [TakeAnnouncedProviderHandler, TakeAnnouncedInstallationHandler];
