import { describe, it } from '@jest/globals';
import { feeds } from '#domain/status/feeds/feeds.js';
import { metricList } from '#domain/status/metric-list/metric-list.js';
import { recomputation } from '#domain/status/recomputations/recomputations.js';
import { unknownEngineStatus } from '#domain/status/tenants/engine-status.js';
import { tenants } from '#domain/status/tenants/tenant-rules.js';
import type { TenantCommand, TenantEvent } from '#domain/status/tenants/tenants.js';
import { deciderSpec } from '#test/support/decider-spec.js';
import { limitText, STATUS_LIMITS, type StatusLimitName } from './limits.js';

const over = (name: StatusLimitName) => ['OVER_LIMIT', { text: limitText(name) }] as const;
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

describe('recomputations', () => {
  const request = {
    requester_name: 'n',
    requester_email: 'e',
    reason: 'r',
    start_time: '2024-01-01T00:00:00Z',
    end_time: '2024-01-01T00:00:00Z',
    report: 'r',
    exclude: [],
  };
  const none = { exclude_metrics: [], exclude_monitoring_source: [], applied_status_changes: [] };
  const given = deciderSpec(recomputation);
  const of = { tenantId: 't', id: 'x' };
  const requested = { type: 'RecomputationRequested', data: { ...of, ...request, ...none } } as const;
  const moved = { type: 'RecomputationStatusChanged', data: { ...of, status: 'done', change: 'set' } } as const;

  it('have exclusions of limited size', () => {
    const exclude = times(30_000, (index) => `SITE-${index}`);
    given()
      .when({ type: 'RequestRecomputation', ...of, request: { ...request, ...none, exclude } })
      .thenRejected(...over('recomputationSize'));
    given(requested)
      .when({ type: 'ReviseRecomputation', ...of, request: { ...request, exclude } })
      .thenRejected(...over('recomputationSize'));
  });

  it('have exclusions of limited size, including lists that a replacement leaves out', () => {
    const excluded = times(6_000, (index) => ({ metric: `m${index}` }));
    const revised = { type: 'RecomputationRevised', data: { ...of, ...request, exclude_metrics: excluded } } as const;
    const exclude_monitoring_source = excluded.map(({ metric: host }) => ({ host, start_time: '', end_time: '' }));
    const revise = (lists: object) => ({ type: 'ReviseRecomputation', ...of, request: { ...request, ...lists } }) as const;
    given(requested, revised, moved)
      .when(revise({ applied_status_changes: excluded }))
      .thenRejected(...over('recomputationSize'));
    given(requested, revised, moved)
      .when(revise({ exclude_monitoring_source: exclude_monitoring_source.slice(0, 3_000) }))
      .thenRejected(...over('recomputationSize'));
    const changes = { exclude_metrics: [], applied_status_changes: excluded };
    given(requested, revised, moved)
      .when(revise(changes))
      .then({ type: 'RecomputationRevised', data: { ...of, ...request, ...changes } });
  });

  it('have a requester of limited size', () => {
    const long = { ...request, requester_name: 'a'.repeat(4_096) };
    given()
      .when({ type: 'RequestRecomputation', ...of, request: { ...long, ...none } })
      .thenRejected(...over('requesterSize'));
    given(requested)
      .when({ type: 'ReviseRecomputation', ...of, request: long })
      .thenRejected(...over('requesterSize'));
  });

  it('have a limited number of status changes', () => {
    const changes = times(STATUS_LIMITS.statusChanges.value, () => moved);
    const set = { type: 'SetRecomputationStatus', ...of, status: 'done' } as const;
    given(requested, ...changes.slice(1))
      .when(set)
      .then(moved);
    given(requested, ...changes)
      .when(set)
      .thenRejected(...over('statusChanges'));
    given(requested, ...changes)
      .when({ type: 'ResetRecomputationStatus', ...of })
      .thenRejected(...over('statusChanges'));
  });
});

describe('tenants', () => {
  const given = deciderSpec(tenants);
  const info = (name: string, description = '') => ({ name, email: '', description, image: '', website: '' });
  const user = (index: number, name = '') => ({
    userId: `u${index}`,
    name,
    email: '',
    roles: [],
    apiKey: `k${index}`,
    apiKeyHash: `h${index}`,
  });
  const all = { databases: [], topology: { type: '', feed: '' }, users: [] };
  const register = (changes: object): TenantCommand => ({ type: 'RegisterTenant', tenantId: 't', info: info('a'), ...all, ...changes });
  const registered = (tenantId: string, description = '', name = tenantId): TenantEvent => {
    const { databases, topology } = all;
    return { type: 'TenantRegistered', data: { tenantId, ...info(name, description), databases, topology } };
  };
  const added = (index: number, name = ''): TenantEvent => ({ type: 'TenantUserAdded', data: { tenantId: 't', ...user(index, name) } });
  const long = 'x'.repeat(STATUS_LIMITS.tenantSize.value);

  it('have a limited number of users, and a limited size including them', () => {
    const users = times(1_001, (index) => user(index));
    given()
      .when(register({ users }))
      .thenRejected(...over('usersPerTenant'));
    given()
      .when(register({ info: info('a', long) }))
      .thenRejected(...over('tenantSize'));
    given(registered('t'))
      .when({ ...register({ users }), type: 'ReviseTenant' } as TenantCommand)
      .thenRejected(...over('usersPerTenant'));
    const add = { type: 'AddTenantUser', tenantId: 't', user: user(5_000) } as const;
    given(registered('t'), ...times(1_000, (index) => added(index)))
      .when(add)
      .thenRejected(...over('usersPerTenant'));
    given(registered('t'), added(1))
      .when({ ...add, user: user(2, long) })
      .thenRejected(...over('tenantSize'));
    given(registered('t'), added(1))
      .when({ type: 'ReviseTenantUser', tenantId: 't', userId: 'u1', changes: { name: long, email: '', roles: [] } })
      .thenRejected(...over('tenantSize'));
  });

  it('may shrink and stay as they are beyond their limits, but not grow', () => {
    const { databases, topology } = all;
    const crowded = [registered('t'), ...times(1_002, (index) => added(index, 'n'))];
    const replaced = { type: 'TenantTopologyReplaced', data: { tenantId: 't', topology } } as const;
    given(...crowded)
      .when({ type: 'ReplaceTenantTopology', tenantId: 't', topology })
      .then(replaced);
    const changes = { name: 'm', email: '', roles: [] };
    given(...crowded)
      .when({ type: 'ReviseTenantUser', tenantId: 't', userId: 'u1', changes })
      .then({ type: 'TenantUserRevised', data: { tenantId: 't', userId: 'u1', ...changes } });
    const users = times(1_001, (index) => user(index, 'n'));
    const userIds = users.map(({ userId }) => userId);
    given(...crowded)
      .when({ ...register({ info: info('t'), users }), type: 'ReviseTenant' } as TenantCommand)
      .then(
        { type: 'TenantUserRemoved', data: { tenantId: 't', userId: 'u1001' } },
        { type: 'TenantRevised', data: { tenantId: 't', ...info('t'), databases, topology, userIds } },
      );
    given(...crowded)
      .when({ type: 'AddTenantUser', tenantId: 't', user: user(5_000) })
      .thenRejected(...over('usersPerTenant'));

    const revise = (description: string) => ({ type: 'ReviseTenantInfo', tenantId: 't', info: info('t', description) }) as const;
    given(registered('t', long))
      .when(revise(long.slice(1)))
      .then({ type: 'TenantInfoRevised', data: { tenantId: 't', ...info('t', long.slice(1)) } });
    given(registered('t', long))
      .when(revise(`${long}x`))
      .thenRejected(...over('tenantSize'));
  });

  it('are limited in number and total size; deletions make room', () => {
    const many = times(STATUS_LIMITS.tenants.value, (index) => registered(`t${index}`));
    given(...many)
      .when(register({}))
      .thenRejected(...over('tenants'));
    const large = times(64, (index) => registered(`t${index}`, long));
    given(...large)
      .when(register({}))
      .thenRejected(...over('tenantsSize'));
    given(...large, { type: 'TenantDeleted', data: { tenantId: 't1', userIds: [] } })
      .when(register({}))
      .then(registered('t', '', 'a'));
    const users = [added(1, long), { type: 'TenantUserRemoved', data: { tenantId: 't', userId: 'u1' } } as const];
    given(registered('t'), ...users)
      .when({ type: 'AddTenantUser', tenantId: 't', user: user(2) })
      .then(added(2));
  });

  it('have an engine status of limited size', () => {
    const sync_data = Object.fromEntries(times(20_000, (index) => [`report ${index}`, {}]));
    const status = { ...unknownEngineStatus, hdfs: { metric_data: true, sync_data } };
    given(registered('t'))
      .when({ type: 'ReportTenantEngineStatus', tenantId: 't', status })
      .thenRejected(...over('engineStatusSize'));
  });
});

describe('feeds and the metric list', () => {
  it('are limited in size and in the number of tenants they name', () => {
    const url = 'x'.repeat(STATUS_LIMITS.feedSize.value);
    const weightsFeed = { kind: 'weights', feed: { type: '', feed_url: url, weight_type: '', group_type: '' } } as const;
    deciderSpec(feeds)()
      .when({ type: 'ReplaceFeed', tenantId: 't', by: weightsFeed })
      .thenRejected(...over('feedSize'));
    deciderSpec(feeds)()
      .when({ type: 'ReplaceFeed', tenantId: 't', by: { kind: 'data', feed: { tenants: times(101, () => 't') } } })
      .thenRejected(...over('feedTenants'));
    deciderSpec(metricList)()
      .when({ type: 'ReplaceMetricList', metrics: times(100_000, (index) => ({ name: `metric ${index}`, tags: [] })) })
      .thenRejected(...over('metricListSize'));
  });
});
