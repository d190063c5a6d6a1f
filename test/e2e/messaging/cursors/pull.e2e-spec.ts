import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  createProject,
  type ErrorLine,
  expectBody,
  expectError,
  inProject,
  type ProjectCalls,
  SERVICE_TOKEN,
  WITH_TOKEN,
} from '#test/e2e/messaging/calls.js';
import { ackId, texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';

const FORBIDDEN = 'FORBIDDEN: Access to this resource is forbidden';
const MALFORMED = 'INVALID_ARGUMENT: Invalid Pull Parameters Arguments';
const NO_SUBSCRIPTION = "NOT_FOUND: Subscription doesn't exist";
const NO_TOPIC = "CONFLICT: Subscription's topic doesn't exist";

/** Returns the result of work that was done while another call waited. On a busy machine the first attempts may take longer than the other call waits. */
const besides = async <T>(other: () => Promise<unknown>, work: (attempt: number) => Promise<T>): Promise<T> => {
  let attempt = 0;
  const [result] = await eventually(async () => {
    let waits = true;
    const ended = () => {
      waits = false;
    };
    other().then(ended, ended);
    return [await work(++attempt), waits] as const;
  }).until(([, waited]) => waited);
  return result;
};

describe('Pulling', () => {
  const scene = serving(embedded, WITH_TOKEN);
  let p: ProjectCalls;
  const { prepare, publish, pull, pullTexts, offsets, acknowledge, modifyOffset } = trafficOf(() => p);
  beforeAll(async () => {
    p = await createProject(scene, 'p');
    await prepare('three');
    await publish('three', texts('a', 'b', 'c'));
    await prepare('empty');
    await prepare('idle');
    await prepare('unfilled');
    await publish('unfilled', texts('a'));
  });
  /** Calls that wait: 3 s for the rest of a batch, 30 s for the first message. */
  const restOfBatch = () => pull('unfilled', { maxMessages: '2', returnImmediately: 'false' });
  const firstMessage = () => pull('idle', { returnImmediately: 'false' });

  it('delivers messages from the offset on, in order, with their ids', async () => {
    const answer = await p.post('/subscriptions/three:pull', { maxMessages: '10' });
    const { receivedMessages } = answer.json as { receivedMessages: { message: { publishTime: string } }[] };
    const publishTime = receivedMessages[0]?.message.publishTime;
    expectBody(
      answer,
      {
        receivedMessages: texts('a', 'b', 'c').map(({ data }, id) => ({
          ackId: ackId('three', id),
          message: { messageId: `${id}`, data, publishTime },
        })),
      },
      JSON.stringify,
    );
    expectBody(await p.post('/subscriptions/empty:pull', {}), { receivedMessages: [] }, JSON.stringify);
  });

  it.each([
    [{}, 1],
    [{ maxMessages: '1000000000' }, 3],
    [{ maxMessages: 2, returnImmediately: true }, 2],
    [{ maxMessages: '3', returnImmediately: 'false' }, 3],
  ])('with %j delivers %i of three messages without waiting for more', async (body, count) => {
    const received = await besides(restOfBatch, () => pull('three', body));
    expect(received.map(({ message }) => message.messageId)).toEqual(['0', '1', '2'].slice(0, count));
  });

  it.each(['', '{"maxMessages":1.5}'])('refuses %s', async (body) =>
    expectError(await p.post('/subscriptions/three:pull', body), MALFORMED),
  );

  it('delivers again what was not acknowledged, to whoever asks', async () => {
    await prepare('again');
    await publish('again', texts('a', 'b'));
    const together = await Promise.all([1, 2, 3, 4].map(() => pullTexts('again')));
    expect(together).toEqual(together.map(() => ['a', 'b']));
    expect(await offsets('again')).toMatchObject({ current: 0 });
    await acknowledge('again', 1);
    expect(await pullTexts('again')).toEqual([]);
  });

  it('checks the subscription, then push, ACL, topic and body', async () => {
    const consumer = inProject(scene, 'p', await p.member('con', 'consumer'));
    const publisher = inProject(scene, 'p', await p.member('pub', 'publisher'));
    await prepare('guarded');
    expectError(await p.post('/subscriptions/missing:pull', 'x'), NO_SUBSCRIPTION);
    expectError(await consumer.post('/subscriptions/missing:pull', 'x'), NO_SUBSCRIPTION);
    expectError(await publisher.post('/subscriptions/missing:pull', 'x'), FORBIDDEN);
    expectError(await p.post('/subscriptions/a.b:pull', 'x'), 'INVALID_ARGUMENT: Invalid subscription name');
    expectError(await p.call('POST', '/subscriptions/guarded:pull', '{}', { key: 'nobody' }), 'UNAUTHORIZED: Unauthorized');
    await p.delete('/topics/guarded');
    expectError(await consumer.post('/subscriptions/guarded:pull', 'x'), FORBIDDEN);
    await p.post('/subscriptions/guarded:modifyAcl', { authorized_users: ['con'] });
    expectError(await consumer.post('/subscriptions/guarded:pull', 'x'), NO_TOPIC);
    expectError(await p.post('/subscriptions/guarded:pull', 'x'), NO_TOPIC);
    await p.topic('guarded');
    expectError(await consumer.post('/subscriptions/guarded:pull', 'x'), MALFORMED);
    expectBody(await consumer.post('/subscriptions/guarded:pull', {}), { receivedMessages: [] }, JSON.stringify);
  });

  it('is open to administrators who are consumers, too, without an ACL', async () => {
    const both = inProject(scene, 'p', await p.member('both', 'consumer', 'project_admin'));
    expect((await both.post('/subscriptions/three:pull', {})).status).toBe(200);
  });

  it('waits with returnImmediately false for the rest of a batch, 3 s', async () => {
    const before = performance.now();
    expect(await pull('three', { maxMessages: '4', returnImmediately: 'false' })).toHaveLength(3);
    expect(performance.now() - before).toBeGreaterThan(2_900);
  });

  it('counts what comes while it waits, and answers when the batch is full', async () => {
    const received = await besides(restOfBatch, async (attempt) => {
      const name = `growing-${attempt}`;
      await prepare(name);
      await publish(name, texts('a'));
      const waiting = pullTexts(name, { maxMessages: '3', returnImmediately: 'false' });
      await pull(name); // the other call has begun to wait, or will find the same
      await publish(name, texts('b', 'c', 'd'));
      return waiting;
    });
    expect(received).toEqual(['a', 'b', 'c']);
  });

  it('waits with returnImmediately false for the first message, without keeping anybody else waiting', async () => {
    const received = await besides(firstMessage, async (attempt) => {
      const [name, other] = [`awaited-${attempt}`, `other-${attempt}`];
      await prepare(name);
      await p.subscription(other, name);
      const waiting = [name, other, name].map((one) => pullTexts(one, { returnImmediately: 'false' }));
      expect(await pullTexts(name)).toEqual([]);
      expect(await offsets(name)).toMatchObject({ max: 0 });
      await publish(name, texts('first'));
      return Promise.all(waiting);
    });
    expect(received).toEqual([['first'], ['first'], ['first']]);
  });

  it('follows the subscription to where it is moved while it waits', async () => {
    await prepare('moved');
    await publish('moved', texts('a', 'b'));
    await modifyOffset('moved', 2);
    const waiting = pullTexts('moved', { returnImmediately: 'false' });
    await pull('moved'); // the other call has begun to wait, or will find the same
    await modifyOffset('moved', 1);
    await publish('moved', texts('c'));
    expect(await waiting).toEqual(['b']);
  });

  it('need not wait for a message to come when the subscription is moved back', async () => {
    const received = await besides(firstMessage, async (attempt) => {
      const name = `moved-back-${attempt}`;
      await prepare(name);
      await publish(name, texts('a', 'b'));
      await modifyOffset(name, 2);
      const waiting = pullTexts(name, { returnImmediately: 'false' });
      await pull(name); // the other call has begun to wait, or will find the same
      await modifyOffset(name, 2); // to where it is: goes on waiting
      await modifyOffset(name, 1);
      return waiting;
    });
    expect(received).toEqual(['b']);
  });

  it('records nothing for a client that has gone while it waited', async () => {
    await prepare('gone');
    await publish('gone', texts('a'));
    await modifyOffset('gone', 1);
    const { hostname, port } = new URL(scene.server.url);
    const body = '{"returnImmediately":"false"}';
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/projects/p/subscriptions/gone:pull HTTP/1.1\r\nHost: x\r\nx-api-key: ${SERVICE_TOKEN}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await new Promise((resolve) => socket.once('connect', resolve));
    await eventually(async () => (await scene.root.get('/health/live')).status).until((status) => status === 200);
    socket.destroy();
    await publish('gone', texts('b'));
    // An acknowledgement finds no batch: nothing was delivered.
    expectError(await acknowledge('gone', 1), 'CONFLICT: no ack pending');
    expect(await pullTexts('gone')).toEqual(['b']);
  });

  it.each<['subscriptions' | 'topics', ErrorLine]>([
    ['subscriptions', NO_SUBSCRIPTION],
    ['topics', NO_TOPIC],
  ])('ends its wait when one of the %s it depends on is deleted', async (kind, line) => {
    const answer = await besides(firstMessage, async (attempt) => {
      const name = `going-${kind}-${attempt}`;
      await prepare(name);
      const waiting = p.post(`/subscriptions/${name}:pull`, { returnImmediately: 'false' });
      await pull(name); // the other call has begun to wait, or will find the same
      expect((await p.delete(`/${kind}/${name}`)).status).toBe(200);
      return waiting;
    });
    expectError(answer, line);
  });

  it('is answered at once when the server ends while it waits', async () => {
    await prepare('ending');
    const waiting = pullTexts('ending', { returnImmediately: 'false' });
    await pull('ending');
    expect(await scene.restart()).toBe(0); // an end in order takes 13 s at most, the wait 30 s
    expect(await waiting).toEqual([]);
  });

  it('delivers under an idempotency key what it delivered the first time', async () => {
    await prepare('keyed');
    await publish('keyed', texts('a', 'b'));
    const send = (body: object) => p.post('/subscriptions/keyed:pull', body, { 'idempotency-key': 'k' });
    const first = await send({ maxMessages: '1' });
    await acknowledge('keyed', 0);
    expect((await send({ maxMessages: '1' })).text).toBe(first.text);
    expect(await offsets('keyed')).toMatchObject({ current: 1 });
    expect((await send({ maxMessages: '2' })).status).toBe(422);
    expect(await pullTexts('keyed')).toEqual(['b']);
    await scene.restart();
    expect((await send({ maxMessages: '1' })).text).toBe(first.text);
  });

  it('from a push subscription is open to push workers and service administrators', async () => {
    await p.topic('pushed');
    const pushConfig = { pushEndpoint: 'https://receiver.example.org/in' };
    await p.put('/subscriptions/pushed', { topic: 'projects/p/topics/pushed', pushConfig });
    const members = { worker: 'push_worker', admin: 'project_admin', eater: 'consumer' };
    const pulls: Record<string, unknown> = {};
    for (const [name, role] of Object.entries(members)) {
      const member = inProject(scene, 'p', await p.member(name, role));
      pulls[role] = (await member.post('/subscriptions/pushed:pull', {})).text;
    }
    const forbidden = expect.stringContaining('Access to this resource is forbidden');
    expect(pulls).toEqual({ push_worker: '{"receivedMessages":[]}', project_admin: forbidden, consumer: forbidden });
    expect(await pull('pushed')).toEqual([]);
  });
});
