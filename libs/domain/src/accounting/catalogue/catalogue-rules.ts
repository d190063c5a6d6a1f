import { requireRoom, requireSize } from '#domain/accounting/limits.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { CatalogueEvent, Project, Provider } from './catalogue-events.js';

export type ProviderRegistration = Readonly<{ providerId: string; externalId: string; creatorId: string }> & Provider;
export type ProjectRegistration = Readonly<{ projectId: string; creatorId: string }> & Project;

export type CatalogueCommand =
  /** `known`: the external catalogue of projects has one of this id, asked when the command was made. */
  | Readonly<{ type: 'RegisterProject'; project: ProjectRegistration; known: boolean }>
  /** Those that are registered already, and repetitions in the list, are left out. */
  | Readonly<{ type: 'AdoptProjects'; projects: readonly ProjectRegistration[] }>
  | Readonly<{ type: 'ReviseProject'; projectId: string; changes: Partial<Project> }>
  | Readonly<{ type: 'DeleteProject'; projectId: string }>
  | Readonly<{ type: 'RegisterProvider'; provider: ProviderRegistration }>
  /** `associated`: some project has the provider, looked up in the read model when the command was made. */
  | Readonly<{
      type: 'ReviseProvider';
      providerId: string;
      changes: Partial<Provider> & Readonly<{ newId?: string }>;
      associated: boolean;
    }>
  | Readonly<{ type: 'DeleteProvider'; providerId: string; associated: boolean }>
  /** Leaves out entries whose id belongs to a registered provider, and entries that are stored already. */
  | Readonly<{ type: 'ImportProviders'; providers: readonly (Readonly<{ providerId: string }> & Provider)[] }>
  | Readonly<{ type: 'RegisterResource'; resourceId: string; name: string }>
  /** `used`: some installation refers to the resource, looked up in the read model when the command was made. */
  | Readonly<{ type: 'DeleteResource'; resourceId: string; used: boolean }>;

/** `externalId` is `null` for those of the external catalogue. */
type KnownProvider = Provider & Readonly<{ externalId: string | null }>;

export type CatalogueState = Readonly<{
  projects: Map<string, Project>;
  /** Number of registrations by project id. */
  generations: Map<string, number>;
  providers: Map<string, KnownProvider>;
  /** Number of providers by name: the external catalogue may bring a name that is in use. */
  names: Map<string, number>;
  externalIds: Set<string>;
  resources: Set<string>;
}>;

const projectOf = ({ acronym, title, start_date, end_date, call_identifier }: Project): Project => ({
  acronym,
  title,
  start_date,
  end_date,
  call_identifier,
});
const providerOf = ({ name, website, abbreviation, logo }: Provider): Provider => ({ name, website, abbreviation, logo });

const PROJECT_MEMBERS = ['acronym', 'title', 'start_date', 'end_date', 'call_identifier'] as const satisfies readonly (keyof Project)[];
const PROVIDER_MEMBERS = ['name', 'website', 'abbreviation', 'logo'] as const satisfies readonly (keyof Provider)[];
const sameProject = (a: Project, b: Project): boolean => PROJECT_MEMBERS.every((member) => a[member] === b[member]);
const sameProvider = (a: Provider, b: Provider): boolean => PROVIDER_MEMBERS.every((member) => a[member] === b[member]);

const knownProvider = (state: CatalogueState, providerId: string): KnownProvider => {
  const provider = state.providers.get(providerId);
  if (!provider) throw new DomainError('PROVIDER_NOT_FOUND', { providerId });
  return provider;
};

const registered = (state: CatalogueState, project: ProjectRegistration): CatalogueEvent => {
  const { projectId, creatorId } = project;
  const generation = (state.generations.get(projectId) ?? 0) + 1;
  return { type: 'ProjectRegistered', data: { projectId, generation, creatorId, ...projectOf(project) } };
};

const registerProvider = (provider: ProviderRegistration, state: CatalogueState): readonly CatalogueEvent[] => {
  const { providerId, externalId, creatorId } = provider;
  if (state.providers.has(providerId)) throw new DomainError('PROVIDER_ID_TAKEN', { providerId });
  if (state.names.has(provider.name)) throw new DomainError('PROVIDER_NAME_TAKEN', { name: provider.name });
  if (state.externalIds.has(externalId)) throw new DomainError('EXTERNAL_ID_TAKEN');
  requireSize({ providerId, externalId, ...providerOf(provider) });
  return [{ type: 'ProviderRegistered', data: { providerId, externalId, creatorId, ...providerOf(provider) } }];
};

const reviseProvider = (
  { providerId, changes, associated }: Extract<CatalogueCommand, { type: 'ReviseProvider' }>,
  state: CatalogueState,
): readonly CatalogueEvent[] => {
  const before = knownProvider(state, providerId);
  const { newId = providerId, ...members } = changes;
  const after = providerOf({ ...before, ...members });
  if (newId !== providerId && state.providers.has(newId)) throw new DomainError('PROVIDER_ID_TAKEN', { providerId: newId });
  if (after.name !== before.name && state.names.has(after.name)) throw new DomainError('PROVIDER_NAME_TAKEN', { name: after.name });
  if (before.externalId === null) throw new DomainError('PROVIDER_OF_CATALOGUE_UPDATE');
  if (associated) throw new DomainError('PROVIDER_ASSOCIATED_UPDATE');
  const { externalId } = before;
  requireSize({ providerId: newId, externalId, ...after }, { providerId, externalId, ...providerOf(before) });
  if (newId === providerId) return sameProvider(before, after) ? [] : [{ type: 'ProviderRevised', data: { providerId, ...after } }];
  return [{ type: 'ProviderRevised', data: { providerId, newId, ...after } }];
};

const imported = (
  { providers }: Extract<CatalogueCommand, { type: 'ImportProviders' }>,
  state: CatalogueState,
): readonly CatalogueEvent[] => {
  const byId = new Map(providers.map((provider) => [provider.providerId, provider]));
  return [...byId.values()].flatMap((provider): CatalogueEvent[] => {
    const known = state.providers.get(provider.providerId);
    if (known && (known.externalId !== null || sameProvider(known, provider))) return [];
    return [{ type: 'CatalogueProviderImported', data: { providerId: provider.providerId, ...providerOf(provider) } }];
  });
};

type ProjectCommand = Extract<CatalogueCommand, { type: 'RegisterProject' | 'AdoptProjects' | 'ReviseProject' | 'DeleteProject' }>;

const decideProject = (command: ProjectCommand, state: CatalogueState): readonly CatalogueEvent[] => {
  switch (command.type) {
    case 'RegisterProject': {
      const { projectId } = command.project;
      if (command.known) throw new DomainError('PROJECT_OF_CATALOGUE', { projectId });
      if (state.projects.has(projectId)) throw new DomainError('PROJECT_TAKEN', { projectId });
      requireSize({ projectId, ...projectOf(command.project) });
      return [registered(state, command.project)];
    }
    case 'AdoptProjects': {
      const byId = new Map(command.projects.map((project) => [project.projectId, project]));
      return [...byId.values()].filter(({ projectId }) => !state.projects.has(projectId)).map((project) => registered(state, project));
    }
    case 'ReviseProject': {
      const { projectId, changes } = command;
      const before = state.projects.get(projectId);
      if (!before) throw new DomainError('PROJECT_NOT_FOUND', { projectId });
      const after = projectOf({ ...before, ...changes });
      requireSize({ projectId, ...after }, { projectId, ...before });
      return sameProject(before, after) ? [] : [{ type: 'ProjectRevised', data: { projectId, ...after } }];
    }
    case 'DeleteProject': {
      const { projectId } = command;
      if (!state.projects.has(projectId)) throw new DomainError('PROJECT_NOT_FOUND', { projectId });
      return [{ type: 'ProjectDeleted', data: { projectId } }];
    }
  }
};

type ResourceCommand = Extract<CatalogueCommand, { type: 'RegisterResource' | 'DeleteResource' }>;

const decideResource = (command: ResourceCommand, state: CatalogueState): readonly CatalogueEvent[] => {
  const { resourceId } = command;
  if (command.type === 'RegisterResource') {
    const { name } = command;
    if (state.resources.has(resourceId)) throw new DomainError('RESOURCE_TAKEN', { resourceId });
    requireRoom('resources', state.resources.size);
    requireSize({ resourceId, name });
    return [{ type: 'ResourceRegistered', data: { resourceId, name } }];
  }
  if (!state.resources.has(resourceId)) throw new DomainError('RESOURCE_NOT_FOUND', { resourceId });
  if (command.used) throw new DomainError('RESOURCE_IN_USE');
  return [{ type: 'ResourceDeleted', data: { resourceId } }];
};

const deleteProvider = (
  { providerId, associated }: Extract<CatalogueCommand, { type: 'DeleteProvider' }>,
  state: CatalogueState,
): readonly CatalogueEvent[] => {
  if (knownProvider(state, providerId).externalId === null) throw new DomainError('PROVIDER_OF_CATALOGUE_DELETE');
  if (associated) throw new DomainError('PROVIDER_ASSOCIATED_DELETE');
  return [{ type: 'ProviderDeleted', data: { providerId } }];
};

const decide = (command: CatalogueCommand, state: CatalogueState): readonly CatalogueEvent[] => {
  switch (command.type) {
    case 'RegisterProject':
    case 'AdoptProjects':
    case 'ReviseProject':
    case 'DeleteProject':
      return decideProject(command, state);
    case 'RegisterProvider':
      return registerProvider(command.provider, state);
    case 'ReviseProvider':
      return reviseProvider(command, state);
    case 'DeleteProvider':
      return deleteProvider(command, state);
    case 'ImportProviders':
      return imported(command, state);
    case 'RegisterResource':
    case 'DeleteResource':
      return decideResource(command, state);
  }
};

const forget = (state: CatalogueState, providerId: string): KnownProvider | undefined => {
  const provider = state.providers.get(providerId);
  if (!provider) return undefined;
  const holders = (state.names.get(provider.name) ?? 0) - 1;
  if (holders > 0) state.names.set(provider.name, holders);
  else state.names.delete(provider.name);
  if (provider.externalId !== null) state.externalIds.delete(provider.externalId);
  state.providers.delete(providerId);
  return provider;
};

const keep = (state: CatalogueState, providerId: string, provider: Provider, externalId: string | null): void => {
  state.names.set(provider.name, (state.names.get(provider.name) ?? 0) + 1);
  if (externalId !== null) state.externalIds.add(externalId);
  state.providers.set(providerId, { ...providerOf(provider), externalId });
};

const evolve = (state: CatalogueState, event: CatalogueEvent): CatalogueState => {
  switch (event.type) {
    case 'ProjectRegistered':
      state.projects.set(event.data.projectId, projectOf(event.data));
      state.generations.set(event.data.projectId, event.data.generation);
      return state;
    case 'ProjectRevised':
      state.projects.set(event.data.projectId, projectOf(event.data));
      return state;
    case 'ProjectDeleted':
      state.projects.delete(event.data.projectId);
      return state;
    case 'ProviderRegistered':
      keep(state, event.data.providerId, event.data, event.data.externalId);
      return state;
    case 'ProviderRevised': {
      const { providerId, newId = providerId } = event.data;
      const before = forget(state, providerId);
      keep(state, newId, event.data, before?.externalId ?? null);
      return state;
    }
    case 'ProviderDeleted':
      forget(state, event.data.providerId);
      return state;
    case 'CatalogueProviderImported':
      forget(state, event.data.providerId);
      keep(state, event.data.providerId, event.data, null);
      return state;
    case 'ResourceRegistered':
      state.resources.add(event.data.resourceId);
      return state;
    case 'ResourceDeleted':
      state.resources.delete(event.data.resourceId);
      return state;
  }
};

/**
 * The rules of projects, providers and resources (accounting contract 2.5, 2.6, 3.7, 3.8, 3.11), each in the order of the contract:
 * `PROJECT_OF_CATALOGUE`, `PROJECT_TAKEN`, `PROJECT_NOT_FOUND`; `PROVIDER_NOT_FOUND`, `PROVIDER_ID_TAKEN`, `PROVIDER_NAME_TAKEN`,
 * `EXTERNAL_ID_TAKEN`, `PROVIDER_OF_CATALOGUE_UPDATE`, `PROVIDER_ASSOCIATED_UPDATE`, and both with `_DELETE`; `RESOURCE_NOT_FOUND`, `RESOURCE_TAKEN`,
 * `RESOURCE_IN_USE`; at last `OVER_LIMIT`.
 */
export const catalogue: Decider<CatalogueState, CatalogueCommand, CatalogueEvent> = {
  snapshots: { name: 'catalogue', version: 1 },
  initialState: () => ({
    projects: new Map(),
    generations: new Map(),
    providers: new Map(),
    names: new Map(),
    externalIds: new Set(),
    resources: new Set(),
  }),
  decide,
  evolve,
};
