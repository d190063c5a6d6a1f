import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { eventually, serving } from '#test/e2e/serving.js';
import { newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { embedded, OPERATOR } from '#test/support/deployments.js';
import { smallReport } from './small-report.js';

/** 200 hosts with 5 metrics each: from 1,000 metrics on a day is computed in the thread and kept on disk. */
const HOSTS = Array.from({ length: 200 }, (_, index) => `host-${index}.example.org`);
const METRICS = ['a', 'b', 'c', 'd', 'e'];
const siteOf = (index: number): string => `SITE-${index % 4}`;
const DAYS = ['2015-02-01', '2015-02-02', '2015-02-03'];

const OPS = { 'x-api-key': OPERATOR };
type Run = Readonly<{ kind: string; report: string; from: string; to: string; days: { done: number; total: number }; state: string }>;

describe('a large report', () => {
  const scene = serving(embedded);
  let tenant: TestTenant;
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
    const { state, bytes } = await eventually(ops, ({ daysWaiting, bytes: stored }) => daysWaiting === 0 && stored > 0);
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
    const after = await eventually(ops, (found) => changed(found).some(({ state, to }) => state === 'done' && to >= '2015-02-03'));
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
    expect((await scene.root.call('POST', '/ops/results', { headers: OPS })).status).toBe(405);
  });

  it('is refused over more days and endpoints than a call reads, before anything is computed', async () => {
    const wide = await newTenant(scene.status);
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
      const began = performance.now();
      const { status, json } = await scene.root.get(`/api/${path}`, key);
      expect([path, status, json]).toEqual([path, 422, refusal]);
      expect(performance.now() - began).toBeLessThan(10_000);
    }
    const aMonth = 'start_time=2026-10-01T00:00:00Z&end_time=2026-10-31T23:59:59Z';
    expect((await scene.root.get(`/api/v2/results/Wide/SITES/SITE-A/endpoints?granularity=custom&${aMonth}`, key)).status).toBe(200);
    expect((await scene.root.get(`/api/v2/results/Wide/SITES?granularity=custom&${times}`, key)).status).toBe(200);
  });
});
