import { describe, expect, it } from '@jest/globals';
import { createProject, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { computedReport } from '#test/e2e/status/results/computed-report.js';
import { administration, user } from '#test/e2e/status/tenant-calls.js';
import { ADMIN, deployments, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';

type Place = Readonly<{
  kind: string;
  id: string;
  name: string;
  place: string | null;
  within: string | null;
  report?: string;
  group?: string;
}>;

describe.each(deployments)('places with a page in the console on %s', (_, open) => {
  const scene = serving(open, WITH_TOKEN);
  const admin = administration(scene);
  const find = async (text: string, key: string): Promise<readonly Place[]> => {
    const { status, json } = await scene.root.get(`/ops/places?${new URLSearchParams({ text })}`, { key });
    expect(status).toBe(200);
    return (json as { items: readonly Place[] }).items;
  };
  const textsOf = async (text: string, key: string) =>
    (await find(text, key)).map(({ kind, name, place }) => [kind, name, place].filter(Boolean).join(' · '));

  it('are found by parts of their names, the best first, as far as the role may open them', async () => {
    const tenant = await admin.created('Alpine Grid', user('Ada Lovelace', 'ada-key'));
    await scene.status.post('/reports', { key: 'ada-key', body: { info: { name: 'alpine-daily' } } });
    const project = await createProject(scene, 'monitoring');
    await project.topic('workers-dead');
    await project.topic('jobs');
    await project.subscription('workers', 'jobs');
    const { key: auditor } = await issueKey(scene.root, 'ops', 'auditor');
    const { key: operator } = await issueKey(scene.root, 'ops', 'operator');
    expect(await textsOf('workers', operator)).toEqual([
      'messaging.subscription · workers · monitoring',
      'messaging.topic · workers-dead · monitoring',
    ]);
    expect(await textsOf('monit', operator)).toEqual(['messaging.project · monitoring · messaging']);
    expect(await textsOf('workers subscription monitoring', operator)).toEqual(['messaging.subscription · workers · monitoring']);
    expect(await find('alpine', auditor)).toMatchObject([
      { kind: 'status.tenant', id: tenant, name: 'Alpine Grid', place: null, within: null },
      { kind: 'status.report', id: 'alpine-daily', name: 'alpine-daily', place: 'Alpine Grid', within: tenant },
    ]);
    const [ada] = await admin.usersOf(tenant);
    expect(await find('lovelace', auditor)).toEqual([
      { kind: 'user', id: ada?.id, name: 'Ada Lovelace', place: 'Alpine Grid', within: null },
    ]);
    expect(await find('lovelace', operator)).toEqual([]);
    const reads = await scene.root.get('/audit/events?type=PersonalDataRead', { key: OPERATOR });
    expect(reads.json).toMatchObject({ items: [{ actor: { kind: 'key' } }] });
  });

  it('are profiles by their newest names for auditors', async () => {
    const tenant = await admin.created('Boreal Grid', user('Bo', 'bo-key'));
    const { json } = await scene.status.post('/weights?date=2026-01-15', { key: 'bo-key', body: weights('boreal-cores') });
    const { id } = (json as { data: { id: string } }).data;
    await scene.status.put(`/weights/${id}?date=2026-02-15`, { key: 'bo-key', body: weights('boreal-slots') });
    const { key: auditor } = await issueKey(scene.root, 'ops', 'auditor');
    const { key: operator } = await issueKey(scene.root, 'ops', 'operator');
    expect(await find('boreal-slots', auditor)).toEqual([
      { kind: 'status.weights', id, name: 'boreal-slots', place: 'Boreal Grid', within: tenant },
    ]);
    expect(await textsOf('boreal-slots', operator)).toEqual([]);
  });

  it('are records of any kind by their ids, whose versions auditors and whose events operators are shown', async () => {
    const { key: auditor } = await issueKey(scene.root, 'ops', 'auditor');
    const { key: operator } = await issueKey(scene.root, 'ops', 'operator');
    const tenant = await admin.created('Cedar Grid', user('Cy Cedar', 'cy-key'));
    const { json } = await scene.status.post('/reports', { key: 'cy-key', body: { info: { name: 'cedar-daily' } } });
    const { id: report } = (json as { data: { id: string } }).data;
    const record = `status/report/${report}`;
    // Answered once the index has the events.
    const events = await scene.root.get(`/audit/events?${new URLSearchParams({ record })}`, { key: operator });
    expect(events.json).toMatchObject({ items: [{ type: 'ReportCreated', data: { id: report } }], next: null });
    for (const key of [auditor, operator])
      expect(await find(report, key)).toEqual([{ kind: 'record', id: record, name: 'cedar-daily', place: 'Cedar Grid', within: null }]);
    for (const wrong of ['report', 'status/thing/1', 'status/report/', 'messaging/topic/news'])
      expect((await scene.root.get(`/audit/events?${new URLSearchParams({ record: wrong })}`, { key: operator })).json).toMatchObject({
        status: 400,
        errors: [{ member: 'record' }],
      });
    const missing = await scene.root.get(`/audit/resources/status/metric_profile/${report}`, { key: auditor });
    expect(missing.json).toMatchObject({
      status: 404,
      detail: 'there never was a metric profile of status with this id; the id is that of a report of status',
    });

    const [cy] = await admin.usersOf(tenant);
    const [asUser, asRecord] = [`${cy?.id}`, `status/user/${cy?.id}`];
    expect(await find(asUser, auditor)).toMatchObject([
      { kind: 'record', id: asRecord, name: 'Cy Cedar', place: 'Cedar Grid' },
      { kind: 'user', id: asUser },
    ]);
    expect(await find(asUser, operator)).toMatchObject([{ kind: 'record', id: asRecord, name: asUser }]);

    expect(await find(tenant, auditor)).toMatchObject([{ kind: 'status.tenant', id: tenant }]);
    expect((await scene.status.delete(`/admin/tenants/${tenant}`, { key: ADMIN })).status).toBe(200);
    expect(await find(tenant, auditor)).toMatchObject([{ kind: 'record', id: `status/tenant/${tenant}`, name: 'deleted tenant' }]);
  });

  it('have their events listed by name, too, where their versions are', async () => {
    const [elder, younger] = [await createProject(scene, 'elder'), await createProject(scene, 'younger')];
    const typesOf = async (record: string): Promise<readonly (readonly [string, unknown])[]> => {
      const { json } = await scene.root.get(`/audit/events?${new URLSearchParams({ record })}`, { key: OPERATOR });
      return (json as { items: readonly { type: string; data: { name?: unknown } }[] }).items.map(({ type, data }) => [type, data.name]);
    };
    for (const project of [elder, younger]) await project.topic('shared-name');
    const { json } = await scene.root.get('/audit/resources/messaging/project/younger', { key: OPERATOR });
    const { id } = (json as { resource: { id: string } }).resource;
    const created = [['TopicCreated', 'shared-name']];
    expect(await typesOf('messaging/topic/younger/shared-name')).toEqual(created);
    expect(await typesOf(`messaging/topic/${id}/shared-name`)).toEqual(created);
    expect(await typesOf('messaging/project/younger')).toEqual(await typesOf(`messaging/project/${id}`));
    expect(await typesOf('messaging/project/younger')).toEqual([['ProjectCreated', 'younger']]);
    for (const none of ['messaging/topic/younger/other', 'messaging/topic/none/shared-name', 'status/report/younger'])
      expect(await typesOf(none)).toEqual([]);
  });

  it('are endpoint groups of the reports of today and their hosts, for both roles', async () => {
    const tenant = await admin.created('Dune Grid', user('Di', 'di-key'));
    await computedReport({ post: (path, body, call) => scene.status.post(path, { key: 'di-key', body, ...call }) });
    for (const key of [(await issueKey(scene.root, 'ops', 'auditor')).key, (await issueKey(scene.root, 'ops', 'operator')).key]) {
      const inReport = { within: tenant, report: 'Critical' };
      expect(await find('site-', key)).toEqual(
        ['SITE-A', 'SITE-B'].map((name) => ({ kind: 'status.group', id: name, name, place: 'Critical of Dune Grid', ...inReport })),
      );
      expect(await find('h1', key)).toEqual([
        { kind: 'status.host', id: 'h1', name: 'h1', place: 'SITE-A, Critical of Dune Grid', ...inReport, group: 'SITE-A' },
      ]);
      expect(await textsOf('h3 host dune', key)).toEqual(['status.host · h3 · SITE-B, Critical of Dune Grid']);
    }
  });

  it('are events by their index or id, and requests that led to events', async () => {
    const { json } = await eventually(() => scene.root.get('/audit/events?type=TenantRegistered', { key: OPERATOR })).until(
      ({ json: found }) => (found as { items: readonly object[] }).items.length > 0,
    );
    const [event] = (json as { items: readonly { index: number; id: string; requestId: string }[] }).items;
    expect(await find(`${event?.index}`, OPERATOR)).toMatchObject([{ kind: 'event', id: `${event?.index}` }]);
    expect(await find(event?.id ?? '', OPERATOR)).toMatchObject([{ kind: 'event', id: `${event?.index}`, name: event?.id }]);
    expect(await find(event?.requestId ?? '', OPERATOR)).toMatchObject([{ kind: 'request', id: event?.requestId }]);
    expect(await find('999999999', OPERATOR)).toEqual([]);
    expect(await find('6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60', OPERATOR)).toEqual([]);
  });

  it('are conversations of clients by their ids, and requests, also if these are numbers', async () => {
    const headers = { 'x-correlation-id': 'night run 42', 'x-request-id': '1' };
    expect((await scene.status.post('/admin/tenants', { key: ADMIN, headers, body: { info: { name: 'Elm Grid' } } })).status).toBe(201);
    await scene.root.get('/audit/events?limit=1', { key: OPERATOR }); // answered once the index has the event
    expect(await find('night run 42', OPERATOR)).toMatchObject([{ kind: 'conversation', id: 'night run 42', name: 'night run 42' }]);
    expect((await find('1', OPERATOR)).slice(0, 2)).toMatchObject([
      { kind: 'event', id: '1' },
      { kind: 'request', id: '1' },
    ]);
    const events = await scene.root.get('/audit/events?correlation=night+run+42', { key: OPERATOR });
    expect(events.json).toMatchObject({ items: [{ type: 'TenantRegistered', requestId: '1' }] });
  });

  it('are the oldest topic of a project with more than a thousand, too', async () => {
    const project = await createProject(scene, 'large');
    await project.topic('the-oldest');
    const topics = Array.from({ length: 1_000 }, (__, at) => `later-${at}`);
    while (topics.length > 0) await Promise.all(topics.splice(0, 50).map((topic) => project.topic(topic)));
    const found = await eventually(
      // a search ends after a second, however busy the machine is
      () => textsOf('the-oldest', OPERATOR),
    ).until(({ length }) => length > 0);
    expect(found).toEqual(['messaging.topic · the-oldest · large']);
  });

  it('are 20 at most, and asked for by a text of some length', async () => {
    for (let at = 0; at < 25; at++) await admin.created(`Many ${at}`);
    expect((await find('many', OPERATOR)).length).toBe(20);
    const statusOf = async (query: string) => (await scene.root.get(`/ops/places${query}`, { key: OPERATOR })).status;
    expect(await statusOf('')).toBe(400);
    expect(await statusOf('?text=')).toBe(400);
    expect(await statusOf(`?text=${'a'.repeat(201)}`)).toBe(400);
    expect(await statusOf('?text=a&limit=5')).toBe(400);
  });
});
