import type { TestTenant } from '#test/e2e/status/extended-contract.js';
import { idOf } from '#test/support/status-client.js';

const STATES = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'CRITICAL', 'DOWNTIME'];
const SEVERITY = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'DOWNTIME', 'CRITICAL'];

/** The truth table whose result is the later of both in a list (results contract 14). */
const laterOf = (order: readonly string[]) => order.flatMap((a, i) => order.slice(i).map((b) => ({ a, b, x: b })));

/** One group SITE-A of NGI-A with one host and metric; everything is dated 2015-01-01. Resolves with the ids of what was made. */
export const smallReport = async (tenant: TestTenant, name: string) => {
  const made = async (path: string, body: object) => idOf(await tenant.post(`${path}?date=2015-01-01`, body));
  const operations = await made('/operations_profiles', {
    name: `ops-${name}`,
    available_states: STATES,
    defaults: { down: 'DOWNTIME', missing: 'MISSING', unknown: 'UNKNOWN' },
    operations: [
      { name: 'AND', truth_table: laterOf(SEVERITY) },
      { name: 'OR', truth_table: laterOf([...SEVERITY].reverse()) },
    ],
  });
  const metric = await made('/metric_profiles', { name: `metrics-${name}`, services: [{ service: 'web', metrics: ['http'] }] });
  const aggregation = await made('/aggregation_profiles', {
    name: `aggregation-${name}`,
    namespace: 'test',
    endpoint_group: 'SITES',
    metric_operation: 'AND',
    profile_operation: 'AND',
    metric_profile: { id: metric, name: `metrics-${name}` },
    groups: [{ name: 'web', operation: 'OR', services: [{ name: 'web', operation: 'OR' }] }],
  });
  await tenant.post('/topology/groups?date=2015-01-01', [{ group: 'NGI-A', type: 'NGI', subgroup: 'SITE-A' }]);
  await tenant.post('/topology/endpoints?date=2015-01-01', [
    { group: 'SITE-A', type: 'SITES', service: 'web', hostname: 'h1.example.org' },
  ]);
  const report = idOf(
    await tenant.post('/reports', {
      info: { name },
      topology_schema: { group: { type: 'NGI', group: { type: 'SITES' } } },
      profiles: [
        { id: metric, type: 'metric' },
        { id: operations, type: 'operations' },
        { id: aggregation, type: 'aggregation' },
      ],
    }),
  );
  return { report, metric, operations, aggregation };
};

/** Points of the one metric: times of a day, each with a status. */
export const pointsOf = (day: string, ...points: readonly (readonly [time: string, status: string])[]) =>
  points.map(([time, status]) => ({
    timestamp: `${day}T${time}Z`,
    service: 'web',
    host: 'h1.example.org',
    metric: 'http',
    status,
  }));
