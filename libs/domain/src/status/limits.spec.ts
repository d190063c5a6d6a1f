import { describe, expect, it } from '@jest/globals';
import { wireText } from '#projections/status/layout.js';
import { deciderSpec } from '../../../../test/support/decider-spec.js';
import { type DatedCommand, type DatedEvent, type NamedRecord, shownSnapshot } from './dated-records.js';
import { unknownEngineStatus } from './engine-status.js';
import { feeds } from './feeds.js';
import { limitText, Sizes, STATUS_LIMITS, type StatusLimitName, sizeWithin } from './limits.js';
import { metricList } from './metric-list.js';
import { operationsProfiles, validateOperationsProfile } from './operations-profiles.js';
import { recomputation } from './recomputations.js';
import { type ReportDraft, type ReportEvent, reports } from './reports.js';
import { tenants } from './tenant-rules.js';
import type { TenantCommand, TenantEvent } from './tenants.js';
import { thresholdsProfiles } from './thresholds-profiles.js';
import { weights } from './weights.js';

const over = (name: StatusLimitName) => ['OVER_LIMIT', { text: limitText(name) }] as const;
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const uuid = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

describe('a limit', () => {
  it('says what it is about, with its value', () => {
    expect(limitText('recordSize')).toBe('A record takes more than 5,242,880 bytes in an answer');
    for (const name of Object.keys(STATUS_LIMITS) as StatusLimitName[]) expect(limitText(name)).not.toContain('%');
  });

  it('of bytes is kept to the byte', () => {
    const size = (length: number) => sizeWithin('feedSize', { url: '<'.repeat(length) });
    const empty = Buffer.byteLength(wireText({ url: '' }, 2));
    const most = Math.floor((STATUS_LIMITS.feedSize.value - empty) / 6);
    expect(size(most)).toBe(empty + most * 6);
    expect(() => size(most + 1)).toThrow(expect.objectContaining({ code: 'OVER_LIMIT', details: { text: limitText('feedSize') } }));
  });

  it('of many records counts what each takes, as it is now', () => {
    const sizes = new Sizes();
    const limits = { count: 'recordsPerKind', total: 'recordsSizePerKind' } as const;
    const total = STATUS_LIMITS.recordsSizePerKind.value;
    sizes.set('a', total - 10);
    sizes.set('b', 10);
    expect([sizes.count, sizes.total, sizes.of('b'), sizes.of('c')]).toEqual([2, total, 10, 0]);
    expect(() => sizes.ensureRoom('b', 10, limits)).not.toThrow();
    expect(() => sizes.ensureRoom('b', 11, limits)).toThrow(
      expect.objectContaining({ details: { text: limitText('recordsSizePerKind') } }),
    );
    expect(() => sizes.ensureRoom('c', 1, limits)).toThrow();
    sizes.delete('a');
    expect(() => sizes.ensureRoom('c', total - 10, limits)).not.toThrow();
  });
});

describe('dated records', () => {
  const given = deciderSpec(weights.decider);
  const record = (name: string) => ({ name, weight_type: '', group_type: '', groups: [] });
  const create = (id: string, one: ReturnType<typeof record>) =>
    ({ type: 'CreateRecord', id, date: '2024-01-01', record: one }) satisfies DatedCommand<NamedRecord>;
  const dated = (id: string, one: ReturnType<typeof record>, date = '2024-01-01') =>
    ({ type: 'WeightsSnapshotDated', data: { id, date, change: 'created', record: one } }) as DatedEvent<never>;

  it('may be large, and no larger than the limit', () => {
    const [large, larger] = [record('x'.repeat(5_000_000)), record('x'.repeat(STATUS_LIMITS.recordSize.value))];
    given()
      .when(create(uuid(1), large))
      .then(dated(uuid(1), large));
    given()
      .when(create(uuid(1), larger))
      .thenRejected(...over('recordSize'));
    given(dated(uuid(1), record('a')))
      .when({ type: 'ReviseRecord', id: uuid(1), date: '2024-01-02', record: larger })
      .thenRejected(...over('recordSize'));
  });

  it('are as many as a tenant may have of a kind; those that are there can be revised, and deleted ones make room', () => {
    const all = times(STATUS_LIMITS.recordsPerKind.value, (index) => dated(uuid(index), record(`r${index}`)));
    const next = create('next', record('next'));
    given(...all)
      .when(next)
      .thenRejected(...over('recordsPerKind'));
    const replaced = { id: uuid(7), date: '2024-01-01', change: 'replaced', record: record('other') };
    given(...all)
      .when({ type: 'ReviseRecord', id: uuid(7), date: '2024-01-01', record: record('other') })
      .then({ type: 'WeightsSnapshotDated', data: replaced } as never);
    given(...all, { type: 'WeightsDeleted', data: { id: uuid(7) } })
      .when(next)
      .then(dated('next', next.record));
  });

  it('take together no more than a list may have, whichever of their versions it shows', () => {
    const long = 'x'.repeat(4_000_000);
    const size = Buffer.byteLength(wireText(shownSnapshot({ id: uuid(0), date: '2024-01-01', record: record(long) }), 2));
    const many = Math.floor(STATUS_LIMITS.recordsSizePerKind.value / size);
    const all = times(many, (index) => dated(uuid(index), record(`${index}${long}`)));
    const smallAgain = times(many, (index) => dated(uuid(index), record(`small ${index}`), '2024-01-02'));
    const next = create('next', record(long));
    given(...all, ...smallAgain)
      .when(next)
      .thenRejected(...over('recordsSizePerKind'));
    given(...all.slice(1))
      .when(next)
      .then(dated('next', next.record));
  });

  it('have problems that are told as long as that tells anybody anything', () => {
    const long = 'S'.repeat(400_000);
    const operations = times(1_000, (index) => ({ name: `${index}`, truth_table: [] }));
    const lines = validateOperationsProfile({
      name: '',
      available_states: [long, 'b'],
      defaults: { down: long, missing: long, unknown: long },
      operations,
    });
    expect(lines).toHaveLength(5);
    deciderSpec(thresholdsProfiles.decider)()
      .when({
        type: 'CreateRecord',
        id: '1',
        date: '2024-01-01',
        record: { name: '', rules: times(20_000, () => ({ metric: '', thresholds: 'x' })) },
      })
      .thenRejected('RECORD_INVALID', { lines: times(10_000, () => 'Invalid threshold: x') });
  });

  it('of operations have so many states at most', () => {
    const states = times(1_001, (index) => `${index}`);
    deciderSpec(operationsProfiles.decider)()
      .when({
        type: 'CreateRecord',
        id: '1',
        date: '2024-01-01',
        record: { name: '', available_states: states, defaults: { down: '0', missing: '0', unknown: '0' }, operations: [] },
      })
      .thenRejected(...over('statesPerProfile'));
  });
});

describe('reports', () => {
  const given = deciderSpec(reports);
  const draft = (changes: Partial<ReportDraft>): ReportDraft => ({
    name: 'a',
    description: '',
    weight: '',
    disabled: false,
    computations: undefined,
    thresholds: undefined,
    topology_schema: '{}',
    profiles: [],
    filter_tags: [],
    ...changes,
  });
  const nested = (levels: number) => `${'{"group":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
  const tags = (count: number, value: string, context = 'argo.group.filter.fields') =>
    times(count, () => ({ name: 'group', value, context }));
  const rejected = (name: StatusLimitName, changes: Partial<ReportDraft>) => {
    for (const type of ['CreateReport', 'ReviseReport'] as const)
      given()
        .when({ type, id: '1', report: draft(changes) })
        .thenRejected(...over(name));
  };
  const taken = (changes: Partial<ReportDraft>) =>
    expect(reports.decide({ type: 'CreateReport', id: '1', report: draft(changes) }, reports.initialState())).toHaveLength(1);

  it('have schemas of as many levels and bytes as there may be', () => {
    taken({ topology_schema: nested(32) });
    rejected('schemaLevels', { topology_schema: nested(33) });
    rejected('schemaLevels', { topology_schema: `${'{"a":'.repeat(1_000)}[${'1,'.repeat(600_000)}1]${'}'.repeat(1_000)}` });
    taken({ topology_schema: `{"a":[${'1,'.repeat(8_000)}1]}` });
    rejected('schemaSize', { topology_schema: `{"a":[${'1,'.repeat(8_500)}1]}` });
  });

  it('are as long, and refer to as much, as they may', () => {
    rejected('reportSize', { description: 'x'.repeat(STATUS_LIMITS.reportSize.value) });
    rejected('profilesPerReport', { profiles: times(101, () => ({ id: '', type: '', name: '' })) });
    rejected('trendsPerReport', { computations: { ar: true, status: true, trends: times(101, () => 'status') } });
    taken({ filter_tags: [...tags(500, 'plain'), ...tags(100, 'a*')] });
    rejected('patternsPerFilter', { filter_tags: tags(101, 'a*') });
    rejected('patternsPerFilter', { filter_tags: tags(1, 'a,'.repeat(100), 'argo.group.filter.tags.array') });
  });

  it('are as many as a tenant may have, whatever older ones are like', () => {
    const { computations: _c, thresholds: _t, ...rest } = draft({});
    const report = { ...rest, computations: { ar: true, status: true, trends: [] }, profiles: [] };
    const created = (index: number, changes: object = {}): ReportEvent => ({
      type: 'ReportCreated',
      data: { id: uuid(index), report: { ...report, name: `${index}`, ...changes } },
    });
    given(...times(STATUS_LIMITS.recordsPerKind.value, (index) => created(index)))
      .when({ type: 'CreateReport', id: 'next', report: draft({}) })
      .thenRejected(...over('recordsPerKind'));
    const schema = `${'{"a":'.repeat(999)}"${'x'.repeat(4_000_000)}"${'}'.repeat(999)}`;
    const old = times(17, (index) => created(index, { topology_schema: schema }));
    given(...old)
      .when({ type: 'CreateReport', id: 'next', report: draft({ description: 'x'.repeat(200_000) }) })
      .thenRejected(...over('recordsSizePerKind'));
  }, 60_000);
});

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

  it('exclude as much as they may', () => {
    const exclude = times(30_000, (index) => `SITE-${index}`);
    given()
      .when({ type: 'RequestRecomputation', ...of, request: { ...request, ...none, exclude } })
      .thenRejected(...over('recomputationSize'));
    given(requested)
      .when({ type: 'ReviseRecomputation', ...of, request: { ...request, exclude } })
      .thenRejected(...over('recomputationSize'));
  });

  it('change their status as often as they may', () => {
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

  it('have as many users as they may, and as many bytes with them', () => {
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

  it('are as many as there may be, and take as much together; what was removed makes room', () => {
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

  it('have engine status of as many bytes as it may have', () => {
    const sync_data = Object.fromEntries(times(20_000, (index) => [`report ${index}`, {}]));
    const status = { ...unknownEngineStatus, hdfs: { metric_data: true, sync_data } };
    given(registered('t'))
      .when({ type: 'ReportTenantEngineStatus', tenantId: 't', status })
      .thenRejected(...over('engineStatusSize'));
  });
});

describe('feeds and the metric list', () => {
  it('have as many bytes, and name as many tenants, as they may', () => {
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
