import { describe, expect, it } from '@jest/globals';
import { unknownEngineStatus } from '#domain/status/tenants/engine-status.js';
import { projectionSpec } from '#test/support/projection-spec.js';
import { engineStatusText } from './engine-status.js';
import { tenantsProjection } from './projection.js';

const given = projectionSpec(tenantsProjection);

const database = { store: 'ar', server: 's', port: 1, database: 'd', username: 'u', password: 'p' };
const content = (tenantId: string, name: string) => ({
  tenantId,
  name,
  email: 'e',
  description: 'd',
  image: 'i',
  website: 'w',
  topology: { type: 'T', feed: 'f' },
  databases: [database],
});
const registered = (tenantId = 't1', name = 'EGI') => ({ type: 'TenantRegistered', data: content(tenantId, name) });
const added = (userId: string, tenantId = 't1') => ({
  type: 'TenantUserAdded',
  data: { tenantId, userId, name: 'n', email: 'm', roles: ['admin'], apiKey: `key ${userId}`, apiKeyHash: `hash ${userId}` },
});
const later = { metadata: { time: '2025-12-31T23:59:59.999Z' } };

const user = (id: string, changes: object = {}) => ({
  id,
  name: 'n',
  email: 'm',
  api_key: `key ${id}`,
  roles: ['admin'],
  key_hash: `hash ${id}`,
  ...changes,
});
const FIRST = '2024-01-02 03:04:05';
const LAST = '2025-12-31 23:59:59';
const tenant = (users: readonly object[], { updated = LAST, name = 'EGI', id = 't1', order = 10 } = {}) => ({
  id,
  info: { name, email: 'e', description: 'd', image: 'i', website: 'w', created: FIRST, updated },
  db_conf: [database],
  topology: { type: 'T', feed: 'f' },
  users,
  order: String(order).padStart(20, '0'),
});
const holder = (userId: string, roles = ['admin'], tenantId = 't1') => ({ tenantId, userId, roles });
/** All documents of tenants without engine status. */
const documents = (tenants: Readonly<Record<string, ReturnType<typeof tenant>>>, tenantOf = 't1') => {
  const users = Object.values(tenants).flatMap((one) => one.users as ReturnType<typeof user>[]);
  return {
    tenants,
    names: Object.fromEntries(Object.values(tenants).map(({ id, info: { name } }) => [`=${name}`, { tenantId: id, node: false }])),
    ...(users.length > 0 && {
      users: Object.fromEntries(users.map((one) => [one.id, { ...one, tenantId: tenantOf }])),
      'api-keys': Object.fromEntries(users.map(({ id, key_hash, roles }) => [key_hash, holder(id, roles, tenantOf)])),
    }),
  };
};

describe('tenants', () => {
  it('show their users in the order in which they were added, and the holders of keys', () =>
    given(registered(), added('u2'), added('u1')).then(documents({ t1: tenant([user('u2'), user('u1')], { updated: FIRST }) })));

  it('are replaced except for the time of creation, with their users in the order of the revision', () =>
    given(registered(), added('u1'), added('u2'), { type: 'TenantUserRemoved', data: { tenantId: 't1', userId: 'u1' } }, added('u3'), {
      type: 'TenantRevised',
      data: { ...content('t1', 'renamed'), userIds: ['u3', 'u2'] },
      ...later,
    }).then(documents({ t1: tenant([user('u3'), user('u2')], { name: 'renamed' }) })));

  it('are removed with all their documents, and nothing else', () =>
    given(
      registered(),
      added('u1'),
      added('u2'),
      registered('t2', 'EUDAT'),
      added('u3', 't2'),
      { type: 'TenantEngineStatusReported', data: { tenantId: 't1', status: unknownEngineStatus } },
      { type: 'TenantDeleted', data: { tenantId: 't1', userIds: ['u1', 'u2'] } },
    ).then(documents({ t2: tenant([user('u3')], { id: 't2', name: 'EUDAT', order: 40, updated: FIRST }) }, 't2')));

  it('show empty members if data is no longer readable', () =>
    given(
      { type: 'TenantRegistered', data: { ...content('t1', 'EGI'), email: null, databases: null } },
      { type: 'TenantUserAdded', data: { ...added('u1').data, name: null, email: null, apiKey: null } },
      { type: 'TenantUserRevised', data: { tenantId: 't1', userId: 'u1', name: null, email: null, roles: ['viewer'] } },
      { type: 'TenantUserKeyRenewed', data: { tenantId: 't1', userId: 'u1', apiKey: null, apiKeyHash: 'h' } },
      { type: 'TenantRevised', data: { ...content('t1', 'EGI'), email: null, databases: null, userIds: ['u1'] }, ...later },
    ).thenCollections({
      tenants: {
        t1: {
          ...tenant([user('u1', { name: '', email: '', api_key: '', roles: ['viewer'], key_hash: 'h' })]),
          info: { ...tenant([]).info, email: '' },
          db_conf: [],
        },
      },
    }));
});

describe('users of a tenant', () => {
  it('are added, and set the time of the tenant’s last update', () =>
    given(registered(), { ...added('u1'), ...later }).then(documents({ t1: tenant([user('u1')]) })));

  it('are revised together with the roles of their key', () =>
    given(registered(), added('u1'), added('u2'), {
      type: 'TenantUserRevised',
      data: { tenantId: 't1', userId: 'u1', name: 'new', email: 'new', roles: ['viewer', 'editor'] },
      ...later,
    }).then(documents({ t1: tenant([user('u1', { name: 'new', email: 'new', roles: ['viewer', 'editor'] }), user('u2')]) })));

  it('have one key at a time', () =>
    given(registered(), added('u1'), {
      type: 'TenantUserKeyRenewed',
      data: { tenantId: 't1', userId: 'u1', apiKey: 'new', apiKeyHash: 'new hash' },
      ...later,
    }).then(documents({ t1: tenant([user('u1', { api_key: 'new', key_hash: 'new hash' })]) })));

  it('are removed together with their key', () =>
    given(registered(), added('u1'), added('u2'), {
      type: 'TenantUserRemoved',
      data: { tenantId: 't1', userId: 'u1' },
      ...later,
    }).then(documents({ t1: tenant([user('u2')]) })));
});

describe('engine status', () => {
  const node = { ingestion: true, publishing: false, status_streaming: true, messages_arrived: '9223372036854775807' };
  const status = {
    ams: { metric_data: node, sync_data: { ...node, messages_arrived: '-5' } },
    hdfs: { metric_data: true, sync_data: { 'a "messages_arrived": "1"': { weights: true, messages_arrived: false } } },
    engine_config: true,
    last_check: '"messages_arrived": "1"',
  };

  it('is stored in the format of the wire, with exact numbers, without changing the tenant', () => {
    const after = given(registered(), added('u1'), {
      type: 'TenantEngineStatusReported',
      data: { tenantId: 't1', status },
      ...later,
    });
    const messaging = (count: string) => [
      '     "ingestion": true,',
      '     "publishing": false,',
      '     "status_streaming": true,',
      `     "messages_arrived": ${count}`,
    ];
    after.thenText(
      'engine-status',
      't1',
      [
        '{',
        '    "total_status": false,',
        '    "ams": {',
        '     "metric_data": {',
        ...messaging('9223372036854775807').map((line) => ` ${line}`),
        '     },',
        '     "sync_data": {',
        ...messaging('-5').map((line) => ` ${line}`),
        '     }',
        '    },',
        '    "hdfs": {',
        '     "metric_data": true,',
        '     "sync_data": {',
        '      "a \\"messages_arrived\\": \\"1\\"": {',
        '       "weights": true,',
        '       "messages_arrived": false',
        '      }',
        '     }',
        '    },',
        '    "engine_config": true,',
        '    "last_check": "\\"messages_arrived\\": \\"1\\""',
        '   }',
      ].join('\n'),
    );
    after.thenCollections({ tenants: { t1: tenant([user('u1')], { updated: FIRST }) } });
  });

  it('has no synchronised data if there is none', () =>
    expect(JSON.parse(engineStatusText(unknownEngineStatus))).toEqual({
      total_status: false,
      ams: {
        metric_data: { ingestion: false, publishing: false, status_streaming: false, messages_arrived: 0 },
        sync_data: { ingestion: false, publishing: false, status_streaming: false, messages_arrived: 0 },
      },
      hdfs: { metric_data: false },
      engine_config: false,
      last_check: '',
    }));
});
