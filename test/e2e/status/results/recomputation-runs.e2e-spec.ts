import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, serving } from '#test/e2e/serving.js';
import { newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { statusesOf } from '#test/e2e/status/recomputations/recomputations.js';
import { embedded } from '#test/support/deployments.js';
import { idOf, type StatusRecord } from '#test/support/status-client.js';
import { pointsOf, smallReport } from './small-report.js';

const RUN = ['pending', 'approved', 'running', 'done'];

describe('recomputations of a report that exists', () => {
  const scene = serving(embedded);
  let tenant: TestTenant;

  const path = (id: string) => `/recomputations/${id}`;
  const request = (changes: object = {}) => ({
    requester_name: 'Ann',
    requester_email: 'ann@example.org',
    reason: 'power cut',
    start_time: '2015-01-10T06:00:00Z',
    end_time: '2015-01-10T07:00:00Z',
    report: 'Small',
    exclude: ['SITE-A'],
    ...changes,
  });
  const requested = async (changes: object = {}): Promise<string> => idOf(await tenant.post('/recomputations', request(changes)));
  const one = async (id: string) => ((await tenant.get(path(id))).json as { data: StatusRecord }).data;
  const move = (id: string, status: string) => tenant.post(`${path(id)}/status`, { status });
  const until = (id: string, status: string) =>
    eventually(
      () => one(id),
      (found) => found.status === status,
    );

  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    await smallReport(tenant, 'Small');
    const points = [...pointsOf('2015-01-09', ['23:00:00', 'OK']), ...pointsOf('2015-01-10', ['06:00:00', 'CRITICAL'], ['07:30:00', 'OK'])];
    expect((await tenant.post('/metric_data', points)).status).toBe(201);
  });

  it('are run once they are approved: by way of running to done, each once', async () => {
    const id = await requested();
    await move(id, 'approved');
    expect(statusesOf(await until(id, 'done'))).toEqual(RUN);
  });
});
