import type { Point, Poster } from '#test/e2e/status/metric-data/metric-points.js';
import { type Answer, idOf } from '#test/support/status-client.js';

/** A tenant whose report can be computed, with points around 2015-05-01. */

const SINCE = '?date=2015-01-01';
const AND = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'DOWNTIME', 'CRITICAL'];
const OR = ['OK', 'WARNING', 'CRITICAL', 'UNKNOWN', 'DOWNTIME', 'MISSING'];

/** Of two states the one that comes later (`AND`) or earlier (`OR`) in the list. */
const table = (states: readonly string[], wins: 'later' | 'earlier') =>
  states.flatMap((earlier, index) =>
    states.slice(index + 1).map((later) => ({ a: earlier, b: later, x: wins === 'later' ? later : earlier })),
  );

const endpoint = (group: string, service: string, hostname: string, tags: Readonly<Record<string, string>> = {}) => ({
  group,
  type: 'SITES',
  service,
  hostname,
  tags,
});
const subgroup = (name: string) => ({ group: 'ROC', type: 'NGI', subgroup: name, tags: {} });

export const INFO = { ID: '7', URL: 'u' };
/** Characters that URLs, JSON and XML write in their own ways. */
export const ODD = `a b%2F&"<ü>'`;

const ENDPOINTS = [
  endpoint('SITE-A', 'CE', 'h1', { info_ID: INFO.ID, info_URL: INFO.URL, info_none: '', other: 'x' }),
  endpoint('SITE-A', 'CE', 'h2'),
  endpoint('SITE-A', 'SE', 'h1'),
  endpoint('SITE-B', 'CE', 'h3', { info_ID: '7' }),
  endpoint(ODD, 'CE', ODD),
];

const point = (timestamp: string, host: string, status: string, changes: Point = {}): Point => ({
  timestamp: `2015-${timestamp}:00Z`,
  service: 'CE',
  host,
  metric: 'ping',
  status,
  ...changes,
});
const LOAD = { service: 'SE', metric: 'load' };

export const POINTS = [
  point('04-30T23:00', 'h1', 'OK'),
  point('04-30T23:00', 'h2', 'OK'),
  point('04-30T23:00', 'h3', 'OK'),
  point('04-30T23:00', 'h1', 'OK', LOAD),
  point('05-01T06:00', 'h1', 'CRITICAL'),
  point('05-01T07:30', 'h1', 'OK'),
  point('05-01T05:00', 'h2', 'WARNING'),
  point('05-01T07:00', 'h2', 'CRITICAL'),
  point('05-01T08:00', 'h2', 'OK'),
  point('05-01T08:00', 'h1', 'OK', { ...LOAD, actual_data: 'load=95%;' }),
];

export const RULE = 'load=0%;50:90;90:100';

/** Not by Jest: data of releases are made outside of it. @throws unless the answer is 201 */
const expectCreated = ({ status, text }: Answer): void => {
  if (status !== 201) throw new Error(`${status} ${text}`);
};

/** The id of a new report with those profiles. */
export const newComputedReport = async (tenant: Poster, name: string, profiles: readonly object[], more: object = {}): Promise<string> =>
  idOf(
    await tenant.post('/reports', {
      info: { name },
      topology_schema: { group: { type: 'NGI', group: { type: 'SITES' } } },
      profiles,
      filter_tags: [],
      ...more,
    }),
  );

/** Gives the tenant profiles and topology since 2015-01-01, a report `Critical`, and points. Returns the profiles of the report. */
export const computedReport = async (tenant: Poster): Promise<readonly object[]> => {
  const made = async (kind: string, body: object) => idOf(await tenant.post(`/${kind}${SINCE}`, body));
  const services = [
    { service: 'CE', metrics: ['ping'] },
    { service: 'SE', metrics: ['load'] },
  ];
  const metric = await made('metric_profiles', { name: 'metrics', services });
  const operations = await made('operations_profiles', {
    name: 'operations',
    available_states: AND,
    defaults: { down: 'DOWNTIME', missing: 'MISSING', unknown: 'UNKNOWN' },
    operations: [
      { name: 'AND', truth_table: table(AND, 'later') },
      { name: 'OR', truth_table: table(OR, 'earlier') },
    ],
  });
  const aggregation = await made('aggregation_profiles', {
    name: 'aggregation',
    namespace: '',
    endpoint_group: 'sites',
    metric_operation: 'AND',
    profile_operation: 'AND',
    metric_profile: { id: metric },
    groups: [
      { name: 'compute', operation: 'OR', services: [{ name: 'CE', operation: 'OR' }] },
      { name: 'storage', operation: 'OR', services: [{ name: 'SE', operation: 'OR' }] },
    ],
  });
  const thresholds = await made('thresholds_profiles', { name: 'thresholds', rules: [{ metric: 'load', thresholds: RULE }] });
  const profiles = Object.entries({ metric, operations, aggregation, thresholds }).map(([type, id]) => ({ id, type }));
  for (const [list, items] of [
    ['groups', ['SITE-A', 'SITE-B', ODD].map(subgroup)],
    ['endpoints', ENDPOINTS],
  ] as const)
    expectCreated(await tenant.post(`/topology/${list}${SINCE}`, items));
  await newComputedReport(tenant, 'Critical', profiles);
  expectCreated(await tenant.post('/metric_data', POINTS, { headers: { 'content-type': 'application/json' } }));
  return profiles;
};
