import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { servingAlone } from '#test/e2e/serving.js';
import { newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { embedded, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { smallReport } from './small-report.js';

/** 200 hosts with 5 metrics each: from 1,000 metrics on a day is computed in the thread and kept on disk. */
const HOSTS = Array.from({ length: 200 }, (_, index) => `host-${index}.example.org`);
const METRICS = ['a', 'b', 'c', 'd', 'e'];
const siteOf = (index: number): string => `SITE-${index % 4}`;
const DAYS = ['2015-02-01', '2015-02-02', '2015-02-03'];

const OPS = { 'x-api-key': OPERATOR };
/** Of the thread of results, which answers large calls. */
const NICENESS = 2;

/** Processor time of the main thread and of that of results, in hundredths of a second. */
const ticks = (pid: number): Readonly<Record<'main' | 'results', number>> => {
  const times = { main: 0, results: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    // Behind the name, from the third field on: `proc_pid_stat(5)`.
    const fields = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, nice] = [fields[11], fields[12], fields[16]];
    if (thread === String(pid)) times.main += user + system;
    else if (nice === NICENESS) times.results += user + system;
  }
  return times;
};

type Run = Readonly<{ kind: string; report: string; from: string; to: string; days: { done: number; total: number }; state: string }>;

describe('a large report', () => {
  const scene = servingAlone(embedded);
  let tenant: TestTenant;
  /** With 5,000 endpoints, and a point of one of them. */
  let wide: TestTenant;
  const dated = (path: string, body: unknown) => tenant.post(`${path}?date=2015-01-02`, body);
  const results = async (path = '/SITES') => {
    const url = `/results/Large${path}?start_time=2015-02-01T00:00:00Z&end_time=2015-02-03T23:59:59Z`;
    const answer = await scene.status.get(url, { key: `${tenant.name}-admin` });
    expect(answer.status).toBe(200);
    return answer.json as { results: readonly { endpoints: readonly { name: string; results: readonly { reliability: string }[] }[] }[] };
  };
  const reliabilities = async () => (await results()).results[0]?.endpoints.map((one) => one.results.map((row) => row.reliability));
  const ops = async () => {
    const { status, json } = await scene.root.get('/ops/results', { headers: OPS });
    expect(status).toBe(200);
    return json as Readonly<{ state: string; daysWaiting: number; bytes: number; items: readonly Run[] }>;
  };
  const changed = ({ items }: Awaited<ReturnType<typeof ops>>) =>
    items.filter(({ kind, report }) => kind === 'change' && report === 'Large');

  it('is computed beside the main thread, kept, and shown in /ops/results', async () => {
    tenant = await newTenant(scene.status);
    const { metric } = await smallReport(tenant, 'Large');
    const groups = [0, 1, 2, 3].map((index) => ({ group: 'NGI-A', type: 'NGI', subgroup: siteOf(index) }));
    expect((await dated('/topology/groups', groups)).status).toBe(201);
    const endpoints = HOSTS.map((hostname, index) => ({ group: siteOf(index), type: 'SITES', service: 'web', hostname }));
    expect((await dated('/topology/endpoints', endpoints)).status).toBe(201);
    const profile = { name: 'metrics-Large', services: [{ service: 'web', metrics: METRICS }] };
    expect((await tenant.put(`/metric_profiles/${metric}?date=2015-01-02`, profile)).status).toBe(200);
    for (const day of DAYS) {
      const points = HOSTS.flatMap((host, index) =>
        METRICS.map((name) => ({
          timestamp: `${day}T00:00:00Z`,
          service: 'web',
          host,
          metric: name,
          status: index % 4 === 3 ? 'CRITICAL' : 'OK',
        })),
      );
      expect((await tenant.post('/metric_data', points)).status).toBe(201);
    }
    expect(await reliabilities()).toEqual([
      ['100', '100', '100'],
      ['100', '100', '100'],
      ['100', '100', '100'],
      ['0', '0', '0'],
    ]);
    expect(existsSync(join(scene.deployment.dataDirectory, 'results', 'data.mdb'))).toBe(true);
    const { state, bytes } = await eventually(ops).until(({ daysWaiting, bytes: stored }) => daysWaiting === 0 && stored > 0);
    expect([state, bytes > 1_000]).toEqual(['live', true]);
    const health = (await scene.root.get('/health')).json as { results: unknown };
    expect(health.results).toEqual({ status: 'live', lagSeconds: 0, daysWaiting: 0 });
  });

  it('is right at once after a change of the past, and computed in the background where nobody reads it', async () => {
    const downtimes = HOSTS.filter((_, index) => index % 4 === 3).map((hostname) => ({
      hostname,
      service: 'web',
      start_time: '2015-02-02T00:00:00Z',
      end_time: '2015-02-02T23:59:59Z',
    }));
    expect((await tenant.post('/downtimes?date=2015-02-02', { endpoints: downtimes })).status).toBe(201);
    expect((await reliabilities())?.[3]).toEqual(['0', '-1', '0']);
    // Two days follow from a snapshot that is valid from the second on.
    expect((await tenant.post('/topology/groups?date=2015-02-02', [{ group: 'NGI-B', type: 'NGI', subgroup: 'SITE-0' }])).status).toBe(201);
    const points = HOSTS.map((hostname, index) => ({ group: siteOf(index), type: 'SITES', service: 'web', hostname }));
    expect((await tenant.post('/topology/endpoints?date=2015-02-02', points)).status).toBe(201);
    const after = await eventually(ops).until((found) => changed(found).some(({ state, to }) => state === 'done' && to >= '2015-02-03'));
    expect(changed(after)[0]).toMatchObject({ kind: 'change', report: 'Large', recomputation: null, state: 'done' });
    expect((await results()).results.map((one) => one.endpoints.map(({ name, results: rows }) => [name, rows.length]))).toEqual([
      [
        ['SITE-0', 1],
        ['SITE-1', 1],
        ['SITE-2', 1],
        ['SITE-3', 1],
      ],
      [['SITE-0', 2]],
    ]);
  });

  it('is the same after a crash', async () => {
    const before = await results('/SITES/SITE-0/services');
    await scene.crash();
    expect(await results('/SITES/SITE-0/services')).toEqual(before);
  });

  it('tells operators and auditors only, and takes no parameters', async () => {
    expect((await scene.root.get('/ops/results')).status).toBe(401);
    expect((await scene.root.get('/ops/results?x=1', { headers: OPS })).status).toBe(400);
    expect((await scene.root.get('/ops/results/recomputations?tenant=t&day=2026-13-45', { headers: OPS })).status).toBe(400);
    expect((await scene.root.call('POST', '/ops/results', { headers: OPS })).status).toBe(405);
  });

  it('is refused over more days and endpoints than a call reads, before anything is computed', async () => {
    wide = await newTenant(scene.status);
    await smallReport(wide, 'Wide');
    const endpoints = Array.from({ length: 5_000 }, (_, index) => ({
      group: 'SITE-A',
      type: 'SITES',
      service: 'web',
      hostname: `host-${index}.example.org`,
    }));
    const since = '?date=2015-01-03';
    expect((await wide.post(`/topology/groups${since}`, [{ group: 'NGI-A', type: 'NGI', subgroup: 'SITE-A' }])).status).toBe(201);
    expect((await wide.post(`/topology/endpoints${since}`, endpoints)).status).toBe(201);
    const point = { timestamp: '2015-01-03T00:00:00Z', service: 'web', host: HOSTS[0], metric: 'http', status: 'OK' };
    expect((await wide.post('/metric_data', [point])).status).toBe(201);
    const details = 'The answer would be computed from more than 20,000,000 items, counted for each day: ask for fewer days';
    const refusal = {
      status: { message: 'Unprocessable Entity', code: '422' },
      errors: [{ message: 'Unprocessable Entity', code: '422', details }],
    };
    const times = 'start_time=2000-01-01T00:00:00Z&end_time=2026-12-31T23:59:59Z';
    const key = { key: `${wide.name}-admin` };
    for (const path of [
      `v2/results/Wide/endpoints?${times}`,
      `v2/results/Wide/endpoints?${times}&granularity=custom&pageSize=10`,
      `v2/results/Wide/SITES/SITE-A/services?${times}`,
      `v2/results/Wide/SITES/SITE-A/endpoints?${times}&granularity=monthly`,
      `v3/results/Wide/id/x?${times}`,
      `v5/results/Wide/endpoints?start-time=2000-01-01T00:00:00Z&end-time=2026-12-31T23:59:59Z`,
      `v2/status/Wide/endpoints?${times}`,
      `v2/status/Wide/metrics/http?${times}`,
      `v2/status/Wide/SITES/SITE-A/services?${times}`,
      `v2/status/Wide/SITES/SITE-A/services/web/endpoints/h1/metrics?${times}`,
      `v3/status/Wide?${times}`,
      ...['flapping/metrics', 'flapping/metrics/tags', 'status/endpoints', 'status/services'].map(
        (trend) => `v2/trends/Wide/${trend}?start_date=2000-01-01&end_date=2026-12-31`,
      ),
    ]) {
      const { status, json } = await scene.root.get(`/api/${path}`, key);
      expect([path, status, json]).toEqual([path, 422, refusal]);
    }
    const aMonth = 'start_time=2026-10-01T00:00:00Z&end_time=2026-10-31T23:59:59Z';
    expect((await scene.root.get(`/api/v2/results/Wide/SITES/SITE-A/endpoints?granularity=custom&${aMonth}`, key)).status).toBe(200);
    expect((await scene.root.get(`/api/v2/results/Wide/SITES?granularity=custom&${times}`, key)).status).toBe(200);
  });

  /** Of the wide report; both days included. */
  const wideCall = (path: string, from: string, to: string, accept = 'application/json') => {
    const [start, end] = path.startsWith('v5') ? ['start-time', 'end-time'] : ['start_time', 'end_time'];
    const times = `${start}=${from}T00:00:00Z&${end}=${to}T23:59:59Z`;
    return scene.root.get(`/api/${path}${path.includes('?') ? '&' : '?'}${times}`, { key: `${wide.name}-admin`, accept });
  };

  it('is answered by the thread of results over many days, with the bytes of any other call', async () => {
    const before = ticks(scene.server.pid);
    // Without points, the figures of a year are those of a month, which is no large call.
    for (const [path, accept] of [
      ['v2/results/Wide/endpoints?granularity=custom', 'application/json'],
      ['v2/results/Wide/endpoints?granularity=custom', 'application/xml'],
      ['v2/results/Wide/endpoints?granularity=custom&pageSize=3&nextPageToken=Nw', 'application/json'],
      ['v2/results/Wide/SITES/SITE-A/services?granularity=custom', 'application/json'],
      ['v2/results/Wide/SITES/SITE-A/endpoints/host-7.example.org?granularity=custom', 'application/xml'],
      ['v2/results/Wide/SITES/SITE-A/endpoints/nowhere?granularity=custom', 'application/xml'],
      ['v3/results/Wide/id/x?granularity=custom', 'application/json'],
      ['v5/results/Wide/endpoints?granularity=custom', 'application/json'],
    ] as const) {
      const few = await wideCall(path, '2015-03-01', '2015-03-30', accept);
      const many = await wideCall(path, '2015-03-01', '2016-02-29', accept);
      expect([path, few.status]).toEqual([path, path.includes('nowhere') || path.includes('id/x') ? 404 : 200]);
      expect([path, many.status, many.text]).toEqual([path, few.status, few.text]);
      for (const name of ['content-type', 'content-length']) expect(many.headers.get(name)).toBe(few.headers.get(name));
    }
    const after = ticks(scene.server.pid);
    const of = (kind: 'main' | 'results') => after[kind] - before[kind];
    expect(of('results')).toBeGreaterThan(of('main'));
  });

  it('shows there what was written just before', async () => {
    const [host = ''] = HOSTS;
    for (const day of ['2015-06-01', '2015-06-03', '2015-06-05', '2015-06-07']) {
      const point = { timestamp: `${day}T00:00:00Z`, service: 'web', host, metric: 'http', status: 'CRITICAL' };
      expect((await wide.post('/metric_data', [point])).status).toBe(201);
      const { text } = await wideCall(`v2/results/Wide/SITES/SITE-A/endpoints/${host}`, '2015-03-01', '2016-02-29', 'application/xml');
      expect(text).toContain(`<results timestamp="${day}" availability="0"`);
    }
  });

  it('is answered likewise with more than fits in one piece, or in an answer', async () => {
    type Rows = Readonly<{ results: readonly Readonly<{ name: string; results: readonly unknown[] }>[] }>;
    const path = 'v2/results/Wide/SITES/SITE-A/services/web/endpoints?granularity=monthly';
    const rowsOf = async (from: string, to: string) => {
      const { status, json, headers } = await wideCall(path, from, to);
      expect([status, headers.has('content-length')]).toEqual([200, from.slice(0, 7) === to.slice(0, 7)]);
      const [{ serviceflavors = [] } = {}] = (
        json as { results: readonly { serviceflavors?: readonly { endpoints: Rows['results'] }[] }[] }
      ).results;
      return serviceflavors.flatMap(({ endpoints }) => endpoints);
    };
    const months = await Promise.all([rowsOf('2015-03-01', '2015-03-31'), rowsOf('2015-04-01', '2015-04-30')]);
    const [march = [], april = []] = months;
    expect(march).toHaveLength(5_000);
    const together = march.map((endpoint, index) => ({ ...endpoint, results: [...endpoint.results, ...(april[index]?.results ?? [])] }));
    expect(await rowsOf('2015-03-01', '2015-04-30')).toEqual(together);
    const refused = await wideCall('v2/results/Wide/endpoints', '2015-03-01', '2016-02-29');
    expect([refused.status, (refused.json as { status: unknown }).status]).toEqual([422, { message: 'Unprocessable Entity', code: '422' }]);
  });

  it('is answered one at a time for a tenant, ten wait; those of clients who went are given up', async () => {
    const url = `${scene.server.url}/api/v2/results/Wide/endpoints?granularity=custom&start_time=2015-03-01T00:00:00Z&end_time=2025-12-31T23:59:59Z`;
    const leaving = new AbortController();
    const statuses: number[] = [];
    const calls = Array.from({ length: 13 }, async () => {
      const { status } = await fetch(url, { headers: { 'x-api-key': `${wide.name}-admin` }, signal: leaving.signal });
      statuses.push(status);
    });
    await eventually(async () => statuses).until(({ length }) => length === 2);
    expect(statuses).toEqual([503, 503]);
    leaving.abort();
    await Promise.allSettled(calls);
    const next = () => wideCall('v2/results/Wide/endpoints?granularity=custom', '2015-03-01', '2015-04-30');
    expect((await eventually(next).until(({ status }) => status !== 503)).status).toBe(200);
  });
});
