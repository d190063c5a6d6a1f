import { describe, expect, it } from '@jest/globals';
import { servingAlone } from '#test/e2e/serving.js';
import { newTenant } from '#test/e2e/status/extended-contract.js';
import { bothDeployments, embedded } from '#test/support/deployments.js';
import { at, newReport, point, stored } from './metric-points.js';

describe('metric results', () => {
  const scene = servingAlone(embedded);

  it('are all stored or none when the server is killed, and once when the call is repeated with its key', async () => {
    const tenant = await newTenant(scene.status);
    const report = await newReport(tenant, 'Killed');
    const points = Array.from({ length: 1_200 }, (_, n) => point(report, { host: `h${n}` }));
    const [key, headers] = [`${tenant.name}-admin`, { 'idempotency-key': 'killed' }];
    const send = (how: object) => scene.status.post('/metric_data', { key, body: points, ...how }).catch(() => undefined);
    const count = async (): Promise<number> => {
      const { text } = await scene.status.get(`/latest/Killed/SITES?limit=-1&date=${at('00:00:00')}`, { key });
      return text.split('"timestamp"').length - 1;
    };
    const unanswered = [send({}), send({ headers })];
    await Promise.race(unanswered);
    await scene.crash();
    await Promise.all(unanswered);
    expect([1_200, 2_400]).toContain(await count());
    const before = await count();
    expect(await send({ headers })).toMatchObject({ status: 201, json: stored(1_200) });
    const after = await count();
    expect([before, before + 1_200]).toContain(after);
    expect(await send({ headers })).toMatchObject({ status: 201, json: stored(1_200) });
    expect(await count()).toBe(after);
  });
});

/** Long enough that the points of one call are more than a part holds. */
const MESSAGE = 'x'.repeat(2_000);
const POINTS = 100;

describe.each(bothDeployments)('metric results on %s', (_, open) => {
  const scene = servingAlone(open);

  it('are there once, each as it was sent, if the server is killed again and again while parts of them are closed', async () => {
    const tenant = await newTenant(scene.status);
    const key = `${tenant.name}-admin`;
    const metrics = (call: number) => Array.from({ length: POINTS }, (__, n) => `m-${call}-${n}`);
    const send = (call: number) => {
      const body = metrics(call).map((metric) => ({ ...point('', { metric, message: MESSAGE, summary: metric }), report: undefined }));
      return scene.status.post('/metric_data', { key, body, headers: { 'idempotency-key': `call ${call}` } }).catch(() => undefined);
    };
    const calls = Array.from({ length: 12 }, (__, call) => call);
    for (let first = 0; first < calls.length; first += 4) {
      const sending = calls.slice(first, first + 4).map(send);
      await Promise.race(sending);
      await scene.crash();
      await Promise.all(sending);
    }
    for (const call of calls) expect(await send(call)).toMatchObject({ status: 201, json: stored(POINTS) });
    const { status, json } = await scene.status.get(`/metric_result/h1?exec_time=${at('00:00:00')}`, { key });
    const found = JSON.stringify(json).match(/"Summary":"m-[^"]*","Message":"x{2000}"/g) ?? [];
    const wanted = calls.flatMap(metrics).map((metric) => `"Summary":"${metric}","Message":"${MESSAGE}"`);
    expect([status, found.sort()]).toEqual([200, wanted.sort()]);
  });
});
