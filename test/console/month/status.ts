import { type Caller, calling, chance, DAY, type Due, dayBefore, type Target, together, zulu } from './caller.js';

/**
 * A tenant of the month. `user`: its own key. `measured`: sends the results of checks up to an instant that were not sent yet. `changes`: of its
 * profiles, downtimes and results.
 */
export type MonthTenant = Readonly<{
  id: string;
  name: string;
  user: string;
  measured: (until: number) => Promise<unknown>;
  changes: readonly Due[];
}>;

export const REPORT = 'Critical';
/** A group with a long outage in the middle of the month, and one with a downtime. */
export const TROUBLED = 'ALPINE-02';
/** Days of data, the last of which is today. */
export const DAYS = 30;

const TENANTS = [
  { name: 'Alpine Grid', prefix: 'ALPINE', sites: 12, admin: 'Ada Lovelace' },
  { name: 'Baltic Cloud', prefix: 'BALTIC', sites: 8, admin: 'Grace Hopper' },
  { name: 'Coral Archive', prefix: 'CORAL', sites: 5, admin: 'Jean Bartik' },
] as const;
type TenantPlan = (typeof TENANTS)[number];

const SERVICES = [
  ['compute', ['job-submit', 'certificate']],
  ['storage', ['transfer', 'free-space']],
  ['portal', ['https', 'certificate']],
] as const;

export const CHECKED = SERVICES.map(([service, metrics]) => ({ service, metrics }));

const STATES = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'DOWNTIME', 'CRITICAL'];
const OR = ['OK', 'WARNING', 'CRITICAL', 'UNKNOWN', 'DOWNTIME', 'MISSING'];
/** Endpoints of each site; with three or more each has all services. */
const ENDPOINTS = 8;
/** Hours between two checks of a metric. */
const EVERY = 6;
const POINTS_IN_A_CALL = 1_000;

type Endpoint = Readonly<{ group: string; service: (typeof SERVICES)[number][0]; host: string; metrics: readonly string[] }>;

const table = (states: readonly string[], wins: 'later' | 'earlier') =>
  states.flatMap((a, at) => states.slice(at + 1).map((b) => ({ a, b, x: wins === 'later' ? b : a })));

const siteOf = ({ prefix, sites }: TenantPlan, at: number): string => `${prefix}-${`${(at % sites) + 1}`.padStart(2, '0')}`;

const endpointsOf = (plan: TenantPlan, ofASite: number): readonly Endpoint[] =>
  Array.from({ length: plan.sites * ofASite }, (_, at) => {
    const [service, metrics] = SERVICES[Math.floor(at / plan.sites) % SERVICES.length] ?? SERVICES[0];
    return { group: siteOf(plan, at), service, metrics, host: `${service}-${at + 1}.${plan.prefix.toLowerCase()}.example.org` };
  });

/** What a check finds: outages last for hours, hit one host or a whole site, and are worse at some sites than at others. */
const statusOf = ({ group, host, service }: Endpoint, metric: string, at: number, now: number): string => {
  const [day, hour] = [Math.floor((now - at) / DAY), new Date(at).getUTCHours()];
  if (group === TROUBLED && day >= 14 && day <= 15) return hour < 18 ? 'CRITICAL' : 'WARNING';
  const site = chance(group, day);
  if (site < 0.03 && service === 'storage') return hour >= 6 && hour < 18 ? 'CRITICAL' : 'WARNING';
  if (chance(host, day) < 0.02) return hour < 12 ? 'CRITICAL' : 'UNKNOWN';
  if (chance(host, metric, at) < 0.004) return 'CRITICAL';
  return chance(host, metric, at) < 0.03 ? 'WARNING' : 'OK';
};

type Point = Readonly<Record<string, string>>;

const pointOf = ({ service, host }: Endpoint, metric: string, at: number, status: string): Point => ({
  timestamp: zulu(at),
  service,
  host,
  metric,
  status,
  summary: status === 'OK' ? `answered in ${20 + Math.floor(chance(host, at) * 180)} ms` : 'no answer in 30 s',
  monitoring_host: 'monitor.example.org',
});

/** Minutes of the day from which, and to which, a service of a site was away for a while; most days it was not. */
const interruptionOf = (group: string, service: string, day: number): readonly [from: number, to: number] | undefined => {
  if (chance('interruption', group, service, day) > 0.07) return undefined;
  const from = 60 + Math.floor(chance('from', group, service, day) * 1_080);
  return [from, from + 5 + Math.floor(chance('length', group, service, day) ** 3 * 240)];
};

/** What checks found at the beginning and the end of interruptions on a day. */
function* interruptions(endpoints: readonly Endpoint[], day: number, midnight: number): Generator<readonly [at: number, Endpoint, string]> {
  for (const endpoint of endpoints)
    for (const [place, minute] of (interruptionOf(endpoint.group, endpoint.service, day) ?? []).entries())
      yield [midnight + minute * 60_000, endpoint, place === 0 ? 'CRITICAL' : 'OK'];
}

/** The checks of an endpoint that began at an instant, but for days on which its site had no data. */
function* checksOf(endpoint: Endpoint, at: number, now: number): Generator<Point> {
  if (chance('no data', endpoint.group, Math.floor((now - at) / DAY)) < 0.01) return;
  for (const metric of endpoint.metrics) {
    const time = at + Math.floor(chance(endpoint.host, metric) * 1_800) * 1_000;
    if (time <= now) yield pointOf(endpoint, metric, time, statusOf(endpoint, metric, at, now));
  }
}

/** All that was measured up to now. */
function* pointsOf(endpoints: readonly Endpoint[], now: number): Generator<Point> {
  const first = Date.parse(`${dayBefore(now, DAYS - 1)}T00:00:00Z`);
  for (let at = first; at <= now; at += EVERY * 3_600_000) for (const endpoint of endpoints) yield* checksOf(endpoint, at, now);
  for (let days = DAYS - 1; days >= 0; days -= 1)
    for (const [at, endpoint, status] of interruptions(endpoints, days, Date.parse(`${dayBefore(now, days)}T00:00:00Z`)))
      if (at <= now) for (const metric of endpoint.metrics) yield pointOf(endpoint, metric, at, status);
}

function* batches<Item>(items: Iterable<Item>, size: number): Generator<readonly Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

type Made = Readonly<{ data: Readonly<{ id: string }> }>;

const addProfiles = async (call: Caller, date: string) => {
  const made = async (kind: string, body: object) => (await call<Made>('POST', `/api/v2/${kind}?date=${date}`, body)).data.id;
  const metric = await made('metric_profiles', {
    name: 'checks',
    description: 'What every endpoint is checked for',
    services: CHECKED,
  });
  const operations = await made('operations_profiles', {
    name: 'operations',
    available_states: STATES,
    defaults: { down: 'DOWNTIME', missing: 'MISSING', unknown: 'UNKNOWN' },
    operations: [
      { name: 'AND', truth_table: table(STATES, 'later') },
      { name: 'OR', truth_table: table(OR, 'earlier') },
    ],
  });
  const aggregation = await made('aggregation_profiles', {
    name: 'critical services',
    namespace: 'example',
    endpoint_group: 'SITES',
    metric_operation: 'AND',
    profile_operation: 'AND',
    metric_profile: { id: metric, name: 'checks' },
    groups: SERVICES.map(([name]) => ({ name, operation: 'OR', services: [{ name, operation: 'OR' }] })),
  });
  return { metric, operations, aggregation };
};

/** Changes of the month: a profile twice, a recomputation, a downtime. */
const changesOf = (call: Caller, plan: TenantPlan, endpoints: readonly Endpoint[], metric: string, now: number): readonly Due[] => {
  const changeChecks = (days: number, description: string): Due => ({
    days,
    work: () =>
      call('PUT', `/api/v2/metric_profiles/${metric}?date=${dayBefore(now, days)}`, { name: 'checks', description, services: CHECKED }),
  });
  const addDowntime = async (): Promise<void> => {
    const day = dayBefore(now, 8);
    const downtime = { start_time: `${day}T08:00:00Z`, end_time: `${day}T13:59:00Z`, severity: 'outage', classification: 'scheduled' };
    const hosts = endpoints.filter(({ group }) => group === siteOf(plan, 3));
    await call('POST', `/api/v2/downtimes?date=${day}`, {
      endpoints: hosts.map(({ host, service }) => ({ hostname: host, service, description: 'new cooling', ...downtime })),
    });
  };
  const recompute = async (): Promise<void> => {
    const span = { start_time: `${dayBefore(now, 15)}T00:00:00Z`, end_time: `${dayBefore(now, 15)}T05:59:59Z` };
    const asked = { requester_name: 'Ada Lovelace', requester_email: 'ada@example.org', reason: 'the monitoring host had no network' };
    const { id } = (await call<Made>('POST', '/api/v2/recomputations', { ...asked, ...span, report: REPORT, exclude: [siteOf(plan, 1)] }))
      .data;
    await call('POST', `/api/v2/recomputations/${id}/status`, { status: 'approved' });
  };
  return [
    changeChecks(20, 'What every endpoint is checked for, at all sites'),
    { days: 14, work: recompute },
    { days: 8, work: addDowntime },
    changeChecks(6, 'What every endpoint is checked for, at all sites, every six hours'),
  ];
};

const addTenant = async (target: Target, plan: TenantPlan, now: number, ofASite: number): Promise<MonthTenant> => {
  const admin = calling(target.url, { 'x-api-key': target.statusKey });
  const user = `month-${plan.prefix.toLowerCase()}-key`;
  const email = `operations@${plan.prefix.toLowerCase()}.example.org`;
  const { data } = await admin<Made>('POST', '/api/v2/admin/tenants', {
    info: { name: plan.name, email, website: `https://${plan.prefix.toLowerCase()}.example.org`, description: 'A federation of sites' },
    topology: { type: 'GOCDB', feed: `https://topology.${plan.prefix.toLowerCase()}.example.org` },
    users: [{ name: plan.admin, email, api_key: user, roles: ['admin', 'editor'] }],
  });
  const call = calling(target.url, { 'x-api-key': user });
  const [date, endpoints] = [dayBefore(now, DAYS + 1), endpointsOf(plan, ofASite)];
  const typed = endpoints.map(({ group, service, host }) => ({ group, type: 'SITES', service, hostname: host, tags: { production: '1' } }));
  await call('POST', `/api/v2/topology/endpoints?date=${date}`, typed);
  const groups = Array.from({ length: plan.sites }, (_, at) => ({
    group: `${plan.prefix}-NGI-${(at % 3) + 1}`,
    type: 'NGI',
    subgroup: siteOf(plan, at),
  }));
  await call('POST', `/api/v2/topology/groups?date=${date}`, groups);
  const profiles = await addProfiles(call, date);
  const report = await call<Made>('POST', '/api/v2/reports', {
    info: { name: REPORT, description: 'Services that users depend on' },
    computations: { ar: true, status: true, trends: ['flapping', 'status', 'tags'] },
    topology_schema: { group: { type: 'NGI', group: { type: 'SITES' } } },
    profiles: Object.entries(profiles).map(([type, id]) => ({ type, id })),
  });
  let points: readonly Point[] = [...pointsOf(endpoints, now)];
  const measured = (until: number) => {
    const isDue = ({ timestamp = '' }: Point): boolean => Date.parse(timestamp) <= until;
    const due = points.filter(isDue);
    points = points.filter((point) => !isDue(point));
    return together(batches(due, POINTS_IN_A_CALL), (batch) => call('POST', '/api/v2/metric_data', batch));
  };
  await call('POST', `/api/v2/reports/${report.data.id}/set-public`);
  return { id: data.id, name: plan.name, user, measured, changes: changesOf(call, plan, endpoints, profiles.metric, now) };
};

/** Three tenants with 25 sites, which are checked for a month. @param ofASite endpoints of each */
export const addTenants = async (target: Target, now: number, ofASite = ENDPOINTS): Promise<readonly MonthTenant[]> => {
  const tenants: MonthTenant[] = [];
  for (const plan of TENANTS) tenants.push(await addTenant(target, plan, now, ofASite));
  return tenants;
};
