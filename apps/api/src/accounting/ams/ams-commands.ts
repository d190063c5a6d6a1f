import { CommandBus } from '@nestjs/cqrs';
import { commandWith } from '#api/shared/commands/command-of.js';
import type { Provider } from '#domain/accounting/catalogue/catalogue-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CatalogueQueries, type ProjectDocument } from '#projections/accounting/catalogue/queries.js';
import { required } from '../bodies.js';
import { CreateInstallation } from '../catalogue/installation-commands.js';
import { RegisterProvider } from '../catalogue/provider-commands.js';
import * as errors from '../errors.js';
import { ProjectStreams } from '../project-streams.js';
import { References } from '../references/references.js';
import { providerTarget } from '../references/targets.js';
import { LISTENER_ID } from './listener-configuration.js';

/** `name` is required only for an unregistered provider. */
export type AnnouncedProvider = Readonly<{ externalId: string; name: string | null }> & Omit<Provider, 'name'>;

/** @throws AccountingError 400 without a name */
const registered = async (bus: CommandBus, context: CommandContext, { name, ...provider }: AnnouncedProvider): Promise<string> => {
  const registration = { ...provider, name: required(name, 'name'), id: null, creatorId: LISTENER_ID };
  const { record } = await bus.execute(new RegisterProvider(context, registration));
  return record.id;
};

/** Associates a provider with the project. Registers it first if its external id is unknown. A repeat changes nothing. */
export class TakeAnnouncedProvider extends commandWith(
  [CommandBus, ProjectStreams, References, CatalogueQueries],
  async (
    { project, provider }: Readonly<{ project: ProjectDocument; provider: AnnouncedProvider }>,
    { context },
    bus,
    projects,
    references,
    queries,
  ) => {
    const { id: projectId, generation } = project;
    const known = await queries.providerByExternalId(provider.externalId);
    const providerId = known?.id ?? (await registered(bus, context, provider));
    if (await queries.isAssociated(providerId, projectId)) return { readable: true };
    // Not the command, which would look up the project: it is the one of the listener.
    return references.holding([providerTarget(providerId)], { projectId }, context, (holds) =>
      projects.execute(context, { type: 'AssociateProvider', projectId, generation, providerId, holds }),
    );
  },
) {}

/** Creates an installation in the project unless its external id is known. `organisation`: external id of its provider. */
export class TakeAnnouncedInstallation extends commandWith(
  [CommandBus, CatalogueQueries],
  async (
    {
      project,
      installation,
    }: Readonly<{ project: ProjectDocument; installation: Readonly<{ externalId: string; infrastructure: string; organisation: string }> }>,
    { context },
    bus,
    queries,
  ) => {
    const { externalId, infrastructure, organisation } = installation;
    const provider = await queries.providerByExternalId(organisation);
    if (!provider) throw errors.externalProviderNotFound(organisation);
    if (await queries.installationByExternalId(externalId)) return { readable: true };
    const content = { organisation: provider.id, infrastructure, installation: externalId, resource: null, unitOfAccess: null };
    const { id: projectId, generation } = project;
    return bus.execute(new CreateInstallation(context, { projectId, generation, externalId, content, creatorId: LISTENER_ID }));
  },
) {}
