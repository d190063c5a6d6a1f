import { beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, expectBody, expectEmpty, expectError, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { serving } from '#test/e2e/serving.js';
import { embedded, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { AT_ONCE, deliveriesOf, idsOf, lateAnswer, told } from './deliveries.js';

type TopicCreated = Readonly<{ stream: string; data: Readonly<{ topicId: string; name: string }> }>;

const scene = serving(embedded, WITH_TOKEN);
let p: ProjectCalls;
const { publish, offsets, modifyOffset } = trafficOf(() => p);
const { share, take, ack, extend } = deliveriesOf(() => p);
beforeAll(async () => {
  p = await createProject(scene, 'p');
});

/** A subscription to which so many messages, `0`, `1` …, were published. */
const shared = async (name: string, messages: number, more: object = {}): Promise<void> => {
  await share(name, more);
  if (messages > 0) await publish(name, texts(...Array.from({ length: messages }, (_, index) => `${index}`)));
};

/** Until a consumer waits for messages. */
const untilWaiting = (subscription: string) =>
  eventually(() => scene.root.get(`/ops/messaging/p/subscriptions/${subscription}`, { key: OPERATOR })).until(
    ({ json }) => (json as { consumers: { waiting: number | null } }).consumers.waiting === 1,
  );

describe('Messages that are acknowledged one by one', () => {
  it('are leased to one consumer at a time, each with the number of its delivery', async () => {
    await shared('one', 3);
    const first = await take('one', { maxMessages: '2' });
    expect(first).toEqual(
      ['0', '1'].map((text, offset) => ({
        ackId: `projects/p/subscriptions/one:${offset}-1`,
        message: { messageId: `${offset}`, data: texts(text)[0]?.data, publishTime: expect.any(String) },
        deliveryAttempt: 1,
      })),
    );
    expect(told(await take('one'))).toEqual(['2 1']);
    expect(await take('one')).toEqual([]);
    expectBody(await ack('one', idsOf(first)), {}, JSON.stringify);
    expect(await offsets('one')).toEqual({ max: 3, min: 0, current: 2 });
  });

  it('are acknowledged in any order; the offset is that of the oldest that is not', async () => {
    await shared('any', 4);
    const [first, second, third, fourth] = idsOf(await take('any')) as [string, string, string, string];
    await ack('any', [third, second]);
    expect((await offsets('any')).current).toBe(0);
    await ack('any', [first]);
    expect((await offsets('any')).current).toBe(3);
    await ack('any', [fourth, fourth]);
    expect((await offsets('any')).current).toBe(4);
  });

  it('come again at once when they are given back, and what is known of the delivery before is ignored', async () => {
    await shared('nack', 2);
    const [first, second] = (await take('nack')) as [never, never];
    expectEmpty(await extend('nack', idsOf([first]), 0));
    const again = await take('nack');
    expect(told(again)).toEqual(['0 2']);
    expectBody(await ack('nack', idsOf([first])), {}, JSON.stringify);
    expect((await offsets('nack')).current).toBe(0);
    await ack('nack', idsOf([...again, second]));
    expect((await offsets('nack')).current).toBe(2);
  });

  it('come again when their lease ends, which wakes who waits', async () => {
    await shared('late', 2);
    const delivered = await take('late');
    await extend('late', idsOf(delivered), 1);
    expect(told(await take('late', { ...AT_ONCE, returnImmediately: 'false' }))).toEqual(['0 2', '1 2']);
    expectBody(await ack('late', idsOf(delivered)), {}, JSON.stringify);
    expect((await offsets('late')).current).toBe(0);
  });

  it('are leased on for as long as the consumer asks', async () => {
    await shared('longer', 1);
    const delivered = await take('longer');
    await extend('longer', idsOf(delivered), 600);
    expect(await take('longer')).toEqual([]);
    await ack('longer', idsOf(delivered));
    expect((await offsets('longer')).current).toBe(1);
  });

  it('wake consumers that wait when they are published, given back or moved', async () => {
    await shared('wake', 0);
    const waiting = take('wake', { maxMessages: '1', returnImmediately: 'false' });
    await untilWaiting('wake');
    await publish('wake', texts('a'));
    const delivered = await waiting;
    expect(told(delivered)).toEqual(['a 1']);
    const again = take('wake', { maxMessages: '1', returnImmediately: 'false' });
    await untilWaiting('wake');
    await extend('wake', idsOf(delivered), 0);
    expect(told(await again)).toEqual(['a 2']);
  });

  it('wait for the back-off of the subscription', async () => {
    await shared('long-pause', 1, { retryPolicy: { minimumBackoff: '600s', maximumBackoff: '600s' } });
    await extend('long-pause', idsOf(await take('long-pause')), 0);
    expect(await take('long-pause')).toEqual([]);
    await shared('pause', 1, { retryPolicy: { minimumBackoff: '1s', maximumBackoff: '2s' } });
    await extend('pause', idsOf(await take('pause')), 0);
    expect(told(await take('pause', { maxMessages: '1', returnImmediately: 'false' }))).toEqual(['0 2']);
  });

  it('with the same key come one after the other', async () => {
    await share('ordered', { enableMessageOrdering: true });
    await publish(
      'ordered',
      ['a', 'a', 'b', ''].map((orderingKey, index) => ({ ...texts(`${index}`)[0], ...(orderingKey && { orderingKey }) })),
    );
    const delivered = await take('ordered');
    expect(told(delivered)).toEqual(['0 1', '2 1', '3 1']);
    expect(delivered[0]?.message).toMatchObject({ orderingKey: 'a' });
    await extend('ordered', idsOf(delivered.slice(0, 1)), 0);
    const again = await take('ordered');
    expect(told(again)).toEqual(['0 2']);
    await ack('ordered', idsOf(again));
    expect(told(await take('ordered'))).toEqual(['1 1']);
  });

  it('that the filter does not want count as acknowledged', async () => {
    await share('filtered', { filter: 'attributes.site = "A"' });
    await publish(
      'filtered',
      ['A', 'B', 'A', 'B'].map((site, index) => ({ ...texts(`${index}`)[0], attributes: { site } })),
    );
    const delivered = await take('filtered');
    expect(told(delivered)).toEqual(['0 1', '2 1']);
    await ack('filtered', idsOf(delivered));
    await eventually(() => offsets('filtered')).until(({ current }) => current === 4);
  });

  it('of which an acknowledgement came too late are named, where each is to be delivered once', async () => {
    await shared('once', 3, { enableExactlyOnceDelivery: true });
    const [first, second, third] = idsOf(await take('once')) as [string, string, string];
    await ack('once', [first]);
    await extend('once', [second], 0);
    const answer = await ack('once', [first, third, second]);
    expect([answer.status, answer.text]).toEqual([409, lateAnswer([first, second])]);
    expect(told(await take('once'))).toEqual(['1 2']);
  });

  it('are acknowledged by a repeat under the key of the first call as by that, which says so; late ones stay late', async () => {
    await shared('keyed', 3, { enableExactlyOnceDelivery: true });
    const [first, second, third] = idsOf(await take('keyed')) as [string, string, string];
    const keyed = (key: string, ackIds: readonly string[]) =>
      p.post('/subscriptions/keyed:acknowledge', { ackIds }, { 'idempotency-key': key });
    for (const _ of [1, 2]) expectBody(await keyed('one', [first, second]), {}, JSON.stringify);
    for (const _ of [1, 2]) expect((await keyed('two', [second, third])).text).toBe(lateAnswer([second]));
    expect((await keyed('three', [third])).text).toBe(lateAnswer([third]));
    expect((await keyed('one', [third])).status).toBe(422);
  });

  it('begin anew where the subscription is moved', async () => {
    await shared('moved', 3);
    const delivered = await take('moved');
    await ack('moved', idsOf(delivered.slice(1, 2)));
    expectEmpty(await modifyOffset('moved', 0));
    expect(await offsets('moved')).toEqual({ max: 3, min: 0, current: 0 });
    await ack('moved', idsOf(delivered.slice(0, 1)));
    expect(told(await take('moved'))).toEqual(['0 2', '1 1', '2 2']);
    expectEmpty(await modifyOffset('moved', 2));
    expect((await offsets('moved')).current).toBe(2);
    expect(told(await take('moved')).map((text) => text.split(' ')[0])).toEqual(['2']);
    expectError(await modifyOffset('moved', 4), 'INVALID_ARGUMENT: Offset out of bounds');
  });

  it('have other ids after each move: one from before acknowledges nothing', async () => {
    await shared('again', 2, { enableExactlyOnceDelivery: true });
    const before = idsOf(await take('again'));
    expect((await ack('again', before)).status).toBe(200);
    expectEmpty(await modifyOffset('again', 0));
    const delivered = await take('again');
    expect(told(delivered)).toEqual(['0 1', '1 1']);
    expect(idsOf(delivered)).toEqual([0, 1].map((offset) => `projects/p/subscriptions/again:${offset}-1000001`));
    const late = await ack('again', before);
    expect([late.status, late.text]).toEqual([409, lateAnswer(before)]);
    expectEmpty(await extend('again', before, 0));
    expect(await take('again')).toEqual([]);
    expect((await ack('again', idsOf(delivered))).status).toBe(200);
    expect((await offsets('again')).current).toBe(2);
  });

  it('are counted when they are handed out', async () => {
    await shared('counted', 2);
    const delivered = await take('counted');
    await extend('counted', idsOf(delivered), 0);
    await ack('counted', idsOf(await take('counted')));
    const { json } = await p.get('/subscriptions/counted:metrics');
    expect((json as { metrics: { metric: string; timeseries: { value: number }[] }[] }).metrics[0]).toMatchObject({
      metric: 'subscription.number_of_messages',
      timeseries: [{ value: 4 }],
    });
  });

  it('are shown with the subscription', async () => {
    await shared('shown', 0);
    expect((await p.get('/subscriptions/shown')).json).toMatchObject({ ackMode: 'message' });
  });
});

describe('Moving a subscription to a time', () => {
  it.each([{}, { ackMode: 'message' }])('finds the first message published then or later: %j', async (mode) => {
    const name = `seek-${Object.keys(mode).length}`;
    await p.topic(name);
    await p.put(`/subscriptions/${name}`, { topic: `projects/p/topics/${name}`, ...mode });
    await publish(name, texts('a', 'b'));
    const [first] = await take(name);
    const seek = (body: unknown) => p.post(`/subscriptions/${name}:seek`, body);
    expectBody(await seek({ time: '2099-01-01T00:00:00Z' }), {}, JSON.stringify);
    expect((await offsets(name)).current).toBe(2);
    expectBody(await seek({ time: first?.message.publishTime }), {}, JSON.stringify);
    expect((await offsets(name)).current).toBe(0);
    expectError(await seek({ time: '2026-01-01' }), 'INVALID_ARGUMENT: Time is not in valid Zulu format.');
    expectError(await seek({ time: 5 }), 'INVALID_ARGUMENT: Invalid Offset Arguments');
    expectError(await p.post('/subscriptions/missing:seek', { time: 'x' }), "NOT_FOUND: Subscription doesn't exist");
  });
});

describe('Ids of deliveries', () => {
  const BAD_ID = 'INVALID_ARGUMENT: Invalid ack id';
  it.each([
    ['none', []],
    ['an offset', ['projects/p/subscriptions/ids:0']],
    ['another subscription', ['projects/p/subscriptions/other:0-1']],
    ['signs', ['projects/p/subscriptions/ids:+0-1']],
    ['attempt 0', ['projects/p/subscriptions/ids:0-0']],
    ['a good one beside a bad one', ['projects/p/subscriptions/ids:0-1', 'x']],
  ])('are checked before anything is done: %s', async (_what, ackIds) => {
    if ((await p.get('/subscriptions/ids')).status === 404) await shared('ids', 1);
    expectError(await ack('ids', ackIds), BAD_ID);
    expectError(await extend('ids', ackIds, 0), BAD_ID);
    expectError(await ack('missing', ackIds), "NOT_FOUND: Subscription doesn't exist");
  });

  it('that nobody was given are ignored', async () => {
    await shared('guessed', 1);
    expectBody(
      await ack('guessed', ['projects/p/subscriptions/guessed:0-1', 'projects/p/subscriptions/guessed:999999999999999-1']),
      {},
      JSON.stringify,
    );
    expect(told(await take('guessed'))).toEqual(['0 1']);
  });

  it('are given back within the limits of a deadline, and leave that of the subscription as it is', async () => {
    await shared('limits', 1);
    const delivered = idsOf(await take('limits'));
    expectEmpty(await p.post('/subscriptions/limits:modifyAckDeadline', { ackDeadlineSeconds: 30 }));
    expectError(
      await extend('limits', delivered, 601),
      'INVALID_ARGUMENT: Invalid ackDeadlineSeconds(needs value between 0 and 600) Arguments',
    );
    expectEmpty(await extend('limits', delivered, 0));
    expect(told(await take('limits'))).toEqual(['0 2']);
    expect((await p.get('/subscriptions/limits')).json).toMatchObject({ ackDeadlineSeconds: 30 });
  });
});

describe('Many messages of one subscription', () => {
  it('that come back here and there are delivered again, each once', async () => {
    await shared('many', 600);
    const delivered = await take('many', { maxMessages: '600' });
    const back = delivered.filter((_one, index) => index % 7 === 0);
    await ack('many', idsOf(delivered.filter((_one, index) => index % 7 !== 0)));
    await extend('many', idsOf(back), 0);
    const again = await take('many', { maxMessages: '600' });
    expect(told(again)).toEqual(back.map((one) => `${Buffer.from(one.message.data, 'base64')} 2`));
    await ack('many', idsOf(again));
    expect((await offsets('many')).current).toBe(600);
  });

  it('follow a topic that is created anew', async () => {
    await shared('anew', 3);
    const delivered = await take('anew');
    await p.delete('/topics/anew');
    expectError(await p.post('/subscriptions/anew:pull', {}), "CONFLICT: Subscription's topic doesn't exist");
    expectBody(await ack('anew', idsOf(delivered.slice(0, 1))), {}, JSON.stringify);
    await p.topic('anew');
    await publish('anew', texts('x'));
    expect(told(await take('anew'))).toEqual(['x 1']);
    await ack('anew', idsOf(delivered));
    expect((await offsets('anew')).current).toBe(0);
  });

  it('wait no longer for a subscription that is deleted', async () => {
    await shared('deleted', 0);
    const waiting = p.post('/subscriptions/deleted:pull', { returnImmediately: 'false' });
    await p.delete('/subscriptions/deleted');
    expectError(await waiting, "NOT_FOUND: Subscription doesn't exist");
  });
});

it('Messages that are acknowledged one by one are refused, and not denied, while the counters of their project are paused', async () => {
  const q = await createProject(scene, 'paused');
  await q.topic('t');
  await q.put('/subscriptions/s', { topic: 'projects/paused/topics/t', ackMode: 'message' });
  await q.post('/topics/t:publish', { messages: texts('before') });
  const created = async () =>
    (
      (await scene.root.get('/audit/events?type=TopicCreated&order=desc&limit=1', { key: OPERATOR })).json as {
        items: readonly TopicCreated[];
      }
    ).items[0];
  const before = await deliveriesOf(() => q).take('s');
  await q.post('/subscriptions/s:acknowledge', { ackIds: idsOf(before) });
  const event = await eventually(created).until((found) => found?.data.name === 't');
  const { projectId, topicId } = { projectId: event?.stream.replace('messaging.resources-', '') ?? '', topicId: event?.data.topicId ?? '' };
  await scene.plant({
    stream: `messaging.traffic-${topicId}`,
    type: 'TrafficRecorded',
    data: { projectId, topicId, totals: null, days: {} },
  });
  await eventually(() => scene.root.get('/ops/projections/messaging.counters', { key: OPERATOR })).until(
    ({ json }) => (json as { setAside: { partitions: number } }).setAside.partitions === 1,
  );
  const published = await q.post('/topics/t:publish', { messages: texts('while') });
  expect([published.status, published.headers.get('logbook-read-model')]).toEqual([200, 'behind']);
  expect(told(before)).toEqual(['before 1']);
  const refused = await q.post('/subscriptions/s:pull', AT_ONCE);
  expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('paused after an internal error')]);
});
