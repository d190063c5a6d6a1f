import { requireRoom, requireSize } from '#domain/accounting/limits.js';
import {
  changeIn,
  decideReference,
  forgetReferences,
  keepReference,
  keepReopened,
  noReferences,
  type ReferenceCommand,
  requireClosed,
} from '#domain/accounting/references/reference-rules.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { CatalogueCommand, CatalogueState, KnownProvider, ProviderRegistration, ReferredChange } from './catalogue-commands.js';
import type { CatalogueEvent, Provider } from './catalogue-events.js';
import { decideProject, projectOf } from './project-registry.js';

export type { CatalogueCommand, CatalogueState, ProjectRegistration, ProviderRegistration } from './catalogue-commands.js';

const providerOf = ({ name, website, abbreviation, logo }: Provider): Provider => ({ name, website, abbreviation, logo });

const PROVIDER_MEMBERS = ['name', 'website', 'abbreviation', 'logo'] as const satisfies readonly (keyof Provider)[];
const sameProvider = (a: Provider, b: Provider): boolean => PROVIDER_MEMBERS.every((member) => a[member] === b[member]);

const knownProvider = (state: CatalogueState, providerId: string): KnownProvider => {
  const provider = state.providers.get(providerId);
  if (!provider) throw new DomainError('PROVIDER_NOT_FOUND', { providerId });
  return provider;
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

const registerResource = (
  { resourceId, name }: Extract<CatalogueCommand, { type: 'RegisterResource' }>,
  state: CatalogueState,
): readonly CatalogueEvent[] => {
  if (state.resources.has(resourceId)) throw new DomainError('RESOURCE_TAKEN', { resourceId });
  requireRoom('resources', state.resources.size);
  requireSize({ resourceId, name });
  return [{ type: 'ResourceRegistered', data: { resourceId, name } }];
};

const requireResource = ({ resources }: CatalogueState, resourceId: string): void => {
  if (!resources.has(resourceId)) throw new DomainError('RESOURCE_NOT_FOUND', { resourceId });
};

/** The events of a change, if its flag is still valid. */
const referredChange = (command: ReferredChange, state: CatalogueState): readonly CatalogueEvent[] => {
  switch (command.type) {
    case 'ReviseProvider':
      return reviseProvider(command, state);
    case 'DeleteProvider': {
      const { providerId, associated } = command;
      if (knownProvider(state, providerId).externalId === null) throw new DomainError('PROVIDER_OF_CATALOGUE_DELETE');
      if (associated) throw new DomainError('PROVIDER_ASSOCIATED_DELETE');
      return [{ type: 'ProviderDeleted', data: { providerId } }];
    }
    case 'DeleteResource': {
      const { resourceId, used } = command;
      requireResource(state, resourceId);
      if (used) throw new DomainError('RESOURCE_IN_USE');
      return [{ type: 'ResourceDeleted', data: { resourceId } }];
    }
  }
};

const changeReferred = (command: ReferredChange, state: CatalogueState): readonly CatalogueEvent[] => {
  const events = referredChange(command, state);
  const { provider, resource } = state.references;
  if (events.length === 0) return events;
  if (command.type === 'DeleteResource') requireClosed(resource, command.resourceId, command.closing);
  else requireClosed(provider, command.providerId, command.closing);
  return events;
};

const decideReferences = (
  command: ReferenceCommand<'provider' | 'resource', ReferredChange>,
  state: CatalogueState,
): readonly CatalogueEvent[] => {
  const decideNext = (next: ReferredChange): readonly CatalogueEvent[] => referredChange(next, state);
  if (command.kind === 'provider')
    return decideReference(command, {
      state: state.references.provider,
      require: (id) => void knownProvider(state, id),
      decideNext,
      eventOf: (change, providerId, members) => ({ type: `Provider${change}`, data: { providerId, ...members } }) as CatalogueEvent,
    });
  return decideReference(command, {
    state: state.references.resource,
    require: (id) => requireResource(state, id),
    decideNext,
    eventOf: (change, resourceId, members) => ({ type: `Resource${change}`, data: { resourceId, ...members } }) as CatalogueEvent,
  });
};

const decide = (command: CatalogueCommand, state: CatalogueState): readonly CatalogueEvent[] => {
  switch (command.type) {
    case 'RegisterProject':
    case 'AdoptProjects':
    case 'ReviseProject':
    case 'DeleteProject':
    case 'RequireProject':
      return decideProject(command, state);
    case 'RegisterProvider':
      return registerProvider(command.provider, state);
    case 'ImportProviders':
      return imported(command, state);
    case 'RegisterResource':
      return registerResource(command, state);
    case 'ReviseProvider':
    case 'DeleteProvider':
    case 'DeleteResource':
      return changeReferred(command, state);
    default:
      return decideReferences(command, state);
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
      if (newId === providerId) keepReopened(state.references.provider, providerId);
      else forgetReferences(state.references.provider, providerId);
      return state;
    }
    case 'ProviderDeleted':
      forget(state, event.data.providerId);
      forgetReferences(state.references.provider, event.data.providerId);
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
      forgetReferences(state.references.resource, event.data.resourceId);
      return state;
    case 'ProviderClosed':
    case 'ProviderReopened':
    case 'ProviderHeld':
    case 'ProviderReleased':
      keepReference(state.references.provider, changeIn(event.type, 'Provider'), event.data.providerId, event.data);
      return state;
    case 'ResourceClosed':
    case 'ResourceReopened':
    case 'ResourceHeld':
    case 'ResourceReleased':
      keepReference(state.references.resource, changeIn(event.type, 'Resource'), event.data.resourceId, event.data);
      return state;
  }
};

/**
 * The rules of projects, providers and resources (accounting contract 2.5, 2.6, 3.7, 3.8, 3.11), checked in the order of the contract. Rejects with
 * `PROJECT_OF_CATALOGUE`, `PROJECT_TAKEN`, `PROJECT_NOT_FOUND`; `PROVIDER_NOT_FOUND`, `PROVIDER_ID_TAKEN`, `PROVIDER_NAME_TAKEN`,
 * `EXTERNAL_ID_TAKEN`, `PROVIDER_OF_CATALOGUE_UPDATE`, `PROVIDER_ASSOCIATED_UPDATE`, the last two also with `_DELETE`; `RESOURCE_NOT_FOUND`,
 * `RESOURCE_TAKEN`, `RESOURCE_IN_USE` and, checked last, `OVER_LIMIT`.
 */
export const catalogue: Decider<CatalogueState, CatalogueCommand, CatalogueEvent> = {
  snapshots: { name: 'catalogue', version: 2 },
  initialState: () => ({
    projects: new Map(),
    generations: new Map(),
    providers: new Map(),
    names: new Map(),
    externalIds: new Set(),
    resources: new Set(),
    references: { provider: noReferences(), resource: noReferences() },
  }),
  decide,
  evolve,
};
