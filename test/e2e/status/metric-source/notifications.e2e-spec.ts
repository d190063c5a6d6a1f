import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/expect-error.js';
import { createProject, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { eventually, issueKey, serving } from '#test/e2e/serving.js';
import { messageOf } from '#test/e2e/status/contract.js';
import { expectJson, newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { unprocessable } from '#test/e2e/status/metric-data/metric-points.js';
import { pointsOf, smallReport } from '#test/e2e/status/results/small-report.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { PublishedMessages } from '#test/support/events/published-messages.js';

type Notice = Readonly<Record<string, unknown>>;
type Pulled = Readonly<{ receivedMessages: readonly Readonly<{ ackId: string; message: { data: string; attributes: Notice } }>[] }>;

const secondsAgo = (seconds: number): string => `${new Date(Date.now() - seconds * 1_000).toISOString().slice(0, 19)}Z`;
const pointAt = (instant: string, status: string) => pointsOf(instant.slice(0, 10), [instant.slice(11, 19), status]);

describe('notifications of statuses', () => {
  const scene = serving(embedded, WITH_TOKEN);
  let tenant: TestTenant;
  let project: ProjectCalls;
  let auditor: string;
  const received: Notice[] = [];
  const described = new PublishedMessages();

  const path = () => `/admin/tenants/${tenant.id}/status-notifications`;
  const put = (body: unknown) => scene.status.put(path(), { key: ADMIN, body });
  const show = () => scene.status.get(path(), { key: ADMIN });
  const publish = (instant: string, status: string) =>
    project.post('/topics/metric_data:publish', {
      messages: [{ data: Buffer.from(JSON.stringify(pointAt(instant, status))).toString('base64') }],
    });
  /** All notifications so far, once there are so many. */
  const notices = (count: number): Promise<readonly Notice[]> =>
    eventually(
      async () => {
        const { json } = await project.post('/subscriptions/inbox:pull', { maxMessages: '100' });
        const { receivedMessages } = json as Pulled;
        const last = receivedMessages.at(-1);
        if (last) await project.post('/subscriptions/inbox:acknowledge', { ackIds: [last.ackId] });
        for (const { message } of receivedMessages) {
          const notice = JSON.parse(Buffer.from(message.data, 'base64').toString('utf8')) as Notice;
          expect(described.flawOf('statusChange', message.attributes, notice)).toBeNull();
          received.push(notice);
        }
        return received;
      },
      ({ length }) => length >= count,
    );
  const told = (count: number) =>
    eventually(
      async () => {
        const { json } = await scene.root.get('/audit/events?limit=100&type=StatusesNotified', { key: auditor });
        return (json as { items: readonly unknown[] }).items.length;
      },
      (found) => found >= count,
    );

  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    await smallReport(tenant, 'Live');
    project = await createProject(scene, 'alerts');
    for (const topic of ['metric_data', 'changes']) await project.topic(topic);
    await project.subscription('logbook', 'metric_data');
    await project.subscription('inbox', 'changes');
    auditor = (await issueKey(scene.root, 'ops', 'auditor')).key;
    expect((await tenant.post('/metric_data', pointAt(secondsAgo(30), 'OK'))).status).toBe(201);
    const source = { key: ADMIN, body: { project: 'alerts', subscription: 'logbook' } };
    expect((await scene.status.put(`/admin/tenants/${tenant.id}/metric-source`, source)).status).toBe(200);
  });

  it('are set by super admins, for a topic and reports that exist', async () => {
    expectError(await tenant.get(path()), 'unauthorized');
    expectError(await show(), 'not found');
    expectError(await scene.status.delete(path(), { key: ADMIN }), 'not found');
    expectError(await scene.status.put('/admin/tenants/nobody/status-notifications', { key: ADMIN, body: {} }), 'not found');
    const body = { project: 'alerts', topic: 'changes' };
    expectJson(await put({ ...body, project: 'x' }), 422, unprocessable('Project x does not exist'));
    expectJson(await put({ ...body, topic: 'x' }), 422, unprocessable('Topic x does not exist in project alerts'));
    expectJson(await put({ ...body, reports: ['x'] }), 422, unprocessable('Report x does not exist'));
    expectJson(await put({ ...body, levels: ['metric'] }), 422, unprocessable('Level metric is not one of group, endpoint'));
    expectJson(await put(body), 200, messageOf('Status notifications successfully updated'));
  });

  it('tell each change of a group and its endpoint once, with its cause: first nothing, then what comes through the metric source', async () => {
    await told(2);
    const since = secondsAgo(1);
    await publish(since, 'CRITICAL');
    const change = { tenant: tenant.name, report: 'Live', group: 'SITE-A', status: 'CRITICAL', since, previous: 'OK' };
    const endpoint = { service: 'web', hostname: 'h1.example.org' };
    const cause = { type: 'metric', metric: 'http', status: 'CRITICAL', timestamp: since };
    expect(await notices(2)).toEqual(
      expect.arrayContaining([
        { ...change, level: 'endpoint', ...endpoint, cause },
        { ...change, level: 'group', cause: { type: 'endpoint', ...endpoint, cause } },
      ]),
    );
    const shown = await eventually(
      async () => ((await show()).json as { data: readonly Notice[] }).data[0],
      (found) => found?.published === 2,
    );
    expect(shown).toMatchObject({
      project: 'alerts',
      topic: 'changes',
      reports: [],
      levels: ['group', 'endpoint'],
      pending: 0,
      problem: '',
    });
  });

  it('go on after a restart, where they ended', async () => {
    const start = secondsAgo(0);
    await scene.restart();
    const day = start.slice(0, 10);
    const downtime = { hostname: 'h1.example.org', service: 'web', start_time: start, end_time: `${day}T23:59:59Z` };
    const asAdmin = { key: `${tenant.name}-admin`, body: { endpoints: [downtime] } };
    expect((await scene.status.post(`/downtimes?date=${day}`, asAdmin)).status).toBe(201);
    const all = await notices(4);
    expect(all.map(({ status }) => status)).toEqual(['CRITICAL', 'CRITICAL', 'DOWNTIME', 'DOWNTIME']);
    expect(all.find(({ level, status }) => level === 'endpoint' && status === 'DOWNTIME')).toMatchObject({
      since: start,
      previous: 'CRITICAL',
      cause: { type: 'downtime' },
    });
  });

  it('end when they are turned off, or with the tenant', async () => {
    expectJson(await scene.status.delete(path(), { key: ADMIN }), 200, messageOf('Status notifications successfully deleted'));
    expectError(await show(), 'not found');
    await put({ project: 'alerts', topic: 'changes' });
    expect((await scene.status.delete(`/admin/tenants/${tenant.id}`, { key: ADMIN })).status).toBe(200);
    expectError(await show(), 'not found');
    expect((await notices(4)).length).toBe(4);
  });
});
