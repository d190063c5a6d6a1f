import type { Installation, ProjectEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import { ACCOUNTING_LIMITS, overLimit, requireBytes, requireRoom, sizeOf } from '#domain/accounting/limits.js';
import {
  changeIn,
  decideReference,
  forgetReferences,
  keepReference,
  keepReopened,
  noReferences,
  type ReferenceCommand,
  type ReferenceState,
  requireClosed,
} from '#domain/accounting/references/reference-rules.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';

type OfProject = Readonly<{ projectId: string; generation: number }>;
type OfInstallation = OfProject & Readonly<{ installationId: string }>;
/** Ids of the caller's holds on the records to which the project will refer. */
type Holding = Readonly<{ holds?: readonly string[] }>;

/** Commands that change an installation to which metrics refer. `measured` is valid while `closing`, made before the lookup, is in force. */
export type InstallationChange =
  /** `measured`: the installation has metrics. `providerMissing`: the provider in `changes.organisation` does not exist. */
  | (Readonly<{
      type: 'ReviseInstallation';
      changes: Partial<Installation>;
      measured: boolean;
      providerMissing: boolean;
      resourceMissing: boolean;
      closing?: string;
    }> &
      OfInstallation &
      Holding)
  | (Readonly<{ type: 'DeleteInstallation'; measured: boolean; closing?: string }> & OfInstallation);

/**
 * `generation`: the project's generation in the read model when the command was made. A project that was deleted and registered again since starts
 * empty. The caller looks up facts of other streams in the read model and passes them as flags.
 */
export type ProjectCommand =
  | (Readonly<{ type: 'AssociateProvider'; providerId: string }> & OfProject & Holding)
  /** Ignored if the provider is not associated. */
  | (Readonly<{ type: 'DissociateProvider'; providerId: string }> & OfProject)
  /** `externalIdTaken`: the claim on the external id was refused. */
  | (Readonly<{
      type: 'CreateInstallation';
      externalId: string;
      creatorId: string;
      content: Installation;
      resourceMissing: boolean;
      externalIdTaken: boolean;
    }> &
      OfInstallation &
      Holding)
  | InstallationChange
  /** Records nothing. Rejects unless the installation exists, even if the read models do not show it yet. */
  | (Readonly<{ type: 'RequireInstallation' }> & OfInstallation)
  /** Rejects commands that rely on the hold from now on. Rejected if it is the id of an existing installation. */
  | Readonly<{ type: 'ForestallReference'; projectId: string; hold: string }>
  | (ReferenceCommand<'installation', InstallationChange> & OfProject);

/** `size`: bytes of its content and external id as compact JSON. */
type KnownInstallation = Readonly<{ content: Installation; externalId: string; size: number }>;

type ProjectState = {
  /** 0 before the first event. */
  readonly generation: number;
  readonly providers: Set<string>;
  readonly installations: Map<string, KnownInstallation>;
  /** Ids of installations by provider and name: several only if they were migrated. */
  readonly names: Map<string, string[]>;
  /** Total size of all installations. */
  size: number;
  readonly references: ReferenceState;
  /** Forestalled holds of all generations. */
  readonly forestalled: Set<string>;
};

const emptyState = (generation: number, forestalled = new Set<string>()): ProjectState => ({
  generation,
  providers: new Set(),
  installations: new Map(),
  names: new Map(),
  size: 0,
  references: noReferences(),
  forestalled,
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
  const holder = state.names.get(nameKey(content))?.find((id) => id !== installationId);
  if (holder === undefined) return;
  const { organisation, installation } = content;
  throw new DomainError('INSTALLATION_NAME_TAKEN', { projectId, providerId: organisation, name: installation, installationId: holder });
};

const known = (content: Installation, externalId: string): KnownInstallation => ({
  content,
  externalId,
  size: sizeOf({ ...content, externalId }),
});

/** Requires the installation not to be oversized, and the project to have room for its growth. @throws DomainError `OVER_LIMIT` */
const requireSpace = (state: ProjectState, after: KnownInstallation, before?: KnownInstallation): void => {
  requireBytes(after.size, before?.size);
  const growth = after.size - (before?.size ?? 0);
  if (growth > 0 && state.size + growth > ACCOUNTING_LIMITS.installationsSize.value) throw overLimit('installationsSize');
};

const requireResource = (resourceMissing: boolean, resourceId: string | null | undefined): void => {
  if (resourceMissing) throw new DomainError('RESOURCE_NOT_FOUND', { resourceId });
};

/** @throws DomainError `REFERENCE_FORESTALLED` */
const requireHeld = ({ forestalled }: ProjectState, holds: readonly string[] = []): void => {
  if (holds.some((hold) => forestalled.has(hold))) throw new DomainError('REFERENCE_FORESTALLED');
};

type CommandOf<Type> = Extract<ProjectCommand, { type: Type }>;

const create = (command: CommandOf<'CreateInstallation'>, state: ProjectState): readonly ProjectEvent[] => {
  const { projectId, generation, installationId, externalId, creatorId } = command;
  const content = contentOf(command.content);
  requireHeld(state, [installationId, ...(command.holds ?? [])]);
  requireAssociation(state, projectId, content.organisation);
  requireFreeName(state, command, content);
  requireResource(command.resourceMissing, content.resource);
  if (command.externalIdTaken) throw new DomainError('EXTERNAL_ID_TAKEN');
  requireRoom('installationsPerProject', state.installations.size);
  requireSpace(state, known(content, externalId));
  return [{ type: 'InstallationCreated', data: { projectId, generation, installationId, externalId, creatorId, ...content } }];
};

const revised = (command: CommandOf<'ReviseInstallation'>, state: ProjectState): readonly ProjectEvent[] => {
  const { projectId, generation, installationId, changes } = command;
  const { content: before, externalId } = knownInstallation(state, installationId);
  requireHeld(state, command.holds);
  const after = contentOf({ ...before, ...changes });
  if (command.measured) throw new DomainError('INSTALLATION_MEASURED_UPDATE');
  if (after.organisation !== before.organisation) {
    if (command.providerMissing) throw new DomainError('PROVIDER_NOT_FOUND', { providerId: after.organisation });
    requireAssociation(state, projectId, after.organisation);
  }
  requireResource(command.resourceMissing, changes.resource);
  if (nameKey(after) !== nameKey(before)) requireFreeName(state, command, after);
  requireSpace(state, known(after, externalId), known(before, externalId));
  const unchanged = JSON.stringify(after) === JSON.stringify(before);
  return unchanged ? [] : [{ type: 'InstallationRevised', data: { projectId, generation, installationId, ...after } }];
};

const hasInstallations = ({ installations }: ProjectState, providerId: string): boolean => {
  for (const { content } of installations.values()) if (content.organisation === providerId) return true;
  return false;
};

/** The events of a change, if its flags are still valid. */
const changed = (command: InstallationChange, state: ProjectState): readonly ProjectEvent[] => {
  if (command.type === 'ReviseInstallation') return revised(command, state);
  const { projectId, generation, installationId } = command;
  knownInstallation(state, installationId);
  if (command.measured) throw new DomainError('INSTALLATION_MEASURED_DELETE');
  return [{ type: 'InstallationDeleted', data: { projectId, generation, installationId } }];
};

const change = (command: InstallationChange, state: ProjectState): readonly ProjectEvent[] => {
  const events = changed(command, state);
  if (events.length > 0) requireClosed(state.references, command.installationId, command.closing);
  return events;
};

const associate = (command: CommandOf<'AssociateProvider'>, state: ProjectState): readonly ProjectEvent[] => {
  const { projectId, generation, providerId, holds } = command;
  requireHeld(state, holds);
  if (state.providers.has(providerId)) throw new DomainError('PROVIDER_ALREADY_ASSOCIATED', { projectId });
  requireRoom('providersPerProject', state.providers.size);
  return [{ type: 'ProviderAssociated', data: { projectId, generation, providerId } }];
};

const dissociate = (command: CommandOf<'DissociateProvider'>, state: ProjectState): readonly ProjectEvent[] => {
  const { projectId, generation, providerId } = command;
  if (hasInstallations(state, providerId)) throw new DomainError('PROVIDER_HAS_INSTALLATIONS', { projectId, providerId });
  return state.providers.has(providerId) ? [{ type: 'ProviderDissociated', data: { projectId, generation, providerId } }] : [];
};

const forestall = (command: CommandOf<'ForestallReference'>, state: ProjectState): readonly ProjectEvent[] => {
  const { projectId, hold } = command;
  const { generation } = state;
  if (state.installations.has(hold)) throw new DomainError('INSTALLATION_EXISTS');
  return state.forestalled.has(hold) ? [] : [{ type: 'ReferenceForestalled', data: { projectId, generation, hold } }];
};

const decide = (command: ProjectCommand, latest: ProjectState): readonly ProjectEvent[] => {
  if (command.type === 'ForestallReference') return forestall(command, latest);
  const { projectId, generation } = command;
  if (generation < latest.generation) throw new DomainError('PROJECT_NOT_FOUND', { projectId });
  const state = generation === latest.generation ? latest : emptyState(generation, latest.forestalled);
  switch (command.type) {
    case 'AssociateProvider':
      return associate(command, state);
    case 'DissociateProvider':
      return dissociate(command, state);
    case 'CreateInstallation':
      return create(command, state);
    case 'ReviseInstallation':
    case 'DeleteInstallation':
      return change(command, state);
    case 'RequireInstallation':
      knownInstallation(state, command.installationId);
      return [];
    default:
      return decideReference(command, {
        state: state.references,
        require: (id) => void knownInstallation(state, id),
        decideNext: (next) => changed(next, state),
        eventOf: (what, installationId, members) =>
          ({ type: `Installation${what}`, data: { projectId, generation, installationId, ...members } }) as ProjectEvent,
      });
  }
};

const forget = (state: ProjectState, installationId: string): void => {
  const before = state.installations.get(installationId);
  if (!before) return;
  const key = nameKey(before.content);
  const others = (state.names.get(key) ?? []).filter((id) => id !== installationId);
  if (others.length > 0) state.names.set(key, others);
  else state.names.delete(key);
  state.installations.delete(installationId);
  state.size -= before.size;
};

const keep = (state: ProjectState, installationId: string, installation: KnownInstallation): void => {
  forget(state, installationId);
  state.installations.set(installationId, installation);
  getOrInsert(state.names, nameKey(installation.content), () => []).push(installationId);
  state.size += installation.size;
};

const evolve = (latest: ProjectState, { type, data }: ProjectEvent): ProjectState => {
  const state = data.generation === latest.generation ? latest : emptyState(data.generation, latest.forestalled);
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
      keepReopened(state.references, data.installationId);
      return state;
    case 'InstallationDeleted':
      forget(state, data.installationId);
      forgetReferences(state.references, data.installationId);
      return state;
    case 'InstallationClosed':
    case 'InstallationReopened':
      keepReference(state.references, changeIn(type, 'Installation'), data.installationId, data);
      return state;
    case 'ReferenceForestalled':
      state.forestalled.add(data.hold);
      return state;
  }
};

/**
 * The rules inside one project (accounting contract 3.1, 3.3), checked in the order of the contract. Rejects with `PROJECT_NOT_FOUND` (the project
 * was deleted and registered again); `PROVIDER_ALREADY_ASSOCIATED`, `PROVIDER_HAS_INSTALLATIONS`; `INSTALLATION_NOT_FOUND`,
 * `INSTALLATION_MEASURED_UPDATE`, `INSTALLATION_MEASURED_DELETE`, `PROVIDER_NOT_FOUND`, `PROVIDER_NOT_ASSOCIATED`, `INSTALLATION_NAME_TAKEN`,
 * `RESOURCE_NOT_FOUND`, `EXTERNAL_ID_TAKEN` and, checked last, `OVER_LIMIT`.
 */
export const projectContents: Decider<ProjectState, ProjectCommand, ProjectEvent> = {
  snapshots: { name: 'project', version: 3 },
  initialState: () => emptyState(0),
  decide,
  evolve,
};
