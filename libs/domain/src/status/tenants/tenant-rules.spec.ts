import { describe, expect, it } from '@jest/globals';
import { limitText } from '#domain/status/limits.js';
import { deciderSpec } from '#test/support/decider-spec.js';
import { type EngineStatus, isAllWell, unknownEngineStatus } from './engine-status.js';
import { tenants } from './tenant-rules.js';
import { type TenantCommand, type TenantEvent, type TenantUser, tenantEvents } from './tenants.js';

const given = deciderSpec(tenants);
const key = (apiKey: string) => ({ apiKey, apiKeyHash: `hash of ${apiKey}` });
const user = (userId: string, apiKey: string, name = `name ${userId}`): TenantUser => ({
  userId,
  name,
  email: `${userId}@x`,
  roles: ['admin'],
  ...key(apiKey),
});
const topology = { type: 'GOCDB', feed: 'f' };
const info = (name: string) => ({ name, email: 'e', description: 'd', image: 'i', website: 'w' });
const content = (tenantId: string, name: string, users: readonly TenantUser[]) => ({
  tenantId,
  info: info(name),
  databases: [],
  topology,
  users,
});
const register = (tenantId: string, name: string, ...users: TenantUser[]): TenantCommand => ({
  type: 'RegisterTenant',
  ...content(tenantId, name, users),
});
const revise = (tenantId: string, name: string, ...users: TenantUser[]): TenantCommand => ({
  type: 'ReviseTenant',
  ...content(tenantId, name, users),
});
const reviseUser = (changes: object, apiKey?: string, userId = 'u1'): TenantCommand => ({
  type: 'ReviseTenantUser',
  tenantId: 't1',
  userId,
  changes: { name: '', email: '', roles: [], ...changes },
  ...(apiKey === undefined ? {} : { key: key(apiKey) }),
});

const data = (tenantId: string, name: string) => ({ tenantId, ...info(name), topology, databases: [] });
const registered = (tenantId: string, name: string): TenantEvent => ({ type: 'TenantRegistered', data: data(tenantId, name) });
const revised = (tenantId: string, name: string, ...userIds: string[]): TenantEvent => ({
  type: 'TenantRevised',
  data: { ...data(tenantId, name), userIds },
});
const deleted = (tenantId: string, ...userIds: string[]): TenantEvent => ({ type: 'TenantDeleted', data: { tenantId, userIds } });
const added = (tenantId: string, one: TenantUser): TenantEvent => ({ type: 'TenantUserAdded', data: { tenantId, ...one } });
const removed = (tenantId: string, userId: string): TenantEvent => ({ type: 'TenantUserRemoved', data: { tenantId, userId } });
const userRevised = (userId: string, changes: object = {}): TenantEvent => ({
  type: 'TenantUserRevised',
  data: { tenantId: 't1', userId, name: `name ${userId}`, email: `${userId}@x`, roles: ['admin'], ...changes },
});
const renewed = (userId: string, apiKey: string): TenantEvent => ({
  type: 'TenantUserKeyRenewed',
  data: { tenantId: 't1', userId, ...key(apiKey) },
});
const reported = (status: EngineStatus): TenantEvent => ({ type: 'TenantEngineStatusReported', data: { tenantId: 't1', status } });

/** Two tenants: the first with two users. */
const scene = [
  registered('t1', 'EGI'),
  added('t1', user('u1', 'k1')),
  added('t1', user('u2', 'k2')),
  registered('t2', 'EUDAT'),
  added('t2', user('u3', 'k3')),
];

describe('the registration of a tenant', () => {
  it('records the tenant, then its users in order', () =>
    given()
      .when(register('t1', 'EGI', user('u1', 'k1'), user('u2', 'k2')))
      .then(registered('t1', 'EGI'), added('t1', user('u1', 'k1')), added('t1', user('u2', 'k2'))));

  it('is rejected for a name in use, compared exactly', () => {
    given(...scene)
      .when(register('t3', 'EGI'))
      .thenRejected('TENANT_NAME_TAKEN');
    given(...scene)
      .when(register('t3', 'egi'))
      .then(registered('t3', 'egi'));
  });

  it('is rejected for the first user of the list whose key is repeated in the list or used in any tenant', () => {
    for (const [keys, apiKey] of [
      [['n', 'k3', 'k1'], 'k3'],
      [['n', 'n'], 'n'],
      [['n', 'm', 'n', 'm'], 'n'],
      [['n', 'k1', 'n'], 'n'],
      [['k1', 'n', 'n'], 'k1'],
    ] as const)
      given(...scene)
        .when(register('t3', 'new', ...keys.map((one, index) => user(`n${index}`, one))))
        .thenRejected('API_KEY_TAKEN', { apiKey });
  });

  it('checks the name before the keys', () =>
    given(...scene)
      .when(register('t3', 'EGI', user('n', 'k1')))
      .thenRejected('TENANT_NAME_TAKEN'));
});

describe('the revision of a tenant', () => {
  it('matches users by their keys: it keeps, revises, removes and adds users, in the order of the list', () =>
    given(...scene)
      .when(revise('t1', 'EGI 2', user('n1', 'k9'), user('n2', 'k2', 'renamed')))
      .then(
        removed('t1', 'u1'),
        added('t1', user('n1', 'k9')),
        userRevised('u2', { name: 'renamed', email: 'n2@x' }),
        revised('t1', 'EGI 2', 'n1', 'u2'),
      ));

  it('records nothing about unchanged users', () =>
    given(...scene)
      .when(revise('t1', 'EGI', { ...user('u2', 'k2'), userId: 'n1' }, { ...user('u1', 'k1'), userId: 'n2' }))
      .then(revised('t1', 'EGI', 'u2', 'u1')));

  it('clears what the list leaves empty', () =>
    given(...scene)
      .when(revise('t2', 'EUDAT', { userId: 'n', name: '', email: '', roles: [], ...key('k3') }))
      .then(
        { type: 'TenantUserRevised', data: { tenantId: 't2', userId: 'u3', name: '', email: '', roles: [] } },
        revised('t2', 'EUDAT', 'u3'),
      ));

  it('is rejected for an unknown tenant first, then for keys of others and repeated keys, then for a new name in use', () => {
    const bad = [user('n', 'k3')];
    given(...scene)
      .when(revise('t9', 'EUDAT', ...bad))
      .thenRejected('TENANT_NOT_FOUND');
    given(...scene)
      .when(revise('t1', 'EUDAT', ...bad))
      .thenRejected('API_KEY_TAKEN', { apiKey: 'k3' });
    given(...scene)
      .when(revise('t1', 'EUDAT', user('n', 'k1'), user('m', 'k1')))
      .thenRejected('API_KEY_TAKEN', { apiKey: 'k1' });
    given(...scene)
      .when(revise('t1', 'EUDAT'))
      .thenRejected('TENANT_NAME_TAKEN');
  });

  it('frees the old name and the keys of removed users', () =>
    given(...scene, removed('t1', 'u1'), revised('t1', 'EGI 2', 'u2'))
      .when(register('t3', 'EGI', user('n', 'k1')))
      .then(registered('t3', 'EGI'), added('t3', user('n', 'k1'))));
});

describe('the deletion of a tenant', () => {
  it('lists its users, and frees their keys and the name of the tenant', () => {
    given(...scene)
      .when({ type: 'DeleteTenant', tenantId: 't1' })
      .then(deleted('t1', 'u1', 'u2'));
    given(...scene, deleted('t1', 'u1', 'u2'))
      .when(register('t3', 'EGI', user('n', 'k1'), user('m', 'k2')))
      .then(registered('t3', 'EGI'), added('t3', user('n', 'k1')), added('t3', user('m', 'k2')));
  });

  it('leaves nothing to require, revise, delete or report on', () => {
    given(...scene)
      .when({ type: 'RequireTenant', tenantId: 't1' })
      .then();
    for (const command of [
      { type: 'RequireTenant', tenantId: 't1' },
      { type: 'DeleteTenant', tenantId: 't1' },
      revise('t1', 'EGI'),
      { type: 'AddTenantUser', tenantId: 't1', user: user('n', 'k9') },
      reviseUser({}),
      { type: 'RemoveTenantUser', tenantId: 't1', userId: 'u1' },
      { type: 'RenewTenantUserKey', tenantId: 't1', userId: 'u1', key: key('k9') },
      { type: 'ReportTenantEngineStatus', tenantId: 't1', status: unknownEngineStatus },
    ] satisfies TenantCommand[])
      given(...scene, deleted('t1', 'u1', 'u2'))
        .when(command)
        .thenRejected('TENANT_NOT_FOUND');
  });
});

describe('users of a tenant', () => {
  it('are added with unused keys', () => {
    given(...scene)
      .when({ type: 'AddTenantUser', tenantId: 't1', user: user('n', 'k9') })
      .then(added('t1', user('n', 'k9')));
    given(...scene)
      .when({ type: 'AddTenantUser', tenantId: 't1', user: user('n', 'k3') })
      .thenRejected('API_KEY_TAKEN', { apiKey: 'k3' });
  });

  it('are revised in members that are not empty; an empty change is recorded, too', () => {
    given(...scene)
      .when(reviseUser({ name: 'new' }))
      .then(userRevised('u1', { name: 'new' }));
    given(...scene)
      .when(reviseUser({ email: 'new', roles: ['viewer'] }))
      .then(userRevised('u1', { email: 'new', roles: ['viewer'] }));
    given(...scene)
      .when(reviseUser({}))
      .then(userRevised('u1'));
  });

  it('may choose a free key; their own key changes nothing', () => {
    given(...scene)
      .when(reviseUser({}, 'k9'))
      .then(userRevised('u1'), renewed('u1', 'k9'));
    given(...scene)
      .when(reviseUser({}, 'k1'))
      .then(userRevised('u1'));
    for (const apiKey of ['k2', 'k3'])
      given(...scene)
        .when(reviseUser({}, apiKey))
        .thenRejected('API_KEY_TAKEN', { apiKey });
    given(...scene, renewed('u1', 'k9'))
      .when(reviseUser({}, 'k1', 'u2'))
      .then(userRevised('u2'), renewed('u2', 'k1'));
  });

  it('count with their keys, however long these are', () => {
    const long = (letter: string) => letter.repeat(700_000);
    const another = reviseUser({}, long('b'), 'u2');
    for (const events of [[renewed('u1', long('a'))], [renewed('u1', long('a')), userRevised('u1')]])
      given(...scene, ...events)
        .when(another)
        .thenRejected('OVER_LIMIT', { text: limitText('tenantSize') });
    given(...scene, renewed('u1', long('a')), renewed('u1', 'k9'))
      .when(another)
      .then(userRevised('u2'), renewed('u2', long('b')));
  });

  it('belong to their tenant only', () => {
    for (const command of [
      reviseUser({}, 'k3', 'u3'),
      { type: 'RemoveTenantUser', tenantId: 't1', userId: 'u3' },
      { type: 'RenewTenantUserKey', tenantId: 't1', userId: 'u3', key: key('k9') },
    ] satisfies TenantCommand[])
      given(...scene)
        .when(command)
        .thenRejected('TENANT_USER_NOT_FOUND');
  });

  it('can be removed once', () => {
    const remove: TenantCommand = { type: 'RemoveTenantUser', tenantId: 't1', userId: 'u1' };
    given(...scene)
      .when(remove)
      .then(removed('t1', 'u1'));
    given(...scene, removed('t1', 'u1'))
      .when(remove)
      .thenRejected('TENANT_USER_NOT_FOUND');
  });

  it('get new keys, which frees the old ones', () => {
    const renew: TenantCommand = { type: 'RenewTenantUserKey', tenantId: 't1', userId: 'u1', key: key('k9') };
    given(...scene)
      .when(renew)
      .then(renewed('u1', 'k9'));
    given(...scene, renewed('u1', 'k9'))
      .when({ type: 'AddTenantUser', tenantId: 't2', user: user('n', 'k1') })
      .then(added('t2', user('n', 'k1')));
  });
});

describe('engine status', () => {
  const node = { ingestion: true, publishing: true, status_streaming: true, messages_arrived: '0' };
  const well: EngineStatus = {
    ams: { metric_data: node, sync_data: node },
    hdfs: { metric_data: true, sync_data: { Critical: { downtimes: true, 'any name': true }, empty: {} } },
    engine_config: true,
    last_check: '',
  };

  it('is recorded for existing tenants', () =>
    given(...scene)
      .when({ type: 'ReportTenantEngineStatus', tenantId: 't1', status: well })
      .then(reported(well)));

  it('is healthy if every boolean is true', () => {
    expect(isAllWell(unknownEngineStatus)).toBe(false);
    expect(isAllWell(well)).toBe(true);
    expect(isAllWell({ ...well, hdfs: { metric_data: true, sync_data: {} } })).toBe(true);
    for (const broken of [
      { ...well, engine_config: false },
      { ...well, hdfs: { ...well.hdfs, metric_data: false } },
      { ...well, hdfs: { ...well.hdfs, sync_data: { ...well.hdfs.sync_data, other: { weights: false } } } },
      ...(['ingestion', 'publishing', 'status_streaming'] as const).flatMap((member) => [
        { ...well, ams: { metric_data: node, sync_data: { ...node, [member]: false } } },
        { ...well, ams: { metric_data: { ...node, [member]: false }, sync_data: node } },
      ]),
    ])
      expect(isAllWell(broken)).toBe(false);
  });
});

it('tenants name the subjects whose keys are destroyed with tenants and users', () => {
  expect(tenantEvents.TenantUserRemoved?.forgets?.({ tenantId: 't1', userId: 'u1' })).toEqual(['user-u1']);
  expect(tenantEvents.TenantDeleted?.forgets?.({ tenantId: 't1', userIds: ['u1', 'u2'] })).toEqual(['tenant-t1', 'user-u1', 'user-u2']);
});

it('tenants can be changed when the data of removed users is no longer readable', () => {
  const forgotten = { ...user('u1', 'k1'), ...(JSON.parse('{ "name": null, "email": null, "apiKey": null }') as Partial<TenantUser>) };
  given(registered('t1', 'EGI'), added('t1', forgotten), removed('t1', 'u1')).when(revise('t1', 'EGI')).then(revised('t1', 'EGI'));
});
