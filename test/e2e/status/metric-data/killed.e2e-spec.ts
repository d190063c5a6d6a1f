import { describe, expect, it } from '@jest/globals';
import { servingAlone } from '#test/e2e/serving.js';
import { newTenant } from '#test/e2e/status/extended-contract.js';
import { embedded } from '#test/support/deployments.js';
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
