import { describe, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import type { ReferredChange } from './catalogue-commands.js';
import type { CatalogueEvent } from './catalogue-events.js';
import { catalogue } from './catalogue-rules.js';

const given = deciderSpec(catalogue);

const values = { acronym: 'a', title: 't', start_date: '2030-01-01', end_date: '2031-01-01', call_identifier: 'c' };
const project = (projectId: string) => ({ projectId, creatorId: 'me', ...values });
const registered = (projectId: string, generation = 1): CatalogueEvent => ({
  type: 'ProjectRegistered',
  data: { generation, ...project(projectId) },
});
const deleted = (projectId: string): CatalogueEvent => ({ type: 'ProjectDeleted', data: { projectId } });

const shown = (name: string) => ({ name, website: null, abbreviation: 'a', logo: null });
const local = (providerId: string, name = `name of ${providerId}`) => ({
  providerId,
  externalId: `external ${providerId}`,
  creatorId: 'me',
  ...shown(name),
});
const provided = (providerId: string, name?: string): CatalogueEvent => ({ type: 'ProviderRegistered', data: local(providerId, name) });
const entry = (providerId: string, name = `name of ${providerId}`) => ({ providerId, ...shown(name) });
const imported = (providerId: string, name?: string): CatalogueEvent => ({
  type: 'CatalogueProviderImported',
  data: entry(providerId, name),
});
const revise = (providerId: string, changes: object, associated = false) =>
  ({ type: 'ReviseProvider', providerId, changes, associated, closing: 'c' }) as const;

describe('projects', () => {
  const register = (projectId: string, known = false) => ({ type: 'RegisterProject', project: project(projectId), known }) as const;

  it('are registered once, unless the external catalogue contains them', () => {
    given().when(register('p')).then(registered('p'));
    given(registered('p')).when(register('p')).thenRejected('PROJECT_TAKEN', { projectId: 'p' });
    given(registered('p')).when(register('p', true)).thenRejected('PROJECT_OF_CATALOGUE', { projectId: 'p' });
  });

  it('get a new generation when they are registered again', () =>
    given(registered('p'), deleted('p')).when(register('p')).then(registered('p', 2)));

  it('are adopted once each, if they are new', () => {
    const projects = ['p', 'q', 'r', 'q'].map(project);
    given(registered('p'), registered('r'), deleted('r'))
      .when({ type: 'AdoptProjects', projects })
      .then(registered('q'), registered('r', 2));
  });

  it('change only the members that a revision contains', () => {
    const change = (changes: object) => ({ type: 'ReviseProject', projectId: 'p', changes }) as const;
    const revised = { projectId: 'p', ...values, title: 'new' };
    given(registered('p'))
      .when(change({ title: 'new' }))
      .then({ type: 'ProjectRevised', data: revised });
    given(registered('p'))
      .when(change({ title: 't' }))
      .then();
    given(registered('p'), deleted('p')).when(change({})).thenRejected('PROJECT_NOT_FOUND', { projectId: 'p' });
    given().when({ type: 'DeleteProject', projectId: 'p' }).thenRejected('PROJECT_NOT_FOUND', { projectId: 'p' });
    given(registered('p')).when({ type: 'DeleteProject', projectId: 'p' }).then(deleted('p'));
  });
});

const closed = (providerId: string): CatalogueEvent => ({ type: 'ProviderClosed', data: { providerId, closing: 'c' } });

describe('providers', () => {
  const register = (providerId: string, more: object = {}) =>
    ({ type: 'RegisterProvider', provider: { ...local(providerId), ...more } }) as const;

  it('have unique ids, names and external ids, checked in this order', () => {
    given().when(register('a')).then(provided('a'));
    given(provided('a')).when(register('a')).thenRejected('PROVIDER_ID_TAKEN', { providerId: 'a' });
    given(imported('a')).when(register('a')).thenRejected('PROVIDER_ID_TAKEN', { providerId: 'a' });
    const clash = { name: 'name of a', externalId: 'external a' };
    given(provided('a')).when(register('b', clash)).thenRejected('PROVIDER_NAME_TAKEN', { name: 'name of a' });
    given(imported('a')).when(register('b', clash)).thenRejected('PROVIDER_NAME_TAKEN', { name: 'name of a' });
    given(provided('a'))
      .when(register('b', { externalId: 'external a' }))
      .thenRejected('EXTERNAL_ID_TAKEN');
  });

  it('free their ids and names when they are renamed or deleted', () => {
    const renamed: CatalogueEvent = { type: 'ProviderRevised', data: { providerId: 'a', newId: 'c', ...shown('other') } };
    given(provided('a'), closed('a'))
      .when(revise('a', { newId: 'c', name: 'other' }))
      .then(renamed);
    given(provided('a'), renamed)
      .when(register('a', { externalId: 'new' }))
      .then({ type: 'ProviderRegistered', data: { ...local('a'), externalId: 'new' } });
    given(provided('a'), renamed).when(register('a')).thenRejected('EXTERNAL_ID_TAKEN');
    given(provided('a'), { type: 'ProviderDeleted', data: { providerId: 'a' } })
      .when(register('a'))
      .then(provided('a'));
  });

  it('are revised only if they were registered here and no project has them', () => {
    given(provided('a'), closed('a'))
      .when(revise('a', { logo: 'l' }))
      .then({ type: 'ProviderRevised', data: { providerId: 'a', ...shown('name of a'), logo: 'l' } });
    given(provided('a'))
      .when(revise('a', { name: 'name of a', newId: 'a' }))
      .then();
    given(provided('a'), imported('b'))
      .when(revise('a', { newId: 'b', name: 'name of b' }, true))
      .thenRejected('PROVIDER_ID_TAKEN');
    given(provided('a'), imported('b'))
      .when(revise('a', { name: 'name of b' }, true))
      .thenRejected('PROVIDER_NAME_TAKEN');
    given(provided('a'))
      .when(revise('a', {}, true))
      .thenRejected('PROVIDER_ASSOCIATED_UPDATE');
    given(imported('b'))
      .when(revise('b', {}, true))
      .thenRejected('PROVIDER_OF_CATALOGUE_UPDATE');
    given().when(revise('b', {})).thenRejected('PROVIDER_NOT_FOUND');
    const remove = (providerId: string, associated: boolean) => ({ type: 'DeleteProvider', providerId, associated, closing: 'c' }) as const;
    given(imported('b')).when(remove('b', true)).thenRejected('PROVIDER_OF_CATALOGUE_DELETE');
    given(provided('a')).when(remove('a', true)).thenRejected('PROVIDER_ASSOCIATED_DELETE');
    given(provided('a'), closed('a'))
      .when(remove('a', false))
      .then({ type: 'ProviderDeleted', data: { providerId: 'a' } });
    given().when(remove('a', false)).thenRejected('PROVIDER_NOT_FOUND');
  });

  it('are imported if they are new or changed; registered providers take precedence', () => {
    const providers = [entry('a'), entry('b'), entry('c'), entry('d', 'new'), entry('c')];
    given(provided('a'), imported('b'), imported('d'))
      .when({ type: 'ImportProviders', providers })
      .then(imported('c'), imported('d', 'new'));
  });

  it('may share a name if the external catalogue has it twice', () => {
    const shared = [provided('a', 'n'), imported('b', 'n')];
    given(...shared)
      .when(revise('a', { name: 'n' }))
      .then();
    given(...shared, imported('b', 'm'))
      .when(register('c', { name: 'n' }))
      .thenRejected('PROVIDER_NAME_TAKEN');
  });
});

it('resources are registered once, and deleted unless they are in use', () => {
  const resource = { resourceId: 'r', name: 'n' };
  const event: CatalogueEvent = { type: 'ResourceRegistered', data: resource };
  given()
    .when({ type: 'RegisterResource', ...resource })
    .then(event);
  given(event)
    .when({ type: 'RegisterResource', ...resource })
    .thenRejected('RESOURCE_TAKEN', { resourceId: 'r' });
  given().when({ type: 'DeleteResource', resourceId: 'r', used: true }).thenRejected('RESOURCE_NOT_FOUND', { resourceId: 'r' });
  given(event).when({ type: 'DeleteResource', resourceId: 'r', used: true }).thenRejected('RESOURCE_IN_USE');
  given(event, { type: 'ResourceClosed', data: { resourceId: 'r', closing: 'c' } })
    .when({ type: 'DeleteResource', resourceId: 'r', used: false, closing: 'c' })
    .then({ type: 'ResourceDeleted', data: { resourceId: 'r' } });
});

it.each([
  ['provider', 'Provider', { providerId: 'a' }, provided('a')],
  ['resource', 'Resource', { resourceId: 'a' }, { type: 'ResourceRegistered', data: { resourceId: 'a', name: 'n' } }],
] as const)('a %s is held while a reference to it is created, and closed while it is changed', (kind, prefix, named, known) => {
  const holder = { projectId: 'p' };
  const now = '2031-01-01T00:00:00.000Z';
  const hold = { type: 'HoldReference', kind, id: 'a', hold: 'h', holder, now } as const;
  const next: ReferredChange =
    kind === 'provider'
      ? { type: 'DeleteProvider', providerId: 'a', associated: false }
      : { type: 'DeleteResource', resourceId: 'a', used: false };
  const close = { type: 'CloseReferences', kind, id: 'a', closing: 'c', next } as const;
  const event = (change: string, data: object) => ({ type: `${prefix}${change}`, data: { ...named, ...data } }) as CatalogueEvent;
  const [held, shut] = [event('Held', { hold: 'h', holder, heldAt: now }), event('Closed', { closing: 'c' })];
  given(known).when(hold).then(held);
  given().when(hold).thenRejected(`${prefix.toUpperCase()}_NOT_FOUND`);
  given(known).when(close).then(shut);
  given(known, shut).when(hold).thenRejected('REFERENCES_CLOSED', { closing: 'c' });
  given(known, held, shut)
    .when({ ...next, closing: 'c' })
    .thenRejected('REFERENCES_HELD');
  given(known, held, shut, event('Released', { hold: 'h' }))
    .when({ ...next, closing: 'c' })
    .then(event('Deleted', {}));
  given(known, shut, event('Reopened', { closing: 'c' }))
    .when({ ...next, closing: 'c' })
    .thenRejected('CLOSING_LOST');
  // A record that is registered later with the same id starts without holds and closings.
  given(known, shut, event('Deleted', {}), known).when(hold).then(held);
});

it('a project must exist in the required generation', () => {
  const ask = (generation: number) => ({ type: 'RequireProject', projectId: 'p', generation }) as const;
  given(registered('p')).when(ask(1)).then();
  given(registered('p')).when(ask(2)).thenRejected('PROJECT_NOT_FOUND', { projectId: 'p' });
  given(registered('p'), deleted('p')).when(ask(1)).thenRejected('PROJECT_NOT_FOUND', { projectId: 'p' });
});
