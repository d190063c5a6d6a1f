import type { Installation, ProjectEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import { ACCOUNTING_LIMITS, overLimit, requireBytes, requireRoom, sizeOf } from '#domain/accounting/limits.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';

type OfProject = Readonly<{ projectId: string; generation: number }>;
type OfInstallation = OfProject & Readonly<{ installationId: string }>;

/**
 * `generation` is that of the project in the read model when the command was made: a project that was deleted and registered again since
 * starts empty. Facts of other streams are looked up in the read model and passed as flags.
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
  /** Changes nothing: rejects unless the installation exists, whether or not the read models show it. */
  | (Readonly<{ type: 'RequireInstallation' }> & OfInstallation);

/** `size`: bytes of its content and external id as compact JSON. */
type KnownInstallation = Readonly<{ content: Installation; externalId: string; size: number }>;

export type ProjectState = {
  /** 0 before anything happened. */
  readonly generation: number;
  readonly providers: Set<string>;
  readonly installations: Map<string, KnownInstallation>;
  /** The id of the installation by provider and name. */
  readonly names: Map<string, string>;
  /** Of all installations together. */
  size: number;
};

const emptyState = (generation: number): ProjectState => ({
  generation,
  providers: new Set(),
  installations: new Map(),
  names: new Map(),
  size: 0,
});

const contentOf = ({ organisation, infrastructure, installation, resource, unitOfAccess }: Installation): Installation => ({
  organisation,
  infrastructure,
  installation,
  resource,
  unitOfAccess,
});

const nameKey = ({ organisation, installation }: Installation): string => JSON.stringify([organisation, installation]);

const knownInstallation = (state: ProjectState, installationId: string): KnownInstallation => {
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

const known = (content: Installation, externalId: string): KnownInstallation => ({
  content,
  externalId,
  size: sizeOf({ ...content, externalId }),
});

/** The installation must not be too large, and the project must have room for its growth. @throws DomainError `OVER_LIMIT` */
const requireSpace = (state: ProjectState, after: KnownInstallation, before?: KnownInstallation): void => {
  requireBytes(after.size, before?.size);
  const growth = after.size - (before?.size ?? 0);
  if (growth > 0 && state.size + growth > ACCOUNTING_LIMITS.installationsSize.value) throw overLimit('installationsSize');
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
  requireRoom('installationsPerProject', state.installations.size);
  requireSpace(state, known(content, externalId));
  return [{ type: 'InstallationCreated', data: { projectId, generation, installationId, externalId, creatorId, ...content } }];
};

const revise = (command: CommandOf<'ReviseInstallation'>, state: ProjectState): readonly ProjectEvent[] => {
  const { projectId, generation, installationId, changes } = command;
  const { content: before, externalId } = knownInstallation(state, installationId);
  const after = contentOf({ ...before, ...changes });
  if (command.measured) throw new DomainError('INSTALLATION_MEASURED_UPDATE');
  if (after.organisation !== before.organisation) {
    if (command.providerMissing) throw new DomainError('PROVIDER_NOT_FOUND', { providerId: after.organisation });
    requireAssociation(state, projectId, after.organisation);
  }
  requireResource(command.resourceMissing, changes.resource);
  requireFreeName(state, command, after);
  requireSpace(state, known(after, externalId), known(before, externalId));
  const unchanged = JSON.stringify(after) === JSON.stringify(before);
  return unchanged ? [] : [{ type: 'InstallationRevised', data: { projectId, generation, installationId, ...after } }];
};

/** Whether any installation is of the provider. */
const hasInstallations = ({ installations }: ProjectState, providerId: string): boolean => {
  for (const { content } of installations.values()) if (content.organisation === providerId) return true;
  return false;
};

const decide = (command: ProjectCommand, latest: ProjectState): readonly ProjectEvent[] => {
  const { projectId, generation } = command;
  if (generation < latest.generation) throw new DomainError('PROJECT_NOT_FOUND', { projectId });
  const state = generation === latest.generation ? latest : emptyState(generation);
  switch (command.type) {
    case 'AssociateProvider': {
      const { providerId } = command;
      if (state.providers.has(providerId)) throw new DomainError('PROVIDER_ALREADY_ASSOCIATED', { projectId });
      requireRoom('providersPerProject', state.providers.size);
      return [{ type: 'ProviderAssociated', data: { projectId, generation, providerId } }];
    }
    case 'DissociateProvider': {
      const { providerId } = command;
      if (hasInstallations(state, providerId)) throw new DomainError('PROVIDER_HAS_INSTALLATIONS', { projectId, providerId });
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
  if (!before) return;
  state.names.delete(nameKey(before.content));
  state.installations.delete(installationId);
  state.size -= before.size;
};

const keep = (state: ProjectState, installationId: string, installation: KnownInstallation): void => {
  forget(state, installationId);
  state.installations.set(installationId, installation);
  state.names.set(nameKey(installation.content), installationId);
  state.size += installation.size;
};

const evolve = (latest: ProjectState, { type, data }: ProjectEvent): ProjectState => {
  const state = data.generation === latest.generation ? latest : emptyState(data.generation);
  switch (type) {
    case 'ProviderAssociated':
      state.providers.add(data.providerId);
      return state;
    case 'ProviderDissociated':
      state.providers.delete(data.providerId);
      return state;
    case 'InstallationCreated':
      keep(state, data.installationId, known(contentOf(data), data.externalId));
      return state;
    case 'InstallationRevised':
      keep(state, data.installationId, known(contentOf(data), state.installations.get(data.installationId)?.externalId ?? ''));
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
 * `EXTERNAL_ID_TAKEN`; at last `OVER_LIMIT`.
 */
export const projectContents: Decider<ProjectState, ProjectCommand, ProjectEvent> = {
  snapshots: { name: 'project', version: 1 },
  initialState: () => emptyState(0),
  decide,
  evolve,
};
