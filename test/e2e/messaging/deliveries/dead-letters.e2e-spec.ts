import { beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, expectBody, expectError, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { servingAlone } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type Delivered, deliveriesOf, idsOf, told } from './deliveries.js';

const scene = servingAlone(embedded, WITH_TOKEN);
let p: ProjectCalls;
const { publish, offsets, pull, pullTexts } = trafficOf(() => p);
const { share, take, extend } = deliveriesOf(() => p);
beforeAll(async () => {
  p = await createProject(scene, 'p');
});

const policy = (topic: string, maxDeliveryAttempts = 5) => ({
  deadLetterPolicy: { deadLetterTopic: `projects/p/topics/${topic}`, maxDeliveryAttempts },
});

/** A topic for dead letters, and a subscription to it, both of this name. */
const graveyard = async (name: string, more: object = {}): Promise<void> => {
  await p.topic(name);
  await p.put(`/subscriptions/${name}`, { topic: `projects/p/topics/${name}`, ...more });
};

/** Gives a message back so many times. */
const giveBack = async (subscription: string, times: number): Promise<readonly Delivered[]> => {
  let delivered: readonly Delivered[] = [];
  for (let time = 0; time < times; time++) {
    delivered = await take(subscription, { maxMessages: '1', returnImmediately: 'false' });
    await extend(subscription, idsOf(delivered), 0);
  }
  return delivered;
};

const buried = (name: string, count: number) => eventually(() => offsets(name)).until(({ max }) => max === count);

const metric = async (name: string): Promise<number> => {
  const { text } = await scene.root.get('/metrics');
  return Number(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'm').exec(text)?.[1]);
};

describe('Messages whose attempts are used up', () => {
  it('go to the dead letter topic, with where they come from, and count as acknowledged', async () => {
    await graveyard('lost');
    await share('source', policy('lost'));
    await publish('source', [{ ...texts('a')[0], attributes: { site: 'A' }, orderingKey: 'k' }]);
    const [last] = await giveBack('source', 5);
    expect(last?.deliveryAttempt).toBe(5);
    await buried('lost', 1);
    const [letter] = await pull('lost');
    expect(letter?.message).toMatchObject({
      data: texts('a')[0]?.data,
      orderingKey: 'k',
      attributes: {
        site: 'A',
        'logbook-source-subscription': 'projects/p/subscriptions/source',
        'logbook-source-message-id': '0',
        'logbook-source-publish-time': expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        'logbook-delivery-attempts': '5',
      },
    });
    await eventually(() => offsets('source')).until(({ current }) => current === 1);
    expect(await take('source')).toEqual([]);
    expect(await metric('logbook_messaging_dead_letters_total')).toBe(1);
    expect(await metric('logbook_messaging_redeliveries_total')).toBe(5);
  });

  it('go there once, also where the server is killed meanwhile', async () => {
    await graveyard('crashed');
    await share('killed', policy('crashed'));
    await publish('killed', texts('a', 'b', 'c'));
    for (let time = 0; time < 4; time++) await extend('killed', idsOf(await take('killed')), 0);
    const last = extend('killed', idsOf(await take('killed')), 0).catch(() => undefined);
    await eventually(() => offsets('crashed').catch(() => ({ max: 1 }))).until(({ max }) => max > 0);
    await scene.crash();
    await last;
    await take('killed');
    await buried('crashed', 3);
    await eventually(() => offsets('killed')).until(({ current }) => current === 3);
    expect([...(await pullTexts('crashed'))].sort()).toEqual(['a', 'b', 'c']);
  });

  it('stay where the topic is gone, which health and metrics say, until there is one', async () => {
    await graveyard('gone');
    await share('kept', policy('gone'));
    await publish('kept', texts('a'));
    await p.delete('/topics/gone');
    await giveBack('kept', 5);
    expect(told(await take('kept', { maxMessages: '1', returnImmediately: 'false' }))).toEqual(['a 6']);
    expect((await scene.root.get('/health')).json).toMatchObject({ deadLettersKept: 1 });
    expect(await metric('logbook_messaging_dead_letters_kept')).toBe(1);
    expect((await offsets('kept')).current).toBe(0);
    await p.topic('gone');
    await extend('kept', [`projects/p/subscriptions/kept:0-6`], 0);
    await buried('gone', 1);
    await eventually(() => metric('logbook_messaging_dead_letters_kept')).until((kept) => kept === 0);
  });
});

describe('Dead letters', () => {
  const redrive = (name: string, body: unknown = {}) => p.post(`/subscriptions/${name}:redrive`, body);

  it.each(['cursor', 'message'])('are sent back to the topic that they come from: ackMode %s', async (ackMode) => {
    const [lost, source] = [`lost-${ackMode}`, `source-${ackMode}`];
    await graveyard(lost, { ackMode });
    await share(source, policy(lost));
    await publish(source, [{ ...texts('a')[0], attributes: { site: 'A' } }, ...texts('b')]);
    await giveBack(source, 10);
    await buried(lost, 2);
    expectBody(await redrive(lost, { maxMessages: 1 }), { redriven: 1 }, JSON.stringify);
    expectBody(await redrive(lost), { redriven: 1 }, JSON.stringify);
    expectBody(await redrive(lost), { redriven: 0 }, JSON.stringify);
    expect((await offsets(lost)).current).toBe(2);
    const again = await take(source);
    expect(told(again)).toEqual(['a 1', 'b 1']);
    expect(again.map(({ message }) => message.attributes)).toEqual([{ site: 'A' }, undefined]);
  });

  it('are sent once, and counted by the call that sends them, where several subscriptions and calls send them at once', async () => {
    const [lost, source] = ['lost-at-once', 'source-at-once'];
    await graveyard(lost, { ackMode: 'message' });
    const others = [`${lost}-a`, `${lost}-b`];
    for (const name of others) await p.put(`/subscriptions/${name}`, { topic: `projects/p/topics/${lost}` });
    await share(source, policy(lost));
    await publish(source, texts('a', 'b', 'c'));
    await giveBack(source, 15);
    await buried(lost, 3);
    const answers = await Promise.all([lost, ...others, ...others, ...others].map((name) => redrive(name)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.reduce((sum, { json }) => sum + (json as { redriven: number }).redriven, 0)).toBe(3);
    expect((await offsets(source)).max).toBe(6);
    for (const name of [lost, ...others]) expectBody(await redrive(name), { redriven: 0 }, JSON.stringify);
  });

  it.each(['cursor', 'message'])('are sent again where the subscription is moved back: ackMode %s', async (ackMode) => {
    const [lost, source] = [`again-${ackMode}`, `source-again-${ackMode}`];
    const back = (name: string) => p.post(`/subscriptions/${name}:modifyOffset`, { offset: 0 });
    await graveyard(lost, { ackMode });
    await share(source, policy(lost));
    await publish(source, texts('a'));
    await giveBack(source, 5);
    await buried(lost, 1);
    await eventually(() => offsets(source)).until(({ current }) => current === 1);
    await back(source);
    await giveBack(source, 5);
    await buried(lost, 2);
    for (let time = 0; time < 2; time++) {
      expectBody(await redrive(lost), { redriven: 2 }, JSON.stringify);
      await back(lost);
    }
    expect((await offsets(source)).max).toBe(5);
  });

  it.each(['cursor', 'message'])('are those that the service has published, not what says so: ackMode %s', async (ackMode) => {
    const [lost, source, other] = [`forged-${ackMode}`, `source-forged-${ackMode}`, `other-${ackMode}`];
    for (const name of [lost, other]) await graveyard(name, { ackMode });
    await share(source, policy(lost));
    const attributes = { 'logbook-source-subscription': `projects/p/subscriptions/${source}` };
    for (const name of [lost, other]) {
      await publish(name, [{ ...texts('a')[0], attributes }]);
      expectBody(await redrive(name), { redriven: 0 }, JSON.stringify);
    }
    expect((await offsets(source)).max).toBe(0);
  });

  it('that are none stay', async () => {
    await graveyard('mixed', { ackMode: 'message' });
    await publish('mixed', texts('a'));
    expectBody(await redrive('mixed'), { redriven: 0 }, JSON.stringify);
    expect(told(await take('mixed'))).toEqual(['a 1']);
  });

  it('are asked for in the form of a pull', async () => {
    await graveyard('form');
    expectError(await redrive('form', { maxMessages: true }), 'INVALID_ARGUMENT: Invalid Pull Parameters Arguments');
    const missing = "NOT_FOUND: Subscription doesn't exist";
    expectError(await redrive('missing'), missing);
    expectError(await redrive('missing', { maxMessages: true }), missing);
    expectError(await p.post('/subscriptions/missing:seek', { time: 1 }), missing);
  });
});
