import { describe, expect, it } from '@jest/globals';
import { projectionSpec } from '../../../../test/support/projection-spec.js';
import { datedRecordsProjection } from './dated-records.js';
import { memberLine, wireText } from './layout.js';
import { tenantsProjection } from './tenants.js';

describe('wire text (status contract 1.8)', () => {
  it('has one space per level, no space before the colon, no newline at the end', () =>
    expect(wireText({ a: 1, b: [], c: [{ d: 'x' }] })).toBe('{\n "a": 1,\n "b": [],\n "c": [\n  {\n   "d": "x"\n  }\n ]\n}'));
  it('escapes what could be markup', () => expect(wireText('<a & b>\u2028')).toBe('"\\u003ca \\u0026 b\\u003e\\u2028"'));
  it('is indented for its place', () => expect(wireText({ a: { b: 1 } }, 2)).toBe('{\n   "a": {\n    "b": 1\n   }\n  }'));
  it('can be searched for a member of a record, not for one of its parts', () => {
    const text = wireText({ id: '1', name: 'a"<', groups: [{ name: 'b' }] }, 2);
    expect(text).toContain(memberLine('name', 'a"<'));
    expect(text).not.toContain(memberLine('name', 'b'));
    expect(text).not.toContain(memberLine('name', 'a'));
  });
});

describe('dated records', () => {
  const spec = projectionSpec(datedRecordsProjection);
  const weights = (tenant: string, id: string, date: string, name: string) =>
    ({
      stream: `status.weights-${tenant}`,
      type: 'WeightsSnapshotDated',
      data: {
        id,
        date,
        change: 'created',
        record: { name, weight_type: 'hepspec', group_type: 'SITES', groups: [{ name: 'S', value: 1.5 }] },
      },
    }) as const;
  const document = (id: string, date: string, name: string) => ({
    id,
    date,
    name,
    weight_type: 'hepspec',
    group_type: 'SITES',
    groups: [{ name: 'S', value: 1.5 }],
  });

  it('keeps every snapshot, the records of each tenant, and where the tenant changed last', () =>
    spec
      .given(weights('t-1', 'a', '2024-01-01', 'x'), weights('t-1', 'a', '2024-02-01', 'y'), weights('t-2', 'b', '2024-01-01', 'x'))
      .then({
        weights: {
          't-1/a/2024-01-01': document('a', '2024-01-01', 'x'),
          't-1/a/2024-02-01': document('a', '2024-02-01', 'y'),
          't-2/b/2024-01-01': document('b', '2024-01-01', 'x'),
        },
        'weights.records': { 't-1/a': {}, 't-2/b': {} },
        'weights.stamps': { 't-1': '20', 't-2': '30' },
      }));

  it('replaces the snapshot of the same day', () =>
    spec.given(weights('t', 'a', '2024-01-01', 'x'), weights('t', 'a', '2024-01-01', 'y')).then({
      weights: { 't/a/2024-01-01': document('a', '2024-01-01', 'y') },
      'weights.records': { 't/a': {} },
      'weights.stamps': { t: '20' },
    }));

  it('forgets all snapshots of a deleted record and no others', () =>
    spec
      .given(weights('t', 'a', '2024-01-01', 'x'), weights('t', 'a', '2024-02-01', 'x'), weights('t', 'ab', '2024-01-01', 'z'), {
        stream: 'status.weights-t',
        type: 'WeightsDeleted',
        data: { id: 'a' },
      })
      .then({
        weights: { 't/ab/2024-01-01': document('ab', '2024-01-01', 'z') },
        'weights.records': { 't/ab': {} },
        'weights.stamps': { t: '40' },
      }));

  it('keeps the kinds apart', () =>
    spec
      .given(weights('t', 'a', '2024-01-01', 'x'), {
        stream: 'status.operations_profiles-t',
        type: 'OperationsProfileSnapshotDated',
        data: {
          id: 'a',
          date: '2024-01-01',
          change: 'created',
          record: { name: 'x', available_states: [], defaults: { down: '', missing: '', unknown: '' }, operations: [] },
        },
      })
      .then({
        weights: { 't/a/2024-01-01': document('a', '2024-01-01', 'x') },
        'weights.records': { 't/a': {} },
        'weights.stamps': { t: '10' },
        operations_profiles: {
          't/a/2024-01-01': {
            id: 'a',
            date: '2024-01-01',
            name: 'x',
            available_states: [],
            defaults: { down: '', missing: '', unknown: '' },
            operations: [],
          },
        },
        'operations_profiles.records': { 't/a': {} },
        'operations_profiles.stamps': { t: '20' },
      }));
});

describe('tenants', () => {
  const spec = projectionSpec(tenantsProjection);
  const registered = {
    type: 'TenantRegistered',
    data: {
      tenantId: 't1',
      name: 'EGI',
      description: 'd',
      image: 'i',
      website: 'w',
      email: 'e',
      topology: { type: 'T', feed: 'f' },
      databases: [{ store: 'ar', server: 's', port: 1, database: 'd', username: 'u', password: 'p' }],
    },
  } as const;
  const added = (userId: string) =>
    ({
      type: 'TenantUserAdded',
      data: { tenantId: 't1', userId, name: 'n', email: 'm', apiKey: `key ${userId}`, apiKeyHash: `hash ${userId}`, roles: ['admin'] },
    }) as const;

  it('show their users in the order they came, and who holds which key', () =>
    spec.given(registered, added('u2'), added('u1')).then({
      tenants: {
        t1: {
          id: 't1',
          info: {
            name: 'EGI',
            email: 'e',
            description: 'd',
            image: 'i',
            website: 'w',
            created: '2024-01-02 03:04:05',
            updated: '2024-01-02 03:04:05',
          },
          db_conf: [{ store: 'ar', server: 's', port: 1, database: 'd', username: 'u', password: 'p' }],
          topology: { type: 'T', feed: 'f' },
          users: ['u2', 'u1'].map((id) => ({ id, name: 'n', email: 'm', api_key: `key ${id}`, roles: ['admin'] })),
        },
      },
      order: { '00000000000000000010': 't1' },
      'api-keys': Object.fromEntries(['u1', 'u2'].map((userId) => [`hash ${userId}`, { tenantId: 't1', userId, roles: ['admin'] }])),
    }));

  it('show nothing in place of what can no longer be read', () =>
    spec
      .given(
        { ...registered, data: { ...registered.data, email: null, databases: null } },
        { ...added('u1'), data: { ...added('u1').data, name: null, email: null, apiKey: null } },
      )
      .thenCollections({
        tenants: {
          t1: {
            id: 't1',
            info: {
              name: 'EGI',
              email: '',
              description: 'd',
              image: 'i',
              website: 'w',
              created: '2024-01-02 03:04:05',
              updated: '2024-01-02 03:04:05',
            },
            db_conf: [],
            topology: { type: 'T', feed: 'f' },
            users: [{ id: 'u1', name: '', email: '', api_key: '', roles: ['admin'] }],
          },
        },
      }));
});
