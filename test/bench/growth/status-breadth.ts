import { setTimeout as sleep } from 'node:timers/promises';
import { addReport, metricData, REPORT, type Served, send, topologyOf } from '#test/bench/inputs/results-data.js';
import { addTenant, type BenchTenant } from '#test/bench/inputs/status-data.js';
import type { Breadth, Call, Wide } from './breadth.js';
import { operator } from './messaging-breadth.js';

const admin = { 'x-api-key': 'bench-status', accept: 'application/json', 'content-type': 'application/json' };
const AT_A_TIME = 64;

/** Time with an open console, of which the overview looks at all groups every five seconds. */
const CONSOLE_MS = 15_000;

const consoleOpen = async (wide: Breadth): Promise<void> => {
  await wide.call('console: overview, first event', 1, () => ({ path: '/console/live', headers: operator, until: 'data: ' }));
  await wide.work(`console: overview open for ${CONSOLE_MS / 1_000} s`, async () => {
    const ended = new AbortController();
    const answer = await fetch(`${wide.server.url}/console/live`, { headers: operator, signal: ended.signal });
    const reading = answer.arrayBuffer().catch(() => undefined);
    await sleep(CONSOLE_MS);
    ended.abort();
    await reading;
  });
};

export const tenants = (count: number): Wide => ({
  name: `${count.toLocaleString('en')} tenants`,
  make: (wide) =>
    wide.call(
      'create a tenant',
      count,
      (index) => ({
        ...{ method: 'POST', path: '/api/v2/admin/tenants', headers: admin, status: 201 },
        body: JSON.stringify({
          info: { name: `tenant-${index}`, email: 'bench@example.org', website: 'https://example.org' },
          users: [{ name: 'bench', email: 'bench@example.org', api_key: `bench-${index}`, roles: ['admin'] }],
        }),
      }),
      AT_A_TIME,
    ),
  use: async (wide) => {
    const of = (index: number) => ({ ...admin, 'x-api-key': `bench-${index}` });
    const list = await wide.call('all tenants', 5, () => ({ path: '/api/v2/admin/tenants', headers: admin }));
    const ids = (JSON.parse(list) as Readonly<{ data: readonly Readonly<{ id: string }>[] }>).data.map(({ id }) => id);
    await wide.call('one tenant', 100, (index) => ({ path: `/api/v2/admin/tenants/${ids[(index * 7) % count]}`, headers: admin }));
    await wide.call('a call of each tenant', count, (index) => ({ path: '/api/v2/reports', headers: of(index) }), AT_A_TIME);
    await wide.call('a name of them', 5, (index) => ({ path: `/ops/places?text=tenant-${index}7`, headers: operator }));
    await wide.call('/metrics', 5, () => ({ path: '/metrics', headers: operator }));
    await consoleOpen(wide);
  },
});

const DAY_MS = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Uploads that fit, have too many items, and are too long. */
const uploads = async (wide: Breadth, count: number, headers: Record<string, string>): Promise<void> => {
  const upload = (body: string, status: number): Call => ({
    ...{ method: 'POST', path: `/api/v2/topology/endpoints?date=${daysAgo(3)}`, status },
    ...{ headers: { ...headers, 'content-type': 'application/json' }, body },
  });
  await wide.call('upload of the topology', 1, () => upload(JSON.stringify(topologyOf(count)), 201));
  await wide.call('topology of 200,001 endpoints, refused', 1, () => upload(JSON.stringify(topologyOf(200_000)), 422));
  await wide.call('topology of 65 MiB, refused', 1, () => upload(`[${' '.repeat(65 * 2 ** 20)}]`, 400));
};

const reads = async (wide: Breadth, headers: Record<string, string>): Promise<void> => {
  const get = (path: string): Call => ({ path: `/api/v2${path}`, headers });
  await wide.call('endpoints of the topology', 3, () => get('/topology/endpoints'));
  await wide.call('endpoints of the report', 3, () => get(`/topology/endpoints/by_report/${REPORT}`));
  await wide.call('endpoints of one host', 10, (index) => get(`/topology/endpoints?hostname=host-${index}.example.org`));
  await wide.call('tags of the topology', 3, () => get('/topology/tags'));
  for (const [day, days] of [
    ['yesterday', 1],
    ['today', 0],
  ] as const) {
    const span = `start_time=${daysAgo(days)}T00:00:00Z&end_time=${daysAgo(days)}T23:59:59Z`;
    await wide.call(`results of all groups, ${day}, first`, 1, () => get(`/results/${REPORT}/SITES?${span}`));
    await wide.call(`results of all groups, ${day}`, 3, () => get(`/results/${REPORT}/SITES?${span}`));
    await wide.call(`results of one group, ${day}`, 10, (index) => get(`/results/${REPORT}/SITES/SITE-00${index}?${span}`));
    await wide.call(`statuses of all groups, ${day}`, 3, () => get(`/status/${REPORT}/SITES?${span}`));
    await wide.call(`statuses of one group, ${day}`, 10, (index) => get(`/status/${REPORT}/SITES/SITE-00${index}?${span}`));
  }
  await wide.call('reports', 10, () => get('/reports'));
  await wide.call('issues of endpoints, yesterday', 3, () => get(`/issues/${REPORT}/endpoints?date=${daysAgo(1)}`));
  await wide.call('/metrics/status', 2, () => ({ path: '/metrics/status', headers: { 'x-api-key': headers['x-api-key'] ?? '' } }));
};

export const endpoints = (count: number): Wide => {
  const tenants: BenchTenant[] = [];
  const served = ({ server }: Breadth): Served => {
    const [tenant] = tenants;
    if (!tenant) throw new Error('there is no tenant');
    return { url: server.url, tenant, endpoints: count };
  };
  const sendPoints = (wide: Breadth, day: string) => send(metricData(served(wide)), { day, each: 1, seconds: 3_600, endpoints: count });
  return {
    name: `a tenant of ${count.toLocaleString('en')} endpoints`,
    prepare: async (installation) => tenants.push(await installation.withRuntime(addTenant)),
    make: async (wide) => {
      await wide.work('topology, profiles and report', () => addReport(served(wide)));
      await wide.work(`points of yesterday, ${(count * 5).toLocaleString('en')}`, () => sendPoints(wide, daysAgo(1)));
      await wide.work('points of today, as many', () => sendPoints(wide, daysAgo(0)));
    },
    use: async (wide) => {
      const { headers } = served(wide).tenant;
      await consoleOpen(wide);
      await reads(wide, headers);
      await uploads(wide, count, headers);
      await consoleOpen(wide);
      await wide.atRest('the same, after all of it');
    },
  };
};
