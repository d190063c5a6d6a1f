import { describe, it } from '@jest/globals';
import { CATALOGUE_STREAM, projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { type GivenEvent, projectionSpec } from '#test/support/projection-spec.js';
import { catalogueProjection } from './projection.js';

const given = projectionSpec(catalogueProjection);
const catalogued = (type: string, data: object): GivenEvent => ({ type, stream: CATALOGUE_STREAM, data });
const inProject = (type: string, data: object, generation = 1): GivenEvent => ({
  type,
  stream: projectStream('p'),
  data: { projectId: 'p', generation, ...data },
});
const order = (position: number): string => String(position).padStart(20, '0');

const values = { acronym: 'a', title: 't', start_date: '2030-01-01', end_date: '2031-01-01', call_identifier: 'c' };
const registered = catalogued('ProjectRegistered', { projectId: 'p', generation: 1, creatorId: 'me', ...values });
const deleted = catalogued('ProjectDeleted', { projectId: 'p' });
const shown = { name: 'n', website: null, abbreviation: null, logo: null };
const content = (organisation: string, more: object = {}) => ({
  organisation,
  infrastructure: 'i',
  installation: 'n',
  resource: null,
  unitOfAccess: null,
  ...more,
});
const created = (installationId: string, organisation: string, more: object = {}) =>
  inProject('InstallationCreated', { installationId, externalId: `e${installationId}`, creatorId: 'me', ...content(organisation, more) });

describe('providers and resources', () => {
  it('keep their position in the list when they are changed, and are found by both ids', () => {
    const provider = { id: 'q', ...shown, external_id: 'e', creator_id: 'me' };
    const second = { id: 'x/y', ...shown, name: 'new', external_id: null, creator_id: '' };
    given(
      catalogued('ProviderRegistered', { providerId: 'p', externalId: 'e', creatorId: 'me', ...shown, name: 'old' }),
      catalogued('CatalogueProviderImported', { providerId: 'x/y', ...shown }),
      catalogued('ProviderRevised', { providerId: 'p', newId: 'q', ...shown }),
      catalogued('CatalogueProviderImported', { providerId: 'x/y', ...shown, name: 'new' }),
      catalogued('ProviderRegistered', { providerId: 'z', externalId: 'f', creatorId: 'me', ...shown }),
      catalogued('ProviderDeleted', { providerId: 'z' }),
    ).then({
      providers: { q: provider, 'x%2Fy': second },
      'providers.ordered': { [order(10)]: provider, [order(20)]: second },
      'providers.by-external-id': { e: provider },
      'providers.orders': { q: order(10), 'x%2Fy': order(20) },
    });
  });

  it('are listed in order', () =>
    given(
      catalogued('ResourceRegistered', { resourceId: 'b', name: 'n' }),
      catalogued('ResourceRegistered', { resourceId: 'a', name: 'm' }),
      catalogued('ResourceDeleted', { resourceId: 'b' }),
    ).then({ resources: { a: order(20) }, 'resources.ordered': { [order(20)]: { id: 'a', name: 'm' } } }));
});

describe('projects', () => {
  const project = (position: number, more: object = {}) => ({ id: 'p', ...values, generation: 1, order: order(position), ...more });

  it('keep their position when they are changed', () => {
    const document = project(10, { title: 'new' });
    given(registered, catalogued('ProjectRevised', { projectId: 'p', ...values, title: 'new' })).then({
      projects: { p: document },
      'projects.ordered': { [order(10)]: document },
    });
  });

  it('have references for their associations and installations', () => {
    const refers = { project: 'p' };
    const events = [
      registered,
      inProject('ProviderAssociated', { providerId: 'a' }),
      inProject('ProviderAssociated', { providerId: 'b' }),
      inProject('ProviderAssociated', { providerId: '__proto__' }),
      created('1', 'a', { resource: 'r', unitOfAccess: 'd' }),
      created('2', 'a', { resource: 'r' }),
    ];
    const all = {
      'provider/a/p': refers,
      'provider/b/p': refers,
      'provider/__proto__/p': refers,
      'resource/r/p': refers,
      'definition/d/p': refers,
    };
    given(...events).thenCollections({ references: all });
    const { 'definition/d/p': _, ...left } = all;
    const fewer = inProject('InstallationDeleted', { installationId: '1' });
    given(...events, fewer).thenCollections({ references: left });
    const none = inProject('InstallationRevised', { installationId: '2', ...content('a') });
    const dissociated = inProject('ProviderDissociated', { providerId: 'b' });
    given(...events, fewer, none, dissociated).thenCollections({
      references: { 'provider/a/p': refers, 'provider/__proto__/p': refers },
      associations: {
        [`${order(10)}/${order(20)}`]: { project_id: 'p', provider_id: 'a' },
        [`${order(10)}/${order(40)}`]: { project_id: 'p', provider_id: '__proto__' },
      },
    });
    given(...events, deleted).thenCollections({ references: {}, associations: {}, 'projects.contents': {}, 'installations.ordered': {} });
  });

  it('have installations, which keep their position when they move to another provider', () => {
    const document = {
      id: '1',
      project: 'p',
      generation: 1,
      projectOrder: order(10),
      order: order(20),
      organisation: 'b',
      infrastructure: 'i',
      installation: 'm',
      resource: null,
      external_id: 'e1',
      unit_of_access: null,
      creator_id: 'me',
    };
    given(
      registered,
      created('1', 'a'),
      created('2', 'a'),
      inProject('InstallationRevised', { installationId: '1', ...content('b', { installation: 'm' }) }),
      inProject('InstallationDeleted', { installationId: '2' }),
    ).thenCollections({
      installations: { 1: document },
      'installations.by-external-id': { e1: '1' },
      'installations.ordered': { [`${order(10)}/${order(20)}`]: document },
      'installations.by-provider': { [`${order(10)}/b/${order(20)}`]: document },
    });
  });

  it('ignore events after their deletion, and start empty when they are registered again', () => {
    const again = catalogued('ProjectRegistered', { projectId: 'p', generation: 2, creatorId: 'me', ...values });
    const late = [inProject('ProviderAssociated', { providerId: 'a' }), created('1', 'a')];
    given(registered, deleted, ...late).then({});
    const document = project(30, { generation: 2 });
    given(registered, deleted, again, ...late, inProject('InstallationDeleted', { installationId: '1' })).then({
      projects: { p: document },
      'projects.ordered': { [order(30)]: document },
    });
  });
});
