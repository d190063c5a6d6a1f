import { describe, it } from '@jest/globals';
import { deciderSpec } from '../../../../test/support/decider-spec.js';
import { type TenantCommand, type TenantEvent, type TenantUser, tenants } from './tenants.js';

const given = deciderSpec(tenants);
const user = (userId: string, key: string): TenantUser => ({
  userId,
  name: `name ${userId}`,
  email: `${userId}@x`,
  apiKey: key,
  apiKeyHash: `hash of ${key}`,
  roles: ['admin'],
});
const topology = { type: 'GOCDB', feed: 'f' };
const register = (tenantId: string, name: string, ...users: TenantUser[]): TenantCommand => ({
  type: 'RegisterTenant',
  tenantId,
  info: { name, email: 'e', description: 'd', image: 'i', website: 'w' },
  databases: [],
  topology,
  users,
});
const registered = (tenantId: string, name: string): TenantEvent => ({
  type: 'TenantRegistered',
  data: { tenantId, name, description: 'd', image: 'i', website: 'w', email: 'e', topology, databases: [] },
});
const added = (tenantId: string, one: TenantUser): TenantEvent => ({ type: 'TenantUserAdded', data: { tenantId, ...one } });

describe('registration of tenants', () => {
  it('records the tenant, then its users in order', () =>
    given()
      .when(register('t1', 'EGI', user('u1', 'k1'), user('u2', 'k2')))
      .then(registered('t1', 'EGI'), added('t1', user('u1', 'k1')), added('t1', user('u2', 'k2'))));

  it('rejects a name in use, in this very spelling', () => {
    given(registered('t1', 'EGI')).when(register('t2', 'EGI')).thenRejected('TENANT_NAME_TAKEN');
    given(registered('t1', 'EGI')).when(register('t2', 'egi')).then(registered('t2', 'egi'));
  });

  it('rejects the first api key in use by a user of any tenant', () =>
    given(registered('t1', 'EGI'), added('t1', user('u1', 'k1')), added('t1', user('u2', 'k2')))
      .when(register('t2', 'EUDAT', user('u3', 'k3'), user('u4', 'k2'), user('u5', 'k1')))
      .thenRejected('API_KEY_TAKEN', { apiKey: 'k2' }));

  it('rejects an api key that the list itself has twice', () =>
    given()
      .when(register('t1', 'EGI', user('u1', 'k1'), user('u2', 'k1')))
      .thenRejected('API_KEY_TAKEN', { apiKey: 'k1' }));

  it('looks at the name before the keys', () =>
    given(registered('t1', 'EGI'), added('t1', user('u1', 'k1')))
      .when(register('t2', 'EGI', user('u2', 'k1')))
      .thenRejected('TENANT_NAME_TAKEN'));
});
