import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { given } from '#test/e2e/status/metric-data/metric-points.js';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { type Deployment, embedded } from '#test/support/deployments.js';
import { idOf, statusClient } from '#test/support/status-client.js';
import { pointsOf, smallReport } from './small-report.js';

const DAY_MS = 86_400_000;

describe('computed results as of the past', () => {
  let deployment: Deployment;
  let lab: PastLab;
  let tenant: TestTenant;
  beforeAll(async () => {
    deployment = await embedded();
    lab = await openPastLab(deployment);
    tenant = await newTenant(statusClient(lab.url));
  });
  afterAll(async () => {
    await lab?.close();
    await deployment?.dispose();
  });

  const dayAgo = (days: number): string => new Date(lab.runtime.clock() - days * DAY_MS).toISOString().slice(0, 10);

  it('are what they were then: points, dated records, recomputations, reports and today’s now', async () => {
    const [twoAgo, threeAgo, yesterday] = [2, 3, 1].map(dayAgo) as [string, string, string];
    const span = `start_time=${dayAgo(9)}T00:00:00Z&end_time=${dayAgo(-5)}T00:00:00Z`;
    const reads = [
      `/results/Small/NGI?${span}`,
      `/results/Small/SITES/SITE-A/services/web/endpoints?${span}`,
      `/status/Small/SITES/SITE-A/services/web/endpoints?${span}&view=details`,
      `/status/Small/SITES/SITE-A/services/web/endpoints/h1.example.org/metrics?${span}`,
      `/trends/Small/flapping/endpoints?start_date=${dayAgo(9)}&end_date=${dayAgo(0)}`,
    ];
    const ids = await smallReport(tenant, 'Small');
    const done = async (answer: ReturnType<TestTenant['post']>) => {
      const { status, text } = await answer;
      if (status >= 300) throw new Error(`${status} ${text}`);
      return answer;
    };
    const request = {
      start_time: `${twoAgo}T00:00:00Z`,
      end_time: `${twoAgo}T12:00:00Z`,
      reason: 'r',
      report: 'Small',
      exclude: ['SITE-A'],
    };
    const requester = { requester_name: 'n', requester_email: 'n@example.org' };
    const downtime = { hostname: 'h1.example.org', service: 'web', start_time: `${twoAgo}T10:00:00Z`, end_time: `${twoAgo}T11:00:00Z` };
    const services = [{ service: 'web', metrics: ['http', 'tcp'] }];
    const steps: readonly (() => Promise<unknown>)[] = [
      async () => undefined,
      () => given(tenant, ...pointsOf(twoAgo, ['06:00:00', 'CRITICAL'], ['18:00:00', 'OK'])),
      () => given(tenant, ...pointsOf(threeAgo, ['23:00:00', 'WARNING'])),
      () => done(tenant.put(`/metric_profiles/${ids.metric}?date=${yesterday}`, { name: 'metrics-Small', services })),
      () => done(tenant.post(`/downtimes?date=${twoAgo}`, { endpoints: [downtime] })),
      async () => {
        const id = idOf(await done(tenant.post('/recomputations', { ...request, ...requester })));
        await done(tenant.post(`/recomputations/${id}/status`, { status: 'done' }));
      },
      async () => {
        lab.advance(DAY_MS / 4);
        await given(tenant, ...pointsOf(twoAgo, ['06:00:00', 'CRITICAL'])); // again: only the time of now changes
      },
      () => done(tenant.delete(`/operations_profiles/${ids.operations}`)),
    ];
    const seen: { path: string; moment: string; text: string }[] = [];
    const states: string[] = [];
    for (const step of steps) {
      lab.advance(60_000);
      await step();
      const { position } = await lab.settled();
      for (const path of reads) seen.push({ path, moment: `${position}`, text: (await tenant.get(path)).text });
      states.push(JSON.stringify(seen.slice(-reads.length).map(({ text }) => text)));
    }
    expect(states.filter((state, index) => state === states[index - 1])).toEqual([]); // every step changes something
    for (const { path, moment, text } of seen.toReversed()) {
      const then = await tenant.get(path, { headers: { 'logbook-as-of': moment } });
      expect([path, moment, then.text]).toEqual([path, moment, text]);
    }
  });
});
