import type { Day } from '#domain/shared/time.js';
import { CONNECTIONS } from '#test/bench/load.js';
import type { BenchTenant } from './status-data.js';

/** 2,000 endpoints in 200 groups with 5 metrics each, and a group with one endpoint of which the status can be followed. */
export const WORLD = { endpoints: 2_000, groups: 200, supergroups: 10, metrics: 5 } as const;

export const REPORT = 'Critical';
export const PROBE = { group: 'SITE-PROBE', host: 'probe.example.org', service: 'service-0' } as const;
const SERVICES = 5;
const GROUP_SIZE = WORLD.endpoints / WORLD.groups;
const STATES = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'DOWNTIME', 'CRITICAL'] as const;
/** Before any day with points. */
const CONFIGURED = '2015-01-01';
/** Points in a call. */
const CALL_POINTS = 1_000;
const CALLS_AT_ONCE = 8;

/** A server and a tenant of it. `endpoints`, in groups of 10; default: those of {@link WORLD}. */
export type Served = Readonly<{ url: string; tenant: BenchTenant; endpoints?: number }>;

/** @throws when the answer is not 2xx */
export const call = async ({ url, tenant }: Served, method: string, path: string, body?: object): Promise<unknown> => {
  const answer = await fetch(`${url}/api/v2${path}`, {
    method,
    headers: { ...tenant.headers, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
};

const idOf = (answer: unknown): string => (answer as Readonly<{ data: Readonly<{ id: string }> }>).data.id;

const range = <Item>(count: number, item: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => item(index));

const metrics = range(WORLD.metrics, (index) => `metric-${index}`);
const services = range(SERVICES, (index) => `service-${index}`);

const profiles = {
  operations: {
    name: 'operations',
    available_states: STATES,
    defaults: { down: 'DOWNTIME', missing: 'MISSING', unknown: 'UNKNOWN' },
    operations: [{ name: 'AND', truth_table: STATES.flatMap((a, place) => STATES.slice(place).map((b) => ({ a, b, x: b }))) }],
  },
  metric: { name: 'metrics', description: '', services: services.map((service) => ({ service, metrics })) },
};

const aggregation = (metricProfile: string) => ({
  name: 'aggregation',
  namespace: '',
  endpoint_group: 'SITES',
  metric_operation: 'AND',
  profile_operation: 'AND',
  metric_profile: { id: metricProfile, name: 'metrics' },
  groups: [{ name: 'all', operation: 'AND', services: services.map((name) => ({ name, operation: 'AND' })) }],
});

const siteOf = (endpoint: number, groups: number = WORLD.groups): string => `SITE-${`${endpoint % groups}`.padStart(3, '0')}`;
const hostOf = (endpoint: number): string => `host-${endpoint}.example.org`;
const serviceOf = (endpoint: number, groups: number = WORLD.groups): string => services[Math.floor(endpoint / groups) % SERVICES] as string;

/** Endpoints of the report: all of the world, and the followed one. */
export const topologyOf = (count: number): readonly object[] => {
  const groups = count / GROUP_SIZE;
  const endpoints = range(count, (index) => ({ group: siteOf(index, groups), service: serviceOf(index, groups), hostname: hostOf(index) }));
  const probe = { group: PROBE.group, service: PROBE.service, hostname: PROBE.host };
  return [...endpoints, probe].map((item) => ({ ...item, type: 'SITES', tags: { production: '1' } }));
};

/** The report with everything that its results are computed from, but for points. Returns its id. */
export const addReport = async (served: Served): Promise<string> => {
  const on = `?date=${CONFIGURED}`;
  const { endpoints = WORLD.endpoints } = served;
  await call(served, 'POST', `/topology/endpoints${on}`, topologyOf(endpoints));
  const groupCount = endpoints / GROUP_SIZE;
  const sites = [...range(groupCount, (index) => siteOf(index, groupCount)), PROBE.group];
  const groups = sites.map((subgroup, index) => ({ group: `NGI-${index % WORLD.supergroups}`, type: 'NGI', subgroup }));
  await call(served, 'POST', `/topology/groups${on}`, groups);
  const operations = idOf(await call(served, 'POST', `/operations_profiles${on}`, profiles.operations));
  const metric = idOf(await call(served, 'POST', `/metric_profiles${on}`, profiles.metric));
  const aggregated = idOf(await call(served, 'POST', `/aggregation_profiles${on}`, aggregation(metric)));
  return idOf(
    await call(served, 'POST', '/reports', {
      info: { name: REPORT },
      computations: { ar: true, status: true, trends: ['flapping', 'status', 'tags'] },
      topology_schema: { group: { type: 'NGI', group: { type: 'SITES' } } },
      profiles: [
        { id: operations, type: 'operations' },
        { id: metric, type: 'metric' },
        { id: aggregated, type: 'aggregation' },
      ],
    }),
  );
};

/** Points of all endpoints: `each` of every metric on the day, spread over so many seconds from its beginning. `report`: that they name; default: none. `endpoints`: as of {@link Served}. */
export type Load = Readonly<{ day: Day; each: number; seconds: number; report?: string; endpoints?: number }>;

const zulu = (day: Day, second: number): string => `${day}T${new Date(second * 1_000).toISOString().slice(11, 19)}Z`;

/** One in some fifty points is not OK; which ones depends on nothing but their place. */
const statusOf = (place: number): string => {
  const mixed = Math.imul(place ^ 0x9e37_79b9, 0x85eb_ca6b) >>> 16;
  return mixed % 50 === 0 ? 'CRITICAL' : mixed % 50 === 1 ? 'WARNING' : 'OK';
};

/** As a monitoring engine sends them: everything once, then everything again. */
export function* pointsOf({ day, each, seconds, report, endpoints = WORLD.endpoints }: Load): Generator<string> {
  const groups = endpoints / GROUP_SIZE;
  for (let slot = 0; slot < each; slot++)
    for (let endpoint = 0; endpoint < endpoints; endpoint++)
      for (const [index, metric] of metrics.entries()) {
        const timestamp = zulu(day, Math.floor((slot * seconds) / each));
        const status = statusOf((slot * endpoints + endpoint) * WORLD.metrics + index);
        const named = report === undefined ? '' : `"report":"${report}","endpoint_group":"${siteOf(endpoint, groups)}",`;
        yield `{${named}"timestamp":"${timestamp}","service":"${serviceOf(endpoint, groups)}","host":"${hostOf(endpoint)}","metric":"${metric}","status":"${status}","summary":"checked in 12 ms"}`;
      }
}

function* bodiesOf(load: Load): Generator<Readonly<{ body: string; count: number }>> {
  let points: string[] = [];
  for (const point of pointsOf(load)) {
    points.push(point);
    if (points.length < CALL_POINTS) continue;
    yield { body: `[${points}]`, count: points.length };
    points = [];
  }
  if (points.length > 0) yield { body: `[${points}]`, count: points.length };
}

/** Where points go: of Logbook, or of a bare server. */
export type Target = Readonly<{ url: string; method: 'POST' | 'PUT'; headers: Readonly<Record<string, string>> }>;

export const metricData = ({ url, tenant }: Served): Target => ({
  url: `${url}/api/v2/metric_data`,
  method: 'POST',
  headers: { ...tenant.headers, 'content-type': 'application/json' },
});

/** Sends the points, 8 calls at a time. Returns how many there were, and bytes of bodies. @throws when one is refused */
export const send = async (target: Target, load: Load): Promise<Readonly<{ points: number; bytes: number }>> => {
  const bodies = bodiesOf(load);
  let [points, bytes, calls] = [0, 0, 0];
  const sender = async (): Promise<void> => {
    for (let next = bodies.next(); !next.done; next = bodies.next()) {
      const { body, count } = next.value;
      const { method, headers } = target;
      const url = method === 'PUT' ? `${target.url}/${calls++ % CONNECTIONS}` : target.url;
      const answer = await fetch(url, { method, headers, body });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text.slice(0, 500)}`);
      points += count;
      bytes += body.length;
    }
  };
  await Promise.all(range(CALLS_AT_ONCE, sender));
  return { points, bytes };
};

/** A point of the followed endpoint, of this moment. */
export const sendProbe = (served: Served, status: string, now = Date.now()): Promise<unknown> =>
  call(
    served,
    'POST',
    '/metric_data',
    metrics.map((metric) => ({
      timestamp: new Date(now).toISOString().replace(/\.\d+Z$/, 'Z'),
      service: PROBE.service,
      host: PROBE.host,
      metric,
      status,
    })),
  );

type Statuses = Readonly<{ groups: readonly Readonly<{ statuses: readonly Readonly<{ value: string }>[] }>[] }>;

/** The status of the followed group now. */
export const probedStatus = async (served: Served, now = Date.now()): Promise<string | undefined> => {
  const day = new Date(now).toISOString().slice(0, 10);
  const span = `start_time=${day}T00:00:00Z&end_time=${day}T23:59:59Z`;
  const { groups } = (await call(served, 'GET', `/status/${REPORT}/SITES/${PROBE.group}?${span}`)) as Statuses;
  return groups[0]?.statuses.at(-1)?.value;
};
