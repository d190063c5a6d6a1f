import { type Decider, DomainError } from '../shared/decider.js';
import type { Installation, ProjectEvent } from './catalogue-events.js';

type OfProject = Readonly<{ projectId: string; generation: number }>;
type OfInstallation = OfProject & Readonly<{ installationId: string }>;

/**
 * `generation` is that of the project in the read model when the command was made: a project that was deleted and registered again since
 * begins with nothing. What other streams hold is looked up in the read model and comes as a flag.
 */
export type ProjectCommand =
  | (Readonly<{ type: 'AssociateProvider'; providerId: string }> & OfProject)
  /** A provider that is not associated is left as it is. */
  | (Readonly<{ type: 'DissociateProvider'; providerId: string }> & OfProject)
  /** `externalIdTaken`: the claim on it was refused. */
  | (Readonly<{
      type: 'CreateInstallation';
      externalId: string;
      creatorId: string;
      content: Installation;
      resourceMissing: boolean;
      externalIdTaken: boolean;
    }> &
      OfInstallation)
  /** `providerMissing`: there is no provider of the id in `changes.organisation`. */
  | (Readonly<{
      type: 'ReviseInstallation';
      changes: Partial<Installation>;
      measured: boolean;
      providerMissing: boolean;
      resourceMissing: boolean;
    }> &
      OfInstallation)
  /** `measured`: there are metrics of the installation. */
  | (Readonly<{ type: 'DeleteInstallation'; measured: boolean }> & OfInstallation)
  /** Changes nothing: says whether the installation is there, whatever the read models have seen. */
  | (Readonly<{ type: 'RequireInstallation' }> & OfInstallation);

export type ProjectState = Readonly<{
  /** 0 before anything happened. */
  generation: number;
  providers: Set<string>;
  installations: Map<string, Installation>;
  /** The id of the installation by provider and name. */
  names: Map<string, string>;
}>;

const emptyState = (generation: number): ProjectState => ({
  generation,
  providers: new Set(),
  installations: new Map(),
  names: new Map(),
});

const contentOf = ({ organisation, infrastructure, installation, resource, unitOfAccess }: Installation): Installation => ({
  organisation,
  infrastructure,
  installation,
  resource,
  unitOfAccess,
});

const nameKey = ({ organisation, installation }: Installation): string => JSON.stringify([organisation, installation]);

const knownInstallation = (state: ProjectState, installationId: string): Installation => {
  const installation = state.installations.get(installationId);
  if (!installation) throw new DomainError('INSTALLATION_NOT_FOUND', { installationId });
  return installation;
};

const requireAssociation = (state: ProjectState, projectId: string, providerId: string): void => {
  if (!state.providers.has(providerId)) throw new DomainError('PROVIDER_NOT_ASSOCIATED', { projectId, providerId });
};

const requireFreeName = (state: ProjectState, { projectId, installationId }: OfInstallation, content: Installation): void => {
  const holder = state.names.get(nameKey(content));
  if (holder === undefined || holder === installationId) return;
  const { organisation, installation } = content;
  throw new DomainError('INSTALLATION_NAME_TAKEN', { projectId, providerId: organisation, name: installation, installationId: holder });
};

const requireResource = (resourceMissing: boolean, resourceId: string | null | undefined): void => {
  if (resourceMissing) throw new DomainError('RESOURCE_NOT_FOUND', { resourceId });
};

type CommandOf<Type> = Extract<ProjectCommand, { type: Type }>;

const create = (command: CommandOf<'CreateInstallation'>, state: ProjectState): readonly ProjectEvent[] => {
  const { projectId, generation, installationId, externalId, creatorId } = command;
  const content = contentOf(command.content);
  requireAssociation(state, projectId, content.organisation);
  requireFreeName(state, command, content);
  requireResource(command.resourceMissing, content.resource);
  if (command.externalIdTaken) throw new DomainError('EXTERNAL_ID_TAKEN');
  return [{ type: 'InstallationCreated', data: { projectId, generation, installationId, externalId, creatorId, ...content } }];
};

const revise = (command: CommandOf<'ReviseInstallation'>, state: ProjectState): readonly ProjectEvent[] => {
  const { projectId, generation, installationId, changes } = command;
  const before = knownInstallation(state, installationId);
  const after = contentOf({ ...before, ...changes });
  if (command.measured) throw new DomainError('INSTALLATION_MEASURED_UPDATE');
  if (after.organisation !== before.organisation) {
    if (command.providerMissing) throw new DomainError('PROVIDER_NOT_FOUND', { providerId: after.organisation });
    requireAssociation(state, projectId, after.organisation);
  }
  requireResource(command.resourceMissing, changes.resource);
  requireFreeName(state, command, after);
  const unchanged = JSON.stringify(after) === JSON.stringify(before);
  return unchanged ? [] : [{ type: 'InstallationRevised', data: { projectId, generation, installationId, ...after } }];
};

const decide = (command: ProjectCommand, known: ProjectState): readonly ProjectEvent[] => {
  const { projectId, generation } = command;
  if (generation < known.generation) throw new DomainError('PROJECT_NOT_FOUND', { projectId });
  const state = generation === known.generation ? known : emptyState(generation);
  switch (command.type) {
    case 'AssociateProvider': {
      const { providerId } = command;
      if (state.providers.has(providerId)) throw new DomainError('PROVIDER_ALREADY_ASSOCIATED', { projectId });
      return [{ type: 'ProviderAssociated', data: { projectId, generation, providerId } }];
    }
    case 'DissociateProvider': {
      const { providerId } = command;
      if ([...state.installations.values()].some(({ organisation }) => organisation === providerId))
        throw new DomainError('PROVIDER_HAS_INSTALLATIONS', { projectId, providerId });
      return state.providers.has(providerId) ? [{ type: 'ProviderDissociated', data: { projectId, generation, providerId } }] : [];
    }
    case 'CreateInstallation':
      return create(command, state);
    case 'ReviseInstallation':
      return revise(command, state);
    case 'DeleteInstallation': {
      const { installationId } = command;
      knownInstallation(state, installationId);
      if (command.measured) throw new DomainError('INSTALLATION_MEASURED_DELETE');
      return [{ type: 'InstallationDeleted', data: { projectId, generation, installationId } }];
    }
    case 'RequireInstallation':
      knownInstallation(state, command.installationId);
      return [];
  }
};

const forget = (state: ProjectState, installationId: string): void => {
  const before = state.installations.get(installationId);
  if (before) state.names.delete(nameKey(before));
  state.installations.delete(installationId);
};

const evolve = (known: ProjectState, { type, data }: ProjectEvent): ProjectState => {
  const state = data.generation === known.generation ? known : emptyState(data.generation);
  switch (type) {
    case 'ProviderAssociated':
      state.providers.add(data.providerId);
      return state;
    case 'ProviderDissociated':
      state.providers.delete(data.providerId);
      return state;
    case 'InstallationCreated':
    case 'InstallationRevised':
      forget(state, data.installationId);
      state.installations.set(data.installationId, contentOf(data));
      state.names.set(nameKey(data), data.installationId);
      return state;
    case 'InstallationDeleted':
      forget(state, data.installationId);
      return state;
  }
};

/**
 * The rules inside one project (accounting contract 3.1, 3.3), each in the order of the contract: `PROJECT_NOT_FOUND` (it was deleted and
 * registered again); `PROVIDER_ALREADY_ASSOCIATED`, `PROVIDER_HAS_INSTALLATIONS`; `INSTALLATION_NOT_FOUND`, `INSTALLATION_MEASURED_UPDATE`,
 * `INSTALLATION_MEASURED_DELETE`, `PROVIDER_NOT_FOUND`, `PROVIDER_NOT_ASSOCIATED`, `INSTALLATION_NAME_TAKEN`, `RESOURCE_NOT_FOUND`,
 * `EXTERNAL_ID_TAKEN`.
 */
export const projectContents: Decider<ProjectState, ProjectCommand, ProjectEvent> = {
  initialState: () => emptyState(0),
  decide,
  evolve,
};
