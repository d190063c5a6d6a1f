import { describe, expect, it } from '@jest/globals';
import { createProject } from '#test/e2e/messaging/calls.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { ADMIN, deployments, OPERATOR } from '#test/support/deployments.js';
import { type Answer, registerTenant } from '#test/support/status-client.js';

type Event = Readonly<{
  index: number;
  id: string;
  position: string;
  stream: string;
  revision: number;
  type: string;
  time: string;
  actor: Readonly<{ kind: string; id: string; name: string | null }>;
  requestId: string;
  correlationId: string;
  data: Readonly<Record<string, unknown>>;
  hash: string;
}>;
type Page = Readonly<{ items: readonly Event[]; next: string | null }>;

describe.each(deployments)('the audit of events on %s', (_, open) => {
  const scene = serving(open, { LOGBOOK_HISTORY: 'on' });
  const ask = (path: string, options: object = {}) => scene.root.get(path, { key: OPERATOR, ...options });
  const pageOf = ({ status, json }: Answer): Page => {
    expect([status, json]).toEqual([200, expect.objectContaining({ items: expect.anything() })]);
    return json as Page;
  };
  const events = async (query = '') => pageOf(await ask(`/audit/events?limit=1000${query}`)).items;
  const membersOf = ({ json }: Answer) => (json as { errors?: { member: string }[] }).errors?.map(({ member }) => member);

  it('shows each write at once, who did it and by which call; pages and lines say the same', async () => {
    await registerTenant(scene.status, ADMIN, 'audit', ['admin']);
    const headers = { 'x-correlation-id': 'a conversation / a' };
    const { headers: answered } = await scene.status.post('/weights', { key: 'audit-admin', body: weights('one'), headers });
    const [event] = await events(`&correlation=${encodeURIComponent('a conversation / a')}`);
    expect(event).toMatchObject({
      type: 'WeightsSnapshotDated',
      position: expect.stringMatching(/^\d+$/),
      actor: { kind: 'user', name: null },
    });
    expect(event?.requestId).toBe(answered.get('x-request-id'));
    expect(await events(`&request=${event?.requestId}&service=status`)).toEqual([event]);
    expect(await events(`&stream=${event?.stream}&actor=${event?.actor.id}&type=WeightsSnapshotDated&type=x`)).toEqual([event]);
    expect(await events(`&event=${event?.id}&stream=${event?.stream}`)).toEqual([event]);
    expect(await events(`&event=${event?.id}&type=x`)).toEqual([]);
    const all = await events();
    expect(all.map(({ index }) => index)).toEqual(all.map((_event, index) => index));
    expect(all.some(({ stream }) => /^(keys|integrity)\./.test(stream))).toBe(false);
    const [byTime] = await events(`&from=${event?.time}&order=desc`);
    expect(byTime).toEqual(event);
    expect((await events(`&to=${event?.time}`)).map(({ index }) => index)).not.toContain(event?.index);
    const walked: Event[] = [];
    for (let after = ''; ; ) {
      const { items, next } = pageOf(await ask(`/audit/events?order=desc&limit=3${after}`));
      walked.push(...items);
      if (next === null) break;
      after = `&after=${next}`;
    }
    expect(walked.reverse()).toEqual(all);
    const lines = await ask('/audit/events', { accept: 'application/x-ndjson' });
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(
      lines.text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual(all);
    expect((await ask(`/audit/events/${event?.index}`)).json).toEqual(event);
    const resources = (await ask(`/audit/events/${event?.index}/resources`)).json as { items: { kind: string; id: string }[] };
    expect(resources).toEqual({ items: [{ service: 'status', kind: 'weights', id: event?.data.id, scope: null }] });
    const [changed] = resources.items;
    const record = await ask(`/audit/resources/status/weights/${changed?.id}`);
    expect(record.json).toMatchObject({ versions: [{ index: event?.index }] });
    expect((await ask('/audit/events/999999/resources')).status).toBe(404);
    const stored = (await ask(`/audit/events/${event?.index}?form=stored`)).json;
    expect(stored).toMatchObject({ hash: event?.hash, metadata: { correlationId: 'a conversation / a' } });
  });

  it('shows a stream by its revisions, and actors with the names of their keys', async () => {
    const auditor = await issueKey(scene.root, 'ops', 'auditor', 'Ada / audit');
    await scene.root.get('/ops/keys', { key: auditor.key });
    const stream = async (query: string) => (await ask(`/audit/streams/ops.keys-global?${query}`)).json as Page;
    const { items } = await stream('');
    expect(items.map(({ revision }) => revision)).toEqual(items.map((_event, revision) => revision));
    const newest = items.length - 1;
    expect(await stream(`order=desc&limit=2`)).toEqual({ items: [items[newest], items[newest - 1]], next: newest - 1 });
    expect(await stream(`order=desc&after=1`)).toEqual({ items: [items[0]], next: null });
    expect(await stream(`after=${newest}`)).toEqual({ items: [], next: null });
    expect(items[newest]?.actor).toEqual({ kind: 'key', id: auditor.id, name: 'Ada / audit' });
    const actor = (await ask(`/audit/actors/${auditor.id}`)).json;
    expect(actor).toEqual({
      actor: items[newest]?.actor,
      firstSeen: items[newest]?.time,
      lastSeen: items[newest]?.time,
      events: 1,
      services: ['ops'],
    });
    const { items: keys } = (await ask('/audit/actors?kind=key')).json as { items: readonly unknown[] };
    expect(keys).toContainEqual(actor);
    expect((await ask(`/audit/actors?kind=key&limit=1&after=${auditor.id.slice(0, -1)}`)).json).toMatchObject({ items: [actor] });
    expect((await ask('/audit/actors/some%2Fbody%20else')).status).toBe(404);
  });

  it('shows personal data to auditors who ask for them, which is on record', async () => {
    const [tenant] = await events('&type=TenantRegistered');
    const [user] = await events('&type=TenantUserAdded');
    const auditor = await issueKey(scene.root, 'ops', 'auditor');
    const operator = await issueKey(scene.root, 'ops', 'operator');
    const shown = user ?? tenant;
    const path = `/audit/events/${shown?.index}?personal=true`;
    expect((await scene.root.get(`${path}&limit=0`, { key: operator.key })).status).toBe(403);
    const { status, json } = await scene.root.get(path, { key: auditor.key });
    expect(status).toBe(200);
    expect(JSON.stringify(json)).toContain('admin@example.org');
    expect(JSON.stringify(shown)).not.toContain('admin@example.org');
    expect(JSON.stringify(shown)).toContain('[personal]');
    const [read] = await events('&type=PersonalDataRead');
    expect(read).toMatchObject({
      actor: { id: auditor.id },
      data: { path: `/audit/events/${shown?.index}`, query: { personal: 'true' } },
    });
  });

  it('shows neither the user info of feeds nor the addresses of contacts', async () => {
    await registerTenant(scene.status, ADMIN, 'contacts', ['admin']);
    const key = 'contacts-admin';
    const feed = { type: 'gocdb', feed_url: 'https://me:pw@feed.example/in?scope=EGI' };
    expect((await scene.status.put('/feeds/topology', { key, body: feed })).status).toBe(200);
    const item = { group: 'g', type: 't', notifications: { contacts: ['ada@example.org'], enabled: true } };
    for (const kind of ['endpoints', 'groups'])
      expect((await scene.status.post(`/topology/${kind}?date=2024-01-01`, { key, body: [item] })).status).toBe(201);
    const [replaced] = await events('&type=FeedReplaced');
    expect(replaced?.data).toMatchObject({ feed: { feed_url: 'https://[secret]@feed.example/in?scope=EGI' } });
    const auditor = await issueKey(scene.root, 'ops', 'auditor');
    for (const type of ['TopologyEndpointsListed', 'TopologyGroupsListed']) {
      const [listed] = await events(`&type=${type}`);
      expect(listed?.data).toMatchObject({ items: [{ notifications: { contacts: '[personal]', enabled: true } }] });
      const { json } = await scene.root.get(`/audit/events/${listed?.index}?personal=true`, { key: auditor.key });
      expect(JSON.stringify(json)).toContain('ada@example.org');
    }
  });

  it('answers what there is not, and what cannot be, as the contract says', async () => {
    const wrong: readonly (readonly [string, number, (readonly string[])?])[] = [
      ['/audit/events?sream=x', 400, ['sream']],
      ['/audit/events?limit=0', 400, ['limit']],
      ['/audit/events?limit=1001', 400, ['limit']],
      ['/audit/events?limit=1&limit=2', 400, ['limit']],
      ['/audit/events?service=x', 400, ['service']],
      ['/audit/events?from=2024-01-01T00:00:00', 400, ['from']],
      ['/audit/events?from=2024-01-02T00:00:00Z&to=2024-01-01T00:00:00Z', 400, ['from']],
      ['/audit/events?after=-1', 400, ['after']],
      ['/audit/events?after=x&order=up&form=x&personal=1&stream=', 400],
      ['/audit/events?type=', 400, ['type']],
      ['/audit/events?event=', 400, ['event']],
      ['/audit/streams/ops.keys-global?stream=x', 400, ['stream']],
      ['/audit/streams/ops.keys-global?after=x', 400, ['after']],
      ['/audit/streams/keys.master-global', 404],
      ['/audit/streams/integrity.leaves-global', 404],
      ['/audit/streams/nothing', 404],
      ['/audit/events/999999', 404],
      ['/audit/events/1.5', 404],
      ['/audit/actors?kind=x', 400, ['kind']],
      ['/ops/log?x=1', 400, ['x']],
    ];
    for (const [path, status, members] of wrong) {
      const answer = await ask(path);
      expect([path, answer.status, ...(members ? [membersOf(answer)] : [])]).toEqual([path, status, ...(members ? [members] : [])]);
    }
    expect((await scene.root.get('/audit/events?limit=0')).status).toBe(401);
    expect((await ask('/audit/events', { accept: 'text/csv' })).status).toBe(406);
    const posted = await scene.root.post('/audit/events', { key: OPERATOR });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    for (const query of [
      'stream=keys.master-global',
      'category=nothing',
      'actor=nobody',
      'event=6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60',
      'form=stored&event=x',
      'after=9223372036854775807',
      `correlation=${encodeURIComponent('é'.repeat(1_000))}`,
    ])
      expect((await ask(`/audit/events?${query}`)).json).toEqual({ items: [], next: null });
  });

  it('counts the log by category', async () => {
    const project = await createProject(scene, 'p');
    await project.topic('t');
    const messages = [1, 2, 3].map((id) => ({ data: Buffer.from(`${id}`).toString('base64') }));
    expect((await project.post('/topics/t:publish', { messages })).status).toBe(200);
    const all = await events();
    const { json } = await ask('/ops/log');
    const log = json as { head: string; events: number; categories: readonly { name: string; events: number }[] };
    expect(log).toMatchObject({ installation: expect.stringMatching(/^[0-9a-f-]{36}$/), events: all.length, expired: 0 });
    const published = all.filter(({ stream }) => stream.startsWith('messaging.messages-'));
    for (const event of published) expect(await events(`&event=${event.id}`)).toEqual([event]);
    expect(log.categories).toContainEqual({ name: 'messaging.messages', streams: 1, events: 3, expired: 0 });
    expect(Object.keys(log).join()).toMatch(/^installation,head,events,streams,expired,bytes,categories,chain/);
    expect(log.categories.map(({ name }) => name)).toEqual(log.categories.map(({ name }) => name).sort());
    expect(BigInt(log.head)).toBeGreaterThanOrEqual(BigInt(all.at(-1)?.position ?? '0'));
  });
});
