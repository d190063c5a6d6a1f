/** A small installation of the original status service, with what goes wrong in some. Members that are `undefined` are missing. */
const oid = (number: number) => ({ $oid: (0x6600n * 2n ** 80n + BigInt(number)).toString(16).padStart(24, '0') });
export const TENANT = 'aaaaaaaa-0000-4000-8000-000000000001';
const uuid = (number: number): string => `bbbbbbbb-0000-4000-8000-${String(number).padStart(12, '0')}`;

const info = (name: string) => ({
  name,
  email: `${name}@example.org`,
  description: '',
  image: '',
  website: '',
  created: '2023-01-01 10:00:00',
  updated: '2025-01-01 10:00:00',
});
const database = (name: string) => [
  { store: 'main', server: 'localhost', port: 27_017, database: name, username: '', password: 'do-not-show-this' },
];
const user = (number: number, changes: object = {}) => ({
  id: uuid(900 + number),
  name: `Person ${number}`,
  email: `person-${number}@example.org`,
  api_key: `user-key-${number}`,
  roles: ['admin'],
  ...changes,
});

export const core = {
  authentication: [
    { _id: oid(1), api_key: 'root-key', name: 'root', email: 'root@example.org', restricted: false, super_admin_ui: false },
    { _id: oid(2), apiKey: 'restricted-key', restricted: true },
    { _id: oid(3), api_key: 'engine-key', component: 'component_engine' },
    { _id: oid(11), api_key: 'odd-key', component: 'super_admin' },
  ],
  roles: [{ _id: oid(4), resource: 'reports.list', roles: ['admin'] }],
  tenants: [
    {
      _id: oid(5),
      id: TENANT,
      info: info('TEN'),
      db_conf: database('argo_TEN'),
      users: [
        user(0),
        user(1, { id: undefined, roles: undefined }),
        user(2, { api_key: '', component: 'component_poem' }),
        user(3, { api_key: 'user-key-0' }),
      ],
      status: {
        ams: {},
        hdfs: { metric_data: true, sync_data: { R1: { weights: true } } },
        engine_config: true,
        last_check: '2025-01-01T00:00:00Z',
      },
      node: true,
      ready: {
        data: { ready: true, message: '' },
        topology: { ready: true },
        reports: { ready: false, message: 'none' },
        last_check: 'now',
      },
    },
    { _id: oid(6), id: uuid(6), info: info('SHARED'), db_conf: database('argo_TEN'), users: [user(4, { api_key: 'user-key-1' })] },
    { _id: oid(7), id: uuid(7), info: info('BARE'), db_conf: null, topology: null, users: null },
    { _id: oid(8), id: uuid(8), info: info('TEN'), db_conf: [], users: [] },
  ],
  monitoring_metrics: [
    { _id: oid(9), name: 'm.http', tags: ['network'] },
    { _id: oid(10), name: 'm.dns', tags: null },
  ],
};

const [METRIC, OPERATIONS, AGGREGATION, WEIGHTS, OTHER_WEIGHTS, OLD, INVALID, THRESHOLDS] = [1, 2, 3, 4, 5, 6, 7, 8].map(uuid) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];
export const ids = { METRIC, OPERATIONS, AGGREGATION, WEIGHTS, OTHER_WEIGHTS, OLD, INVALID, REPORT: uuid(20), RECOMPUTATION: uuid(30) };

const weights = (number: number, id: string, date_integer: number | undefined, value: number) => ({
  _id: oid(number),
  id,
  date_integer: date_integer === undefined ? undefined : { $numberDouble: `${date_integer}.0` },
  date: '',
  name: 'w',
  weight_type: 'cores',
  group_type: 'SITES',
  groups: [{ name: 'S1', value: { $numberDouble: `${value}.5` } }],
});
const endpoint = (number: number, date_integer: number, hostname = 'h1.example') => ({
  _id: oid(number),
  date_integer,
  date: '',
  group: 'S1',
  type: 'SITES',
  service: 'web',
  hostname,
  notifications: { contacts: ['do-not-show@example.org'], enabled: true },
  tags: { 'info.ID': '7' },
});
const group = (number: number, date_integer: number) => ({
  _id: oid(number),
  date_integer,
  date: '',
  group: 'P1',
  type: 'PROJECT',
  subgroup: 'S1',
  notifications: null,
  tags: null,
});
const downtimes = (number: number, date_integer: number, severity: string) => ({
  _id: oid(number),
  date_integer,
  date: '',
  endpoints: [{ hostname: 'h1.example', service: 'web', start_time: '2025-05-01T08:00:00Z', end_time: '2025-05-01T09:00:00Z', severity }],
});
const report = (number: number, id: string, name: string, changes: object = {}) => ({
  _id: oid(number),
  id,
  tenant: 'OTHER',
  info: { name, description: '', created: '2024-01-01 10:00:00', updated: '2024-01-01 10:00:00' },
  thresholds: { availability: 80.0999984741211, reliability: 85, uptime: 0.800000011920929, unknown: 0.1, downtime: 0.1 },
  topology_schema: { group: { type: 'PROJECT', group: { type: 'SITES' } } },
  profiles: [{ id: METRIC, name: 'as it was', type: 'metric' }],
  filter_tags: null,
  ...changes,
});
const recomputation = (number: number, changes: object) => ({
  _id: oid(number),
  requester_name: 'Do Not Show',
  requester_email: 'do-not-show@example.org',
  reason: 'x',
  start_time: '2025-05-01T00:00:00Z',
  end_time: '2025-05-01T23:59:59Z',
  report: 'gone',
  exclude: ['S1'],
  timestamp: '2025-05-03T08:00:00Z',
  ...changes,
});
const point = (number: number, changes: object = {}) => ({
  _id: oid(number),
  report: ids.REPORT,
  endpoint_group: 'S1',
  service: 'web',
  host: 'h1.example',
  metric: 'm.http',
  status: 'CRITICAL',
  timestamp: '2025-05-03T10:05:00Z',
  date_integer: 20250503,
  previous_state: 'OK',
  summary: 'slow',
  original_status: 'WARNING',
  ...changes,
});
const profile = (number: number, id: string, date_integer: number, name: string) => ({
  _id: oid(number),
  id,
  date_integer,
  name,
  services: [{ service: 'web', metrics: ['m.http'] }],
});

export const tenant = {
  metric_profiles: [profile(101, METRIC, 20240201, 'crit 2'), profile(100, METRIC, 20240101, 'crit')],
  operations_profiles: [
    {
      _id: oid(110),
      id: OPERATIONS,
      date_integer: 20240101,
      name: 'ops',
      available_states: ['OK', 'CRITICAL'],
      defaults: { down: 'CRITICAL', missing: 'CRITICAL', unknown: 'CRITICAL' },
      operations: [{ name: 'AND', truth_table: [{ a: 'OK', b: 'CRITICAL', x: 'CRITICAL' }] }],
    },
    {
      _id: oid(111),
      id: INVALID,
      date_integer: 20240101,
      date: '2023-12-31',
      name: 'bad',
      available_states: ['A,B,C'],
      defaults: { down: 'B', missing: 'A', unknown: 'C' },
      operations: [],
    },
  ],
  aggregation_profiles: [
    {
      _id: oid(112),
      id: AGGREGATION,
      date_integer: 20240101,
      name: 'agg',
      metric_operation: 'AND',
      profile_operation: 'AND',
      metric_profile: { name: 'crit', id: METRIC },
      groups: [{ name: 'g', operation: 'OR', services: [{ name: 'web', operation: 'OR' }] }],
    },
  ],
  thresholds_profiles: [
    { _id: oid(113), id: THRESHOLDS, date_integer: 20240101, name: 'odd', rules: [{ metric: 'm.http', thresholds: 'time=;;;oops' }] },
  ],
  weights: [
    weights(123, WEIGHTS, 20240301, 3),
    weights(120, WEIGHTS, 20240101, 1),
    weights(121, WEIGHTS, 20240201, 7),
    weights(122, WEIGHTS, 20240201, 2),
    weights(124, OTHER_WEIGHTS, 20240101, 9),
    weights(125, OLD, undefined, 4),
    { _id: oid(126), name: 'S1', hepspec: 12 },
    weights(127, 'a/b', 20240101, 1),
    weights(128, WEIGHTS, 20240231, 1),
  ],
  topology_service_types: [{ _id: oid(130), date_integer: 20250501, name: 'web', title: 'Web', description: '', tags: null }],
  topology_groups: [group(140, 20250501), group(141, 20250502), group(142, 20250503)],
  topology_endpoints: [
    endpoint(153, 20250503),
    endpoint(150, 20250501),
    endpoint(151, 20250502),
    endpoint(154, 20250503, 'h2.example'),
    { ...endpoint(155, 20250503, 'h3.example'), tags: { n: 1 } },
  ],
  downtimes: [
    downtimes(160, 20250501, 'old'),
    downtimes(161, 20250501, 'outage'),
    { ...downtimes(162, 20250502, 'outage'), _id: { $oid: 'f'.repeat(24) } },
  ],
  reports: [
    report(170, ids.REPORT, 'R1', { public: false, node_report: true }),
    report(171, uuid(21), 'R2', {
      thresholds: undefined,
      public: true,
      node_report: true,
      profiles: [{ id: uuid(404), name: 'lost', type: 'metric' }],
    }),
    report(172, uuid(22), 'R3', { profiles: [{ id: METRIC, name: 'x', type: 'strange' }] }),
    report(173, uuid(23), 'R1'),
    report(174, uuid(24), 'ODD', {
      info: { name: 'ODD', description: '', created: '2024-1-2 3:04:05', updated: '2024-01-03 00:00:00' },
      profiles: Object.entries({ metric: METRIC, operations: INVALID, aggregation: AGGREGATION, thresholds: THRESHOLDS }).map(
        ([type, id]) => ({ id, name: 'x', type }),
      ),
    }),
  ],
  node_report: [
    { _id: 'node-report', report_id: ids.REPORT },
    { _id: 'another', report_id: uuid(404) },
  ],
  recomputations: [
    recomputation(180, {
      id: ids.RECOMPUTATION,
      status: 'done',
      history: [
        { status: 'pending', timestamp: '2025-05-02T08:00:00Z' },
        { status: 'approved', timestamp: '2025-05-02T09:00:00Z' },
        { status: 'done', timestamp: '2025-05-03T08:00:00Z' },
      ],
      timestamp: '2025-05-02T08:00:00Z',
      exclude_metrics: [{ metric: 'm.http', hostname: '' }],
    }),
    recomputation(181, { id: uuid(31), status: 'rejected', history: null }),
    recomputation(182, { id: uuid(32), status: 'pending', start_time: 'never' }),
  ],
  feeds_topology: [
    { _id: oid(190), type: 'gocdb', feed_url: 'https://f.example', paginated: 'true', fetch_type: ['item1'], uid_endpoints: 'e1' },
  ],
  feeds_data: [
    { _id: oid(191), tenants: [uuid(6), uuid(404)] },
    { _id: oid(192), tenants: [] },
  ],
  status_metrics: [
    point(200),
    point(201, { report: uuid(21) }),
    point(202, { timestamp: '2025-05-03T00:00:00Z', status: 'OK', previous_state: 'OK', summary: '' }),
    point(204, { timestamp: '2025-05-04T00:00:00Z', status: 'OK', previous_state: 'OK', original_status: '', summary: 'by a probe' }),
    point(203, { timestamp: '2025-05-03T11:00:00Z', original_status: '' }),
  ],
  endpoint_group_ar: [{ _id: oid(210), report: ids.REPORT, date: 20250501, name: 'S1', availability: 100 }],
};
