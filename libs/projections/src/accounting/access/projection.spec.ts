import { describe, it } from '@jest/globals';
import { actorIdOf } from '#domain/accounting/access/clients.js';
import { projectionSpec } from '#test/support/projection-spec.js';
import { accessProjection } from './projection.js';

const given = projectionSpec(accessProjection);
const place = (position: number): string => `${position}`.padStart(20, '0');
const at = (time: string) => ({ metadata: { time } });

const registered = (actorId: string, more: object = {}) => ({
  type: 'ClientRegistered',
  data: { actorId, oidcId: `oidc-${actorId}`, issuer: 'i', name: 'n', email: 'e' },
  ...more,
});
const created = (entitlementId: string) => ({ type: 'EntitlementCreated', data: { entitlementId, name: `name ${entitlementId}` } });
const assigned = (entitlementId: string, actorId: string) => ({
  type: 'EntitlementAssigned',
  data: { assignmentId: `${entitlementId}-${actorId}`, entitlementId, actorId },
});
const DEFAULT_TIME = '2024-01-02T03:04:05.678';

describe('clients', () => {
  it('are shown in the order of registration, with times without time zone and zero fraction', () =>
    given(
      registered('b', at('2031-05-04T10:11:12.345Z')),
      registered('a', at('2031-05-04T10:11:12.000Z')),
      registered('c', { data: { actorId: 'c', oidcId: 'o', issuer: 'i', name: null, email: null } }),
    ).then({
      actors: {
        [place(10)]: { id: 'b', oidc_id: 'oidc-b', name: 'n', email: 'e', registered_on: '2031-05-04T10:11:12.345', issuer: 'i' },
        [place(20)]: { id: 'a', oidc_id: 'oidc-a', name: 'n', email: 'e', registered_on: '2031-05-04T10:11:12', issuer: 'i' },
        [place(30)]: { id: 'c', oidc_id: 'o', name: '', email: '', registered_on: DEFAULT_TIME, issuer: 'i' },
      },
      holders: { a: { place: place(20), assigned: [] }, b: { place: place(10), assigned: [] }, c: { place: place(30), assigned: [] } },
      'brought-over': {
        [actorIdOf('i', 'oidc-b')]: { actorId: 'b' },
        [actorIdOf('i', 'oidc-a')]: { actorId: 'a' },
        [actorIdOf('i', 'o')]: { actorId: 'c' },
      },
    }));

  it('are found by the id derived from their claims, even if they were migrated with another one', () => {
    const own = actorIdOf('i', 'o');
    given(registered(own, { data: { ...registered(own).data, oidcId: 'o' } }), registered('a')).thenCollections({
      'brought-over': { [actorIdOf('i', 'oidc-a')]: { actorId: 'a' } },
    });
  });

  it('hold entitlements from their assignment to their dissociation', () =>
    given(registered('a'), created('1'), created('2'), assigned('2', 'a'), assigned('1', 'a'), {
      type: 'EntitlementDissociated',
      data: { assignmentId: '2-a', entitlementId: '2', actorId: 'a' },
    }).thenCollections({
      holders: { a: { place: place(10), assigned: [{ entitlementId: '1', place: place(50) }] } },
      assignments: { [place(50)]: { id: '1-a', actor_id: 'a', entitlement_id: '1', assigned_at: DEFAULT_TIME } },
    }));
});

describe('entitlements', () => {
  const view = (id: string, name: string) => ({ id, name, registered_on: DEFAULT_TIME });

  it('keep their place when they are renamed, and are removed when they are deleted', () =>
    given(
      created('2'),
      created('1'),
      created('3'),
      { type: 'EntitlementRenamed', data: { entitlementId: '2', name: 'new' } },
      {
        type: 'EntitlementDeleted',
        data: { entitlementId: '3' },
      },
    ).then({
      entitlements: { [place(10)]: view('2', 'new'), [place(20)]: view('1', 'name 1') },
      'entitlements-by-id': {
        1: { place: place(20), view: view('1', 'name 1') },
        2: { place: place(10), view: view('2', 'new') },
      },
    }));
});

describe('OIDC tenants and settings', () => {
  const tenant = (client_id: string) => ({
    issuer: 'https://i',
    tenant_id: 't',
    client_id,
    secret: 'confidential',
    authorization_path: 'a',
    introspection_path: 'i',
    user_info_path: 'u',
    token_path: 't',
    auth_server_url: 'x',
    user_id_token_claim: 'voperson_id',
    service_id_token_claim: 'azp',
    group_management_namespace: 'n',
    group_management_parent: 'p',
    entitlement_management: 'oidc',
  });
  const made = (oidcTenantId: string, type = 'OidcTenantCreated', client = 'c') => ({ type, data: { oidcTenantId, ...tenant(client) } });
  const access = {
    id: '1',
    issuer: 'https://i',
    userClaim: 'voperson_id',
    serviceClaim: 'azp',
    namespace: 'n',
    parent: 'p',
    entitlementManagement: 'oidc',
  };

  it('are stored without the secret', () => {
    const view = { id: '1', ...tenant('d'), secret: '********' };
    given(made('1'), made('1', 'OidcTenantRevised', 'd')).then({
      'oidc-tenants': { [place(10)]: view },
      'oidc-tenants-by-id': { 1: { place: place(10), view } },
      configuration: { configuration: { settings: {}, tenants: [access] } },
    });
  });

  it('change independently of each other', () =>
    given(
      made('1'),
      { type: 'SettingChanged', data: { key: 'k', value: 'v' } },
      made('2'),
      { type: 'OidcTenantDeleted', data: { oidcTenantId: '1' } },
      { type: 'SettingChanged', data: { key: 'k', value: 'w' } },
    ).thenCollections({
      configuration: { configuration: { settings: { k: 'w' }, tenants: [{ ...access, id: '2' }] } },
      'oidc-tenants': { [place(30)]: { id: '2', ...tenant('c'), secret: '********' } },
    }));
});
