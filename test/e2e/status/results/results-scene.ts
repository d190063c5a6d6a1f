import { expect } from '@jest/globals';
import type { TestTenant } from '#test/e2e/status/extended-contract.js';
import { type Answer, idOf } from '#test/support/status-client.js';

/** A report with results, made over HTTP; values are those of results contract 14. */

const STATES = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'CRITICAL', 'DOWNTIME'];
const AND = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'DOWNTIME', 'CRITICAL'];
const OR = ['OK', 'WARNING', 'CRITICAL', 'UNKNOWN', 'DOWNTIME', 'MISSING'];

/** A truth table that gives the one that `order` has later. */
const later = (order: readonly string[]) => order.flatMap((a, index) => order.slice(index).map((b) => ({ a, b, x: b })));

/** Profile V. */
export const OPERATIONS = {
  available_states: STATES,
  defaults: { down: 'DOWNTIME', missing: 'MISSING', unknown: 'UNKNOWN' },
  operations: [
    { name: 'AND', truth_table: later(AND) },
    { name: 'OR', truth_table: later([...OR].reverse()) },
  ],
};

const SCHEMA = { group: { type: 'NGI', group: { type: 'SITES' } } };
const SINCE = '?date=2015-01-01';

const created = (answer: Answer): Answer => {
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer;
};

/** Profiles, weights and topology of everything below; the members of a report that refer to them. */
export const givenConfiguration = async (tenant: TestTenant) => {
  const make = async (path: string, body: object) => idOf(created(await tenant.post(`/${path}${SINCE}`, body)));
  const services = [
    { service: 'web', metrics: ['http', 'cert'] },
    { service: 'db', metrics: ['query'] },
  ];
  const metric = await make('metric_profiles', { name: 'metrics', services });
  const operations = await make('operations_profiles', { name: 'operations', ...OPERATIONS });
  const aggregation = await make('aggregation_profiles', {
    name: 'aggregation',
    namespace: 'n',
    endpoint_group: 'SITES',
    metric_operation: 'AND',
    profile_operation: 'AND',
    metric_profile: { name: 'metrics', id: metric },
    groups: [
      { name: 'front', operation: 'AND', services: [{ name: 'web', operation: 'OR' }] },
      { name: 'back', operation: 'AND', services: [{ name: 'db', operation: 'OR' }] },
    ],
  });
  const weighing = { name: 'w', weight_type: 'n', group_type: 'SITES', groups: [{ name: 'SITE-A', value: 3 }] };
  const weights = await make('weights', weighing);
  const group = (name: string, subgroup: string) => ({ group: name, type: 'NGI', subgroup });
  const endpoint = (name: string, service: string, hostname: string, tags = {}) => ({
    group: name,
    type: 'SITES',
    service,
    hostname,
    tags,
  });
  created(await tenant.post(`/topology/groups${SINCE}`, [group('NGI-1', 'SITE-A'), group('NGI-1', 'SITE-B'), group('NGI-2', 'SITE-B')]));
  const endpoints = [
    endpoint('SITE-A', 'web', 'h1', { info_ID: 'id-1', info_URL: 'https://h1/<a>', scope: 'x' }),
    endpoint('SITE-B', 'db', 'h2', { info_ID: 'id/2', info_URL: '' }),
  ];
  created(await tenant.post(`/topology/endpoints${SINCE}`, endpoints));
  const profiles = [
    { id: metric, type: 'metric' },
    { id: operations, type: 'operations' },
    { id: aggregation, type: 'aggregation' },
    { id: weights, type: 'weights' },
  ];
  return { topology_schema: SCHEMA, profiles };
};

export type Configuration = Awaited<ReturnType<typeof givenConfiguration>>;

export const givenReport = async (tenant: TestTenant, configuration: Configuration, name: string, more = {}): Promise<string> =>
  idOf(created(await tenant.post('/reports', { info: { name }, ...configuration, ...more })));

const point = (host: string, service: string, metric: string) => (timestamp: string, status: string) => ({
  timestamp,
  host,
  service,
  metric,
  status,
});
const [http, cert, query] = [point('h1', 'web', 'http'), point('h1', 'web', 'cert'), point('h2', 'db', 'query')];

/**
 * SITE-A has vector 1 on the first of May, SITE-B vector 14; the day before they have one OK at 23:00, the day after nothing. A certificate is checked
 * once, on the last of April.
 */
export const POINTS = [
  http('2015-04-30T23:00:00Z', 'OK'),
  cert('2015-04-30T23:00:00Z', 'OK'),
  query('2015-04-30T23:00:00Z', 'OK'),
  http('2015-05-01T06:00:00Z', 'CRITICAL'),
  http('2015-05-01T07:30:00Z', 'OK'),
  query('2015-05-01T12:50:00Z', 'UNKNOWN'),
  query('2015-05-01T13:05:00Z', 'DOWNTIME'),
  query('2015-05-01T21:05:00Z', 'CRITICAL'),
];
