import { beforeAll, describe, expect, it } from '@jest/globals';
import { dayAfter, dayOf } from '#domain/shared/time.js';
import { expectError } from '#test/e2e/expect-error.js';
import { createProject, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { messageOf } from '#test/e2e/status/contract.js';
import { expectJson, newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { unprocessable } from '#test/e2e/status/metric-data/metric-points.js';
import { pointsOf, smallReport } from '#test/e2e/status/results/small-report.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { PublishedMessages } from '#test/support/events/published-messages.js';
import { eventually } from '#test/support/eventually.js';
import { runs } from '#test/support/test-runs.js';

type Notice = Readonly<Record<string, unknown>>;
/** What the status event of a monitoring engine must have (results contract 15): alerting ends where one is missing. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const REQUIRED: Readonly<Record<string, RegExp>> = {
  report: /./,
  type: /^(metric|endpoint|service|endpoint_group)$/,
  date: /^\d{8}$/,
  endpoint_group: /./,
  service: /^/,
  hostname: /^/,
  metric: /^/,
  monitoring_host: /^/,
  ts_monitored: INSTANT,
  ts_processed: INSTANT,
  repeat: /^(true|false)$/,
  summary: /^/,
  message: /^/,
  status: /./,
  reminder: /^(true|false)$/,
  prev_status: /./,
  prev_ts: INSTANT,
  hostname_url: /^/,
};
const expectReadable = (notice: Notice): void => {
  for (const [member, form] of Object.entries(REQUIRED)) expect([member, notice[member]]).toEqual([member, expect.stringMatching(form)]);
};

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
  const publish = (points: readonly object[]) =>
    project.post('/topics/metric_data:publish', { messages: [{ data: Buffer.from(JSON.stringify(points)).toString('base64') }] });
  /** All notifications so far, once there are so many. */
  const notices = (count: number): Promise<readonly Notice[]> =>
    eventually(async () => {
      const { json } = await project.post('/subscriptions/inbox:pull', { maxMessages: '100' });
      const { receivedMessages } = json as Pulled;
      const last = receivedMessages.at(-1);
      if (last) await project.post('/subscriptions/inbox:acknowledge', { ackIds: [last.ackId] });
      for (const { message } of receivedMessages) {
        const notice = JSON.parse(Buffer.from(message.data, 'base64').toString('utf8')) as Notice;
        expect(described.flawOf('statusChange', message.attributes, notice)).toBeNull();
        expectReadable(notice);
        received.push(notice);
      }
      return received;
    }).until(({ length }) => length >= count);
  const told = (count: number) =>
    eventually(async () => {
      const { json } = await scene.root.get('/audit/events?limit=100&type=StatusChangesFound', { key: auditor });
      return (json as { items: readonly unknown[] }).items.length;
    }).until((found) => found >= count);

  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    await smallReport(tenant, 'Live');
    project = await createProject(scene, 'alerts');
    for (const topic of ['metric_data', 'changes']) await project.topic(topic);
    await project.subscription('logbook', 'metric_data');
    await project.subscription('inbox', 'changes');
    auditor = (await issueKey(scene.root, 'ops', 'auditor')).key;
    expect((await tenant.post('/metric_data', pointAt(secondsAgo(900), 'OK'))).status).toBe(201);
    const source = { key: ADMIN, body: { project: 'alerts', subscription: 'logbook' } };
    expect((await scene.status.put(`/admin/tenants/${tenant.id}/metric-source`, source)).status).toBe(200);
  });

  it('are set for a topic and reports that exist', async () => {
    expectError(await show(), 'not found');
    expectError(await scene.status.delete(path(), { key: ADMIN }), 'not found');
    expectError(await scene.status.put('/admin/tenants/nobody/status-notifications', { key: ADMIN, body: {} }), 'not found');
    const body = { project: 'alerts', topic: 'changes' };
    expectJson(await put({ ...body, project: 'x' }), 422, unprocessable('Project x does not exist'));
    expectJson(await put({ ...body, topic: 'x' }), 422, unprocessable('Topic x does not exist in project alerts'));
    expectJson(await put({ ...body, reports: ['x'] }), 422, unprocessable('Report x does not exist'));
    expectJson(await put({ ...body, levels: ['host'] }), 422, unprocessable('Level host is not one of group, service, endpoint, metric'));
    const interval = 'repeat_seconds is neither 0 nor between 60 and 2592000';
    for (const repeat_seconds of [59, -1, 2_592_001]) expectJson(await put({ ...body, repeat_seconds }), 422, unprocessable(interval));
    expectJson(await put({ ...body, repeat_seconds: 86_400 }), 200, messageOf('Status notifications successfully updated'));
  });

  it('tell changes one by one under load, and nothing of lists that connectors replace meanwhile', async () => {
    const batches = runs(25);
    await told(1);
    const first = Date.now() - 500_000;
    const sent: string[] = [];
    const key = `${tenant.name}-admin`;
    const lists = {
      '/topology/groups': [{ group: 'NGI-A', type: 'NGI', subgroup: 'SITE-A' }],
      '/topology/endpoints': [{ group: 'SITE-A', type: 'SITES', service: 'web', hostname: 'h1.example.org' }],
    };
    for (let run = 0; run < batches; run++) {
      for (const [path, body] of Object.entries(lists)) {
        const dated = `${path}?date=2015-01-01`;
        expect((await scene.status.post(dated, { key, body })).status).toBe(409);
        expect((await scene.status.delete(dated, { key })).status).toBe(200);
        expect((await scene.status.post(dated, { key, body })).status).toBe(201);
      }
      const points = Array.from({ length: 16 }, (_, index) => {
        const since = `${new Date(first + (run * 16 + index) * 1_000).toISOString().slice(0, 19)}Z`;
        const status = index % 2 === 0 ? 'WARNING' : 'OK';
        sent.push(`${status} ${since}`);
        return pointAt(since, status);
      });
      expect((await publish(points.flat())).status).toBe(200);
    }
    const all = await notices(4 * sent.length);
    for (const level of ['metric', 'endpoint', 'service', 'group'])
      expect(all.filter((notice) => notice.level === level).map(({ status, since }) => `${status} ${since}`)).toEqual(sent);
    expect(all).toHaveLength(4 * sent.length);
  });

  it('tell what changed as alerting reads it, with its cause', async () => {
    const begun = received.length;
    const since = secondsAgo(1);
    const result = { monitoring_host: 'mon.example.org', summary: 'refused', message: 'connection refused' };
    await publish(pointAt(since, 'CRITICAL').map((point) => ({ ...point, ...result })));
    const all = (await notices(begun + 4)).slice(begun);
    const change = { tenant: tenant.name, report: 'Live', group: 'SITE-A', status: 'CRITICAL', since, previous: 'OK' };
    const endpoint = { service: 'web', hostname: 'h1.example.org' };
    const cause = { type: 'metric', metric: 'http', status: 'CRITICAL', timestamp: since };
    const engine = {
      endpoint_group: 'SITE-A',
      date: since.slice(0, 10).replaceAll('-', ''),
      ts_monitored: since,
      prev_status: 'OK',
      repeat: 'false',
      ...result,
      status_egroup: ['CRITICAL', since, 'OK', expect.any(String)],
    };
    const ofHost = { ...change, ...engine, ...endpoint, cause };
    const above = { ...change, ...engine, hostname: '', metric: '', cause: { type: 'endpoint', ...endpoint, cause } };
    const endpoints = { group_endpoints: ['h1.example.org'], group_services: ['web'], group_statuses: ['CRITICAL'] };
    expect(all).toMatchObject([
      { ...ofHost, level: 'metric', type: 'metric', metric: 'http' },
      { ...ofHost, level: 'endpoint', type: 'endpoint', metric: '', metric_names: ['http'], metric_statuses: ['CRITICAL'] },
      { ...above, level: 'service', type: 'service', service: 'web' },
      { ...above, level: 'group', type: 'endpoint_group', service: '', ...endpoints },
    ]);
    const shown = await eventually(async () => ((await show()).json as { data: readonly Notice[] }).data[0]).until(
      (found) => found?.published === begun + 4,
    );
    const settings = { project: 'alerts', topic: 'changes', reports: [], levels: ['group', 'service', 'endpoint', 'metric'] };
    expect(shown).toMatchObject({ ...settings, repeat_seconds: 86_400, pending: 0, problem: '' });
  });

  it('go on after a restart, where they ended', async () => {
    const begun = received.length;
    const start = secondsAgo(0);
    await scene.restart();
    const day = dayOf(start);
    const tomorrow = dayAfter(day);
    const downtime = { hostname: 'h1.example.org', service: 'web', start_time: start, end_time: `${tomorrow}T23:59:59Z` };
    const asAdmin = { key: `${tenant.name}-admin`, body: { endpoints: [downtime] } };
    // Of tomorrow first: the day may end before this is looked at.
    for (const date of [tomorrow, day]) expect((await scene.status.post(`/downtimes?date=${date}`, asAdmin)).status).toBe(201);
    const all = (await notices(begun + 3)).slice(begun);
    expect(all.map(({ level, status }) => `${level} ${status}`)).toEqual(['endpoint DOWNTIME', 'service DOWNTIME', 'group DOWNTIME']);
    expect(all[0]).toMatchObject({ since: start, previous: 'CRITICAL', cause: { type: 'downtime' }, monitoring_host: '' });
  });

  it('end when they are turned off, or with the tenant', async () => {
    expectJson(await scene.status.delete(path(), { key: ADMIN }), 200, messageOf('Status notifications successfully deleted'));
    expectError(await show(), 'not found');
    const before = received.length;
    await put({ project: 'alerts', topic: 'changes' });
    expect((await scene.status.delete(`/admin/tenants/${tenant.id}`, { key: ADMIN })).status).toBe(200);
    expectError(await show(), 'not found');
    expect((await notices(before)).length).toBe(before);
  });
});
