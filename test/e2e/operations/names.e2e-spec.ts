import { describe, expect, it } from '@jest/globals';
import { createProject, SERVICE_TOKEN } from '#test/e2e/messaging/calls.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { administration, user } from '#test/e2e/status/tenant-calls.js';
import { deployments, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { idOf } from '#test/support/status-client.js';

type Named = Readonly<{ kind: string; id: string; name: string | null; place: string | null; state: string }>;

describe.each(deployments)('names of records on %s', (_, open) => {
  const scene = serving(open, { LOGBOOK_MESSAGING_SERVICE_TOKEN: SERVICE_TOKEN });
  const admin = administration(scene);
  const ask = async (path: string, key: string): Promise<readonly Named[]> => {
    const { status, json, text } = await scene.root.get(`/ops/names${path}`, { key });
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return (json as { items: readonly Named[] }).items;
  };
  const of = (key: string, ...wanted: readonly string[]) =>
    ask(`?${new URLSearchParams(wanted.map((one): [string, string] => ['record', one]))}`, key);
  const namesOf = async (key: string, ...wanted: readonly string[]) => (await of(key, ...wanted)).map(({ name }) => name);
  const personalReads = async (): Promise<number> => {
    const { json } = await scene.root.get('/audit/events?type=PersonalDataRead', { key: OPERATOR });
    return (json as { items: readonly object[] }).items.length;
  };

  it('are those of now, of people for auditors only, and say what is gone', async () => {
    const tenant = await admin.created('Alpine Grid', user('Ada Lovelace'), user('Bob'));
    const [ada, bob] = await admin.usersOf(tenant);
    const gone = await admin.created('Gone Grid');
    await Promise.all([admin.remove(gone), admin.remove(tenant, `/users/${bob?.id}`)]);
    const account = await scene.root.post('/v1/users/reader', { key: SERVICE_TOKEN, body: { email: 'reader@x' } });
    const { uuid } = account.json as { uuid: string };
    const auditor = await issueKey(scene.root, 'ops', 'auditor', 'yearly audit');
    const operator = await issueKey(scene.root, 'ops', 'operator', 'on duty');
    const asked = [
      `status.tenant:${tenant}`,
      `status.tenant:${gone}`,
      `status.user:${ada?.id}`,
      `actor:${ada?.id}`,
      `actor:${bob?.id}`,
      `actor:${uuid}`,
      `actor:${auditor.id}`,
      `messaging.user:${uuid}`,
      'messaging.project:nobody',
    ];
    const all = await of(auditor.key, ...asked);
    expect(all.map(({ kind, id }) => `${kind}:${id}`)).toEqual(asked);
    expect(all.map(({ name }) => name)).toEqual([
      'Alpine Grid',
      'deleted tenant',
      'Ada Lovelace',
      'Ada Lovelace',
      'erased user',
      'reader',
      'yearly audit',
      'reader',
      null,
    ]);
    expect(all.map(({ state }) => state)).toEqual([
      'present',
      'gone',
      'present',
      'present',
      'gone',
      'present',
      'present',
      'present',
      'unknown',
    ]);
    expect(all[2]?.place).toBe('Alpine Grid');
    expect((await namesOf(operator.key, ...asked)).slice(2, 4)).toEqual(['a user of Alpine Grid', 'a user of Alpine Grid']);
    expect((await scene.root.delete(`/ops/keys/${auditor.id}`, { key: OPERATOR })).status).toBe(204);
    await eventually(() => namesOf(operator.key, `ops.key:${auditor.id}`)).until(([name]) => name === 'yearly audit');
  });

  it('of people are on record once for an auditor and hour, and never for what is no person', async () => {
    const tenant = await admin.created('North Grid', user('Grace Hopper'));
    const [grace] = await admin.usersOf(tenant);
    const { key } = await issueKey(scene.root, 'ops', 'auditor');
    const before = await personalReads();
    await of(key, `status.tenant:${tenant}`);
    expect(await personalReads()).toBe(before);
    for (let round = 0; round < 3; round++) await of(key, `status.user:${grace?.id}`);
    await ask('/status.user?text=grace', key);
    expect(await personalReads()).toBe(before + 1);
    const operator = await issueKey(scene.root, 'ops', 'operator');
    await of(operator.key, `status.user:${grace?.id}`);
    expect(await personalReads()).toBe(before + 1);
  });

  it('are those of topics, reports and dated profiles, too, as their newest events have them', async () => {
    const tenant = await admin.created('West Grid', user('Ann', 'ann-key'));
    const made = async (path: string, body: object) => idOf(await scene.status.post(path, { key: 'ann-key', body }));
    const report = await made('/reports', { info: { name: 'west-daily' } });
    const [kept, gone] = [await made('/weights', weights('first')), await made('/weights', weights('gone'))];
    await scene.status.put(`/weights/${kept}`, { key: 'ann-key', body: weights('second') });
    await scene.status.delete(`/weights/${gone}`, { key: 'ann-key' });
    const project = await createProject(scene, 'western');
    await project.topic('jobs');
    const { json } = await eventually(() => scene.root.get('/audit/events?type=TopicCreated&order=desc&limit=1', { key: OPERATOR })).until(
      ({ json: page }) => (page as { items: readonly object[] }).items.length > 0,
    );
    const [created] = (json as { items: readonly { index: number }[] }).items;
    const { items } = (await scene.root.get(`/audit/events/${created?.index}/resources`, { key: OPERATOR })).json as {
      items: readonly { id: string; scope: string }[];
    };
    const topic = `messaging.topic:${items[0]?.scope}/${items[0]?.id}`;
    const asked = [topic, `status.report:${report}`, `status.weights:${kept}`, `status.weights:${gone}`, 'status.weights:none'];
    const { key } = await issueKey(scene.root, 'ops', 'operator');
    const found = await eventually(() => of(key, ...asked)).until((all) => all[3]?.state === 'gone');
    expect(found.map(({ name, place, state }) => [name, place, state])).toEqual([
      ['jobs', 'western', 'present'],
      ['west-daily', 'West Grid', 'present'],
      ['second', 'West Grid', 'present'],
      ['deleted weights', null, 'gone'],
      [null, null, 'unknown'],
    ]);
    await admin.remove(tenant);
    await eventually(() => namesOf(key, `status.report:${report}`)).until(([name]) => name === 'deleted report');
  });

  it('are suggested, the best first, and found by the id of what is gone', async () => {
    for (const name of ['South Grid', 'Grid South', 'Further South']) await admin.created(name);
    const { key } = await issueKey(scene.root, 'ops', 'auditor');
    const { key: operator } = await issueKey(scene.root, 'ops', 'operator');
    const suggested = async (kind: string, text: string, by = key) =>
      (await ask(`/${kind}?text=${encodeURIComponent(text)}`, by)).map(({ name }) => name);
    expect(await suggested('status.tenant', 'south')).toEqual(['South Grid', 'Further South', 'Grid South']);
    expect(await suggested('status.tenant', 'nowhere')).toEqual([]);
    const doomed = await admin.created('Doomed', user('Edsger'));
    const [edsger] = await admin.usersOf(doomed);
    expect(await suggested('actor', 'edsg')).toEqual(['Edsger']);
    expect(await suggested('actor', 'edsg', operator)).toEqual([]);
    expect(await suggested('actor', 'doomed', operator)).toEqual(['a user of Doomed']);
    await admin.remove(doomed);
    expect(await suggested('status.tenant', doomed)).toEqual(['deleted tenant']);
    expect(await suggested('actor', `${edsger?.id}`)).toEqual(['erased user']);
    expect(await ask('/messaging.registration', key)).toEqual([]);
    expect((await ask('/status.tenant?limit=2', key)).length).toBe(2);
  });

  it('are refused for what is no reference, and for kinds without names', async () => {
    const statusOf = async (path: string) => (await scene.root.get(`/ops/names${path}`, { key: OPERATOR })).status;
    expect(await statusOf('')).toBe(400);
    expect(await statusOf('?record=tenant')).toBe(400);
    expect(await statusOf('?record=status.tenant:')).toBe(400);
    expect(await statusOf(`?${Array.from({ length: 101 }, (__, at) => `record=actor:${at}`).join('&')}`)).toBe(400);
    expect(await statusOf('/weights')).toBe(404);
    expect(await statusOf('/status.tenant?name=a')).toBe(400);
  });
});
