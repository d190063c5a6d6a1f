import { describe, expect, it } from '@jest/globals';
import { createProject, type ProjectCalls } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { inOneHour } from '#test/support/clocks/one-day.js';
import { embedded, OPERATOR } from '#test/support/deployments.js';

const scene = serving(embedded, {
  LOGBOOK_QUOTA_PROJECT_MESSAGES: '5',
  LOGBOOK_QUOTA_PROJECT_BYTES: '2000',
  LOGBOOK_QUOTA_TENANT_RESULTS: '2',
});
const LEFT = /until the next one begins in \d+ seconds$/;

/** Seconds until the next hour, as the answer says. */
const isHour = (text: string | null): boolean => Number(text) >= 1 && Number(text) <= 3_600;

describe('Quotas', () => {
  const publish = (project: ProjectCalls, count: number, data = 'eA==') =>
    project.post('/topics/t:publish', { messages: Array.from({ length: count }, () => ({ data })) });

  it('of a project refuse calls beyond them with what is left, store nothing of these, and do not touch other projects', () =>
    inOneHour(async (hour) => {
      const [p, q] = [await createProject(scene, `p-${hour}`), await createProject(scene, `q-${hour}`)];
      for (const project of [p, q]) await project.topic('t');
      expect((await publish(p, 3)).status).toBe(200);
      const { status, json, headers } = await publish(p, 3);
      const message = expect.stringMatching(/^Quota exceeded: 2 of 5 messages an hour are left/);
      expect([status, json]).toEqual([429, { error: { code: 429, message, status: 'RESOURCE_EXHAUSTED' } }]);
      expect(isHour(headers.get('retry-after'))).toBe(true);
      expect((await publish(p, 1, 'not base64')).status).toBe(400);
      expect((await publish(p, 2)).json).toEqual({ messageIds: ['3', '4'] });
      expect([(await publish(p, 1)).status, (await publish(q, 1, 'QUFB'.repeat(500))).status, (await publish(q, 1)).status]).toEqual([
        429, 429, 200,
      ]);
    }));

  it('of a tenant refuse metric results beyond them, and count what was refused', () =>
    inOneHour(async () => {
      const [one, two] = [await newTenant(scene.status), await newTenant(scene.status)];
      const send = (tenant: TestTenant, count: number) =>
        tenant.post(
          '/metric_data',
          Array.from({ length: count }, (_, index) => ({
            timestamp: `2026-03-01T07:30:0${index}Z`,
            service: 'web',
            host: 'web.example.org',
            metric: 'http',
            status: 'OK',
          })),
        );
      expect((await send(one, 2)).status).toBe(201);
      const { status, json, headers } = await send(one, 1);
      const details = expect.stringMatching(LEFT);
      expect([status, json]).toMatchObject([429, { status: { code: '429', message: 'Too Many Requests' }, errors: [{ details }] }]);
      expect([isHour(headers.get('retry-after')), (await send(two, 2)).status]).toEqual([true, 201]);
      const metrics = await scene.root.get('/metrics', { key: OPERATOR, accept: null });
      expect(metrics.text).toMatch(/^logbook_quota_refusals_total [1-9]/m);
    }));
});
