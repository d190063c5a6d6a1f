import { describe, expect, it } from '@jest/globals';
import { EJSON } from 'bson';
import { DocumentRefused, LeftOut } from '../migration.js';
import { type Fields, WrongField } from '../read/fields.js';
import { administrator } from './administrators.js';
import { snapshotDay } from './dated-records.js';
import { feedKinds } from './documents/feed-documents.js';
import { instantIn } from './documents/members.js';
import { pointDocument, pointKey } from './documents/point-documents.js';
import { recomputationDocument } from './documents/recomputation-documents.js';
import { reportDocument } from './documents/report-documents.js';
import { databaseOf, tenantDocument } from './documents/tenant-documents.js';
import { downtime, topologyEndpoint, topologyGroup, topologyServiceType } from './documents/topology-items.js';
import { engineStatusIn } from './engine-status.js';
import { aggregationProfile, metricProfile, operationsProfile, thresholdsProfile, weightsRecord } from './profiles.js';

/** A line of mongoexport, parsed by the reader. */
const read = (line: string): Fields => EJSON.parse(line, { relaxed: true }) as Fields;
const TENANT =
  '{"_id":{"$oid":"660000000000000000000001"},"id":"aaaaaaaa-0000-4000-8000-000000000001","info":{"name":"TEN","email":"t@example.org","description":"","image":"","website":"","created":"2023-01-01 10:00:00","updated":"2025-01-01 10:00:00"},"db_conf":[{"store":"main","server":"localhost","port":27017,"database":"argo_TEN","username":"","password":""}],"topology":{"type":"","feed":""},"users":[{"id":"aaaaaaaa-0000-4000-8000-000000000002","name":"u","email":"u@example.org","api_key":"k-0001","roles":["admin"]}]}';

describe('administrators', () => {
  const line = (members: object) => administrator({ api_key: 'adm-0001', name: 'root', email: 'r@example.org', ...members });
  it('keep their key, under its older name too', () => {
    expect(line({})).toEqual({ apiKey: 'adm-0001', name: 'root', role: 'super_admin' });
    expect(administrator({ apiKey: 'adm-0002' })).toEqual({ apiKey: 'adm-0002', name: '', role: 'super_admin' });
  });
  it('have the role of their flags', () => {
    expect(line({ restricted: true, super_admin_ui: true }).role).toBe('super_admin_restricted');
    expect(line({ restricted: false, super_admin_ui: true }).role).toBe('super_admin_ui');
  });
  it('have only the role of their integration where they have one', () => {
    expect(line({ component: 'component_engine', restricted: true }).role).toBe('component_engine');
    expect(line({ component: '', restricted: true }).role).toBe('super_admin_restricted');
  });
  it('are refused without a key, and where their integration is none or would make them administrators', () => {
    expect(() => line({ api_key: '' })).toThrow(DocumentRefused);
    expect(() => line({ component: 'component_sensu' })).toThrow(DocumentRefused);
    expect(() => line({ component: 'super_admin' })).toThrow(DocumentRefused);
    expect(() => line({ component: { name: 'component_engine' } })).toThrow(WrongField);
  });
});

describe('tenants', () => {
  it('keep ids, keys and times', () => {
    expect(tenantDocument(read(TENANT))).toEqual({
      tenantId: 'aaaaaaaa-0000-4000-8000-000000000001',
      info: { name: 'TEN', email: 't@example.org', description: '', image: '', website: '' },
      databases: [{ store: 'main', server: 'localhost', port: 27_017, database: 'argo_TEN', username: '', password: '' }],
      topology: { type: '', feed: '' },
      users: [{ userId: 'aaaaaaaa-0000-4000-8000-000000000002', name: 'u', email: 'u@example.org', roles: ['admin'], apiKey: 'k-0001' }],
      isNode: false,
      readiness: undefined,
      created: '2023-01-01T10:00:00.000Z',
      updated: '2025-01-01T10:00:00.000Z',
    });
  });
  it('give users without an id one that is the same in every run', () => {
    const twice = [1, 2].map(() => tenantDocument({ ...read(TENANT), users: [{ name: 'old', api_key: 'k' }] }).users[0]);
    expect(twice[0]).toEqual({ userId: expect.stringMatching(/^[\da-f-]{36}$/), name: 'old', email: '', roles: [], apiKey: 'k' });
    expect(twice[0]).toEqual(twice[1]);
  });
  it('may have no users, no roles, no databases and no topology', () => {
    const bare = { ...read(TENANT), users: null, db_conf: null, topology: undefined };
    expect(tenantDocument(bare)).toMatchObject({ users: [], databases: [], topology: { type: '', feed: '' } });
    expect(databaseOf(bare)).toBeUndefined();
    expect(databaseOf(read(TENANT))).toBe('argo_TEN');
  });
  it('were made when their _id was, if nothing else says it', () => {
    const { created, updated } = tenantDocument({ ...read(TENANT), info: { name: 'TEN' } });
    expect([created, updated]).toEqual(['2024-03-24T10:27:12.000Z', '2024-03-24T10:27:12.000Z']);
  });
  it('are refused without a name, and with an id that is no UUID', () => {
    expect(() => tenantDocument({ ...read(TENANT), info: {} })).toThrow(DocumentRefused);
    expect(() => tenantDocument({ ...read(TENANT), id: 'a/b' })).toThrow(DocumentRefused);
    expect(() => tenantDocument({ ...read(TENANT), id: 'plain' })).toThrow(DocumentRefused);
  });
  it.each([
    [true, true],
    [false, false],
    [null, false],
    [{ id: 'n-1', name: 'NODE' }, true],
    [{ id: '', name: '' }, false],
  ])('with the member node %j are a node: %p', (node, expected) => expect(tenantDocument({ ...read(TENANT), node }).isNode).toBe(expected));
  it('are as ready as was said, and nothing where nothing was', () => {
    const ready = { data: { ready: true }, topology: { ready: false, message: 'no feed' }, last_check: 'yesterday' };
    expect(tenantDocument({ ...read(TENANT), ready }).readiness).toEqual({
      data: { ready: true, message: '' },
      topology: { ready: false, message: 'no feed' },
      reports: { ready: false, message: '' },
      last_check: 'yesterday',
    });
    expect(tenantDocument({ ...read(TENANT), ready: null }).readiness).toBeUndefined();
  });
  it('are refused where the mark of a node has another form, and have no readiness where that has', () => {
    expect(() => tenantDocument({ ...read(TENANT), node: 'yes' })).toThrow(WrongField);
    for (const ready of [true, { data: { ready: 'yes' } }])
      expect(tenantDocument({ ...read(TENANT), ready })).toMatchObject({ info: { name: 'TEN' }, readiness: undefined });
  });
  it('have users of components', () => {
    const users = [
      { name: 'c', api_key: 'k', component: 'component_poem' },
      { name: 'd', api_key: 'l', component: '' },
    ];
    const [first, second] = tenantDocument({ ...read(TENANT), users }).users;
    expect(first?.component).toBe('component_poem');
    expect(second).not.toHaveProperty('component');
  });
  it('have the status that the engine told, with counts beyond those of JavaScript', () => {
    const line =
      '{"status":{"ams":{"metric_data":{"ingestion":true,"messages_arrived":{"$numberLong":"9007199254740993"}}},"hdfs":{"metric_data":true,"sync_data":{"R.1":{"weights":true}}},"engine_config":true,"last_check":"2025-01-01T00:00:00Z","totalstatus":true}}';
    expect(engineStatusIn(EJSON.parse(line, { relaxed: false }) as Fields)).toEqual({
      ams: {
        metric_data: { ingestion: true, publishing: false, status_streaming: false, messages_arrived: '9007199254740993' },
        sync_data: { ingestion: false, publishing: false, status_streaming: false, messages_arrived: '0' },
      },
      hdfs: { metric_data: true, sync_data: { 'R.1': { weights: true } } },
      engine_config: true,
      last_check: '2025-01-01T00:00:00Z',
    });
    expect(engineStatusIn({})).toBeUndefined();
  });
});

describe('dated records', () => {
  it('are read member by member', () => {
    expect(
      metricProfile(
        read('{"name":"crit","date":"","services":[{"service":"web","metrics":["m.http"]},{"service":"none","metrics":null}]}'),
      ),
    ).toEqual({
      name: 'crit',
      description: '',
      services: [
        { service: 'web', metrics: ['m.http'] },
        { service: 'none', metrics: [] },
      ],
    });
    expect(
      operationsProfile(
        read(
          '{"name":"ops","available_states":["OK"],"defaults":{"down":"OK","missing":"OK","unknown":"OK"},"operations":[{"name":"AND","truth_table":[{"a":"OK","b":"OK","x":"OK"}]}]}',
        ),
      ),
    ).toEqual({
      name: 'ops',
      available_states: ['OK'],
      defaults: { down: 'OK', missing: 'OK', unknown: 'OK' },
      operations: [{ name: 'AND', truth_table: [{ a: 'OK', b: 'OK', x: 'OK' }] }],
    });
    expect(
      aggregationProfile(
        read(
          '{"name":"agg","namespace":"","endpoint_group":"sites","metric_operation":"AND","profile_operation":"AND","metric_profile":{"name":"crit","id":"m"},"groups":[{"name":"g","operation":"OR","services":[{"name":"web","operation":"OR"}]}]}',
        ),
      ),
    ).toEqual({
      name: 'agg',
      namespace: '',
      endpoint_group: 'sites',
      metric_operation: 'AND',
      profile_operation: 'AND',
      metric_profile: { name: 'crit', id: 'm' },
      groups: [{ name: 'g', operation: 'OR', services: [{ name: 'web', operation: 'OR' }] }],
    });
    expect(thresholdsProfile(read('{"name":"thr","rules":[{"endpoint_group":"","host":"h","metric":"m","thresholds":"ab=1"}]}'))).toEqual({
      name: 'thr',
      rules: [{ host: 'h', metric: 'm', thresholds: 'ab=1' }],
    });
    expect(
      weightsRecord(
        read('{"name":"w","weight_type":"cores","group_type":"SITES","groups":[{"name":"S1","value":{"$numberDouble":"10.0"}}]}'),
      ),
    ).toEqual({
      name: 'w',
      weight_type: 'cores',
      group_type: 'SITES',
      groups: [{ name: 'S1', value: 10 }],
    });
  });
  it('hold from date_integer on, whatever date says', () => {
    expect(snapshotDay({ date_integer: 20240101, date: '' }, undefined)).toBe('2024-01-01');
    expect(snapshotDay({ date_integer: 20240101, date: '1999-09-09' }, '2019-01-01')).toBe('2024-01-01');
    expect(() => snapshotDay({ date_integer: 20240231 }, undefined)).toThrow('date_integer must be a day');
  });
  it('from before 2020 take the day given by the operator, or are skipped', () => {
    expect(snapshotDay({}, '2019-01-01')).toBe('2019-01-01');
    expect(() => snapshotDay({ date_integer: null }, undefined)).toThrow(LeftOut);
  });
});

describe('topology and downtimes', () => {
  it('leave out empty notifications, and keep tags whose keys have dots', () => {
    const line =
      '{"group":"S1","type":"SITES","service":"web","hostname":"h1","notifications":{"contacts":null,"enabled":true},"tags":{"info.ID":"7"}}';
    const found = topologyEndpoint(read(line));
    expect(JSON.stringify(found)).toBe(
      '{"group":"S1","type":"SITES","service":"web","hostname":"h1","notifications":{"enabled":true},"tags":{"info.ID":"7"}}',
    );
    expect(topologyGroup(read('{"group":"P1","type":"PROJECT","subgroup":"S1","notifications":null,"tags":null}'))).toEqual({
      group: 'P1',
      type: 'PROJECT',
      subgroup: 'S1',
      tags: null,
    });
    expect(topologyServiceType({ name: 'web', tags: null })).toEqual({ name: 'web', title: '', description: '' });
  });
  it('refuse tags that are no texts', () => expect(() => topologyGroup({ tags: { scope: 1 } })).toThrow('scope must be a text'));
  it('keep times as they were written', () =>
    expect(downtime({ hostname: 'h', service: 'web', start_time: 'x', end_time: '', severity: 'outage', description: '' })).toEqual({
      hostname: 'h',
      service: 'web',
      start_time: 'x',
      end_time: '',
      severity: 'outage',
    }));
});

describe('reports', () => {
  const line =
    '{"_id":{"$oid":"66000000000000000000000d"},"id":"cccccccc-0000-4000-8000-000000000001","tenant":"OTHER","disabled":false,"info":{"name":"R1","description":"","created":"2024-01-01 10:00:00","updated":"2024-01-02 10:00:00"},"computations":{"ar":true,"status":true,"trends":["flapping","status","tags"]},"thresholds":{"availability":80.0999984741211,"reliability":85.0,"uptime":0.800000011920929,"unknown":0.10000000149011612,"downtime":0.10000000149011612},"topology_schema":{"group":{"type":"PROJECT","group":{"type":"SITES"}}},"profiles":[{"id":"p","name":"crit","type":"metric"}],"filter_tags":[{"xmlname":{"space":"","local":""},"name":"scope","value":"x","context":""}]}';
  it('show the numbers that were meant, and none of the noise', () => {
    expect(reportDocument(read(line))).toEqual({
      id: 'cccccccc-0000-4000-8000-000000000001',
      report: {
        name: 'R1',
        description: '',
        weight: '',
        disabled: false,
        computations: { ar: true, status: true, trends: ['flapping', 'status', 'tags'] },
        thresholds: { availability: 80.1, reliability: 85, uptime: 0.8, unknown: 0.1, downtime: 0.1 },
        topology_schema: '{"group":{"type":"PROJECT","group":{"type":"SITES"}}}',
        profiles: [{ id: 'p', type: 'metric', name: 'crit' }],
        filter_tags: [{ name: 'scope', value: 'x', context: '' }],
      },
      created: '2024-01-01T10:00:00.000Z',
      updated: '2024-01-02T10:00:00.000Z',
    });
  });
  it('add no thresholds where there are none', () => {
    const { thresholds: _thresholds, computations: _computations, ...old } = read(line);
    expect(reportDocument(old).report).toMatchObject({ thresholds: undefined, computations: undefined });
  });
  it.each([[undefined], [null], [false]])('are private with the member public %p', (given) =>
    expect(reportDocument({ ...read(line), public: given }).report).not.toHaveProperty('public'),
  );
  it('are public where they say so', () => expect(reportDocument({ ...read(line), public: true }).report.public).toBe(true));
});

describe('recomputations', () => {
  const base = { id: 'r-1', status: 'done', timestamp: '2025-05-02T08:00:00Z', report: 'gone', exclude: null };
  it('have a history that ends with the status of now', () => {
    const history = [{ status: 'pending', timestamp: '2025-05-01T08:00:00Z' }];
    expect(recomputationDocument({ ...base, history }).history).toEqual([
      { status: 'pending', time: '2025-05-01T08:00:00.000Z' },
      { status: 'done', time: '2025-05-02T08:00:00.000Z' },
    ]);
    expect(recomputationDocument({ ...base, history: null }).history).toEqual([{ status: 'done', time: '2025-05-02T08:00:00.000Z' }]);
  });
  it('leave out what is empty in what they exclude', () => {
    const found = recomputationDocument({
      ...base,
      exclude_metrics: [{ metric: 'm', hostname: '', service: 's' }],
      applied_status_changes: null,
    });
    expect(found.request).toMatchObject({ exclude: [], exclude_metrics: [{ metric: 'm', service: 's' }], applied_status_changes: [] });
  });
});

it('feeds keep pagination as a text, and tenants by id', () => {
  expect(
    feedKinds.feeds_topology(read('{"type":"gocdb","feed_url":"https://f","paginated":"true","fetch_type":null,"uid_endpoints":"e1"}')),
  ).toEqual({
    kind: 'topology',
    feed: { type: 'gocdb', feed_url: 'https://f', paginated: 'true', fetch_type: [], uid_endpoints: 'e1' },
  });
  expect(feedKinds.feeds_data({ tenants: ['t-1'] })).toEqual({ kind: 'data', feed: { tenants: ['t-1'] } });
});

describe('points', () => {
  const line =
    '{"report":"r","endpoint_group":"S1","service":"web","host":"h1","metric":"m.http","status":"OK","timestamp":"2025-05-01T10:05:00Z","date_integer":20250501,"time_integer":100500,"previous_state":"CRITICAL","previous_timestamp":"2025-05-01T10:00:00Z","summary":"fine","message":"","actual_data":"","threshold_rule_applied":"x","original_status":"WARNING","info":{}}';
  it('are what the probe said, for no single report', () => {
    expect(pointDocument(read(line))).toEqual({
      host: 'h1',
      timestamp: '2025-05-01T10:05:00Z',
      endpoint_group: 'S1',
      service: 'web',
      metric: 'm.http',
      status: 'WARNING',
      summary: 'fine',
      message: '',
      previous_timestamp: '2025-05-01T10:00:00Z',
      previous_state: 'CRITICAL',
    });
    expect(pointKey({ ...read(line), report: 'other' })).toBe(pointKey(read(line)));
  });
  it('leave out what the engine repeats at midnight, but not what a probe says then', () => {
    const midnight = { ...read(line), timestamp: '2025-05-01T00:00:00Z' };
    expect(() => pointDocument({ ...midnight, previous_state: 'OK', summary: '' })).toThrow(LeftOut);
    for (const said of ['summary', 'message', 'actual_data'])
      expect(pointDocument({ ...midnight, previous_state: 'OK', summary: '', [said]: 'by a probe' })).toHaveProperty(said, 'by a probe');
    expect(pointDocument(midnight).status).toBe('WARNING');
  });
});

it.each([
  ['2024-01-01 10:00:00', '2024-01-01T10:00:00.000Z'],
  ['2024-01-01T10:00:00Z', '2024-01-01T10:00:00.000Z'],
  ['2024-1-2 3:04:05', '2024-01-02T03:04:05.000Z'],
  ['2024-1-2T3:4:5Z', '2024-01-02T03:04:05.000Z'],
  ['2024-02-30 10:00:00', undefined],
  ['2024-02-03 24:00:00', undefined],
  ['2024-002-3 10:00:00', undefined],
  ['', undefined],
])('the instant %p is %p', (text, instant) => expect(instantIn(text)).toBe(instant));
