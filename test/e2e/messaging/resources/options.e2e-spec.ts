import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  createProject,
  type ErrorLine,
  expectBody,
  expectError,
  inProject,
  type ProjectCalls,
  PULLED,
  WITH_TOKEN,
} from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { deployments } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';

const BAD_SUBSCRIPTION: ErrorLine = 'INVALID_ARGUMENT: Invalid Subscription Arguments';
const BAD_BODY: ErrorLine = 'BAD_REQUEST: Invalid Request Body';
const NO_TOPIC: ErrorLine = "NOT_FOUND: Topic doesn't exist";

type Listed = Readonly<
  Record<'topics' | 'subscriptions', readonly Readonly<{ name: string }>[]> & { totalSize: number; nextPageToken: string }
>;

describe.each(deployments)('members beyond AMS, on %s', (_name, open) => {
  const scene = serving(open, WITH_TOKEN);
  let p: ProjectCalls;
  let number = 0;
  const fresh = () => `o${++number}`;
  const topic = 'projects/p/topics/t';
  const subscribe = (name: string, members: object) => p.put(`/subscriptions/${name}`, { topic, ...members });
  const createdOn = (answer: Answer) => (answer.json as { createdOn: string }).createdOn;
  const view = (name: string, answer: Answer, members: object = {}) => ({
    name: `/projects/p/subscriptions/${name}`,
    topic: '/projects/p/topics/t',
    pushConfig: PULLED,
    ackDeadlineSeconds: 10,
    createdOn: createdOn(answer),
    ...members,
  });

  beforeAll(async () => {
    p = await createProject(scene, 'p');
    await p.topic('t');
  });

  it('of subscriptions are shown behind the others, in reads and in lists', async () => {
    const name = fresh();
    const given = { filter: 'attributes:"<a>"', messageRetentionDuration: '600s', expirationPolicy: { ttl: '86400s' } };
    const created = await subscribe(name, { ...given, labels: { z: '1', a: '<&>' }, ackMode: 'cursor' });
    const { filter, messageRetentionDuration, expirationPolicy } = given;
    const labels = { a: '<&>', z: '1' };
    const expected = view(name, created, { ackMode: 'cursor', filter, messageRetentionDuration, labels, expirationPolicy });
    expectBody(created, expected);
    expectBody(await p.get(`/subscriptions/${name}`), expected);
    expectBody(await p.get('/subscriptions?pageSize=1&filter=labels.z:1'), { subscriptions: [expected], nextPageToken: '', totalSize: 1 });
  });

  it.each([{ ackMode: 'lease' }, { ackMode: 5 }, { labels: [] }, { enableMessageOrdering: 'true' }])(
    'of subscriptions are refused: %j',
    async (members) => {
      expectError(await subscribe(fresh(), members), BAD_SUBSCRIPTION);
      expectError(await subscribe(fresh(), { ...members, topic: 'none', ackDeadlineSeconds: 700 }), BAD_SUBSCRIPTION);
    },
  );

  it('of subscriptions do not disturb the order of the other checks', async () => {
    const labels = { a: 'x' };
    expectError(
      await subscribe(fresh(), { labels, ackDeadlineSeconds: 601, ackMode: 'message' }),
      'INVALID_ARGUMENT: Invalid ackDeadlineSeconds(needs value between 0 and 600) Arguments',
    );
    expectError(await subscribe(fresh(), { labels, topic: 'projects/p/topics/none' }), NO_TOPIC);
  });

  it('of topics are given at creation, changed, and taken back', async () => {
    const name = fresh();
    const path = `/topics/${name}`;
    const created = await p.put(path, { messageRetentionDuration: '700s', labels: { b: '', a: 'x' } });
    const { created_on } = created.json as { created_on: string };
    const shown = (members: object) => ({ name: `/projects/p/topics/${name}`, created_on, ...members });
    const change = (body: unknown) => p.call('PATCH', path, body);
    const labels = { a: 'x', b: '' };
    expectBody(created, shown({ messageRetentionDuration: '700s', labels }));
    expectBody(await p.get(path), shown({ messageRetentionDuration: '700s', labels }));
    const first = await change({ topic: { messageRetentionDuration: '600s', labels: {} }, updateMask: 'messageRetentionDuration' });
    expectBody(first, shown({ messageRetentionDuration: '600s', labels }));
    expectBody(await p.get(path), first.json);
    expectBody(
      await change({ topic: { labels: { c: '1' } }, updateMask: ' labels , messageRetentionDuration' }),
      shown({ labels: { c: '1' } }),
    );
    expectBody(await change({ updateMask: 'labels' }), shown({}));
    expectBody(await p.get(path), shown({}));
    expect(await scene.restart()).toBe(0);
    expectBody(await p.get(path), shown({}));
  });

  it.each([
    '',
    '{',
    '{}',
    '{"topic":{"labels":{}}}',
    '{"updateMask":"schema"}',
    '{"updateMask":"labels,"}',
    '{"updateMask":"__proto__"}',
    '{"updateMask":["labels"]}',
    '{"updateMask":"labels","topic":{"labels":{"A":""}}}',
    '{"updateMask":"labels","topic":{"labels":"x"}}',
    '{"updateMask":"messageRetentionDuration","topic":{"messageRetentionDuration":"599s"}}',
    '{"updateMask":"messageRetentionDuration","topic":{"messageRetentionDuration":600}}',
  ])('of topics are not changed by %s', async (body) => {
    const name = fresh();
    expectError(await p.call('PATCH', `/topics/${name}`, body), NO_TOPIC);
    await p.topic(name);
    expectError(await p.call('PATCH', `/topics/${name}`, body), BAD_BODY);
  });

  it.each([
    '{"labels":{"A":""}}',
    '{"labels":"x"}',
    '{"labels":{"a":5}}',
    '{"messageRetentionDuration":"31536001s"}',
    '{"labels":{},"other":1}',
  ])('of topics are refused at creation: %s', async (body) => expectError(await p.put(`/topics/${fresh()}`, body), BAD_BODY));

  it('find what has a label, page by page', async () => {
    const q = await createProject(scene, 'q');
    const key = await q.member('reader', 'publisher');
    for (let index = 0; index < 7; index++) await q.put(`/topics/t${index}`, { labels: { parity: index % 2 ? 'odd' : 'even' } });
    await q.topic('plain');
    for (const name of ['t1', 't2']) await q.post(`/topics/${name}:modifyAcl`, { authorized_users: ['reader'] });
    const namesIn = (list: Listed) => list.topics.map(({ name }) => name.slice(name.lastIndexOf('/') + 1));
    const list = async (query: string, calls = q) => (await calls.get(`/topics?${query}`)).json as Listed;
    const even = await list('filter=labels.parity:even');
    expect([namesIn(even), even.totalSize, even.nextPageToken]).toEqual([['t6', 't4', 't2', 't0'], 4, '']);
    const first = await list('filter=labels.parity:even&pageSize=3');
    expect([namesIn(first), first.totalSize]).toEqual([['t6', 't4', 't2'], 4]);
    const second = await list(`filter=labels.parity:even&pageSize=3&pageToken=${encodeURIComponent(first.nextPageToken)}`);
    expect([namesIn(second), second.totalSize, second.nextPageToken]).toEqual([['t0'], 4, '']);
    expect(namesIn(await list('filter=labels.parity:even', inProject(scene, 'q', key)))).toEqual(['t2']);
    expect(await list('filter=labels.parity:e')).toEqual({ topics: [], nextPageToken: '', totalSize: 0 });
    expect((await list('filter=')).totalSize).toBe(8);
    const wrong: ErrorLine = 'INVALID_ARGUMENT: Invalid filter: `labels.<key>:<value>` is expected, at character 1';
    for (const path of ['topics', 'subscriptions']) expectError(await q.get(`/${path}?filter=name:x`), wrong);
  });
});
