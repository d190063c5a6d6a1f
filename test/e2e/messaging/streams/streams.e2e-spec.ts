import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, expectError, type ProjectCalls, SERVICE_TOKEN, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { serving } from '#test/e2e/serving.js';
import { deployments } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { EventStreamReader } from '#test/support/messaging/event-stream.js';

describe.each(deployments)('a stream of messages, on %s', (_name, open) => {
  const scene = serving(open, WITH_TOKEN);
  let p: ProjectCalls;
  const { prepare, publish, acknowledge, offsets, modifyOffset, pullTexts } = trafficOf(() => p);
  const opened: EventStreamReader[] = [];
  const stream = async (subscription: string, query = '', key = SERVICE_TOKEN) => {
    const reader = await EventStreamReader.open(`${scene.server.url}/v1/projects/p/subscriptions/${subscription}:stream${query}`, key);
    opened.push(reader);
    return reader;
  };
  const textsOf = ({ messages }: EventStreamReader) => messages.map(({ message }) => Buffer.from(message.data, 'base64').toString());

  beforeAll(async () => {
    p = await createProject(scene, 'p');
  });
  afterEach(() => {
    for (const reader of opened.splice(0)) reader.close();
  });

  it('brings messages as they come, as items of a pull', async () => {
    await prepare('comes');
    await publish('comes', texts('a'));
    const reader = await stream('comes');
    expect([reader.response.status, reader.response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await reader.until(({ messages }) => messages.length === 1);
    await publish('comes', [...texts('b'), { data: 'Yw==', attributes: { k: 'v\n\r\u2028' }, orderingKey: 'o' }]);
    await reader.until(({ messages }) => messages.length === 3);
    expect(textsOf(reader)).toEqual(['a', 'b', 'c']);
    const [, , , last] = reader.events;
    expect([last?.id, last?.event]).toEqual(['projects/p/subscriptions/comes:2', 'message']);
    expect(JSON.parse(last?.data ?? '')).toEqual({
      ackId: 'projects/p/subscriptions/comes:2',
      message: { messageId: '2', attributes: { k: 'v\n\r\u2028' }, data: 'Yw==', publishTime: expect.any(String), orderingKey: 'o' },
    });
  });

  it('sends as many as may be outstanding; acknowledgements, of one or several, make room', async () => {
    await prepare('room');
    await publish('room', texts('a', 'b', 'c', 'd', 'e', 'f'));
    const reader = await stream('room', '?maxOutstandingMessages=3');
    await reader.until(({ messages }) => messages.length === 3);
    expect((await acknowledge('room', 0)).status).toBe(200);
    await reader.until(({ messages }) => messages.length === 4);
    expect((await acknowledge('room', 1)).status).toBe(200);
    expect((await acknowledge('room', 3)).status).toBe(200);
    await reader.until(({ messages }) => messages.length === 6);
    expectError(await acknowledge('room', 3), 'CONFLICT: wrong ack');
    expect((await acknowledge('room', 5)).status).toBe(200);
    expect(textsOf(reader)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(await offsets('room')).toMatchObject({ current: 6 });
    expectError(await acknowledge('room', 5), 'CONFLICT: no ack pending');
  });

  it('follows a subscription that is moved back, and one with a filter', async () => {
    await prepare('moved');
    await publish('moved', texts('a', 'b'));
    const reader = await stream('moved');
    await reader.until(({ messages }) => messages.length === 2);
    await modifyOffset('moved', 1);
    await reader.until(({ messages }) => messages.length === 3);
    expect(textsOf(reader)).toEqual(['a', 'b', 'b']);
    await p.put('/subscriptions/filtered', { topic: 'projects/p/topics/moved', filter: 'attributes:even' });
    const filtered = await stream('filtered');
    await publish(
      'moved',
      Array.from({ length: 40 }, (_, n) => ({ ...texts(`${n}`)[0], ...(n % 20 === 0 ? { attributes: { even: '' } } : {}) })),
    );
    await filtered.until(({ messages }) => messages.length === 2);
    expect(textsOf(filtered)).toEqual(['0', '20']);
    expect((await acknowledge('filtered', 22)).status).toBe(200);
    expect(await offsets('filtered')).toMatchObject({ current: 42 });
  });

  it('leases messages where they are acknowledged one by one, and shares them with other streams', async () => {
    await p.topic('shared');
    await p.put('/subscriptions/shared', { topic: 'projects/p/topics/shared', ackMode: 'message', ackDeadlineSeconds: 600 });
    const [first, second] = [await stream('shared', '?maxOutstandingMessages=2'), await stream('shared', '?maxOutstandingMessages=2')];
    await publish('shared', texts('a', 'b', 'c', 'd', 'e'));
    await first.until(() => first.messages.length + second.messages.length === 4);
    expect([...textsOf(first), ...textsOf(second)].sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(first.messages[0]).toMatchObject({ ackId: expect.stringMatching(/shared:[0-3]-1$/), deliveryAttempt: 1 });
    const [{ ackId: acked } = { ackId: '' }, { ackId: nacked } = { ackId: '' }] = first.messages;
    expect((await p.post('/subscriptions/shared:acknowledge', { ackIds: [acked] })).status).toBe(200);
    await first.until(() => first.messages.length + second.messages.length === 5);
    expect((await p.post('/subscriptions/shared:modifyAckDeadline', { ackIds: [nacked], ackDeadlineSeconds: 0 })).status).toBe(200);
    await first.until(() => [...first.messages, ...second.messages].some(({ deliveryAttempt }) => deliveryAttempt === 2));
  });

  it('sends again what is not acknowledged within the deadline', async () => {
    await prepare('late');
    await p.post('/subscriptions/late:modifyAckDeadline', { ackDeadlineSeconds: 1 });
    await publish('late', texts('a'));
    const reader = await stream('late');
    await reader.until(({ messages }) => messages.length > 1);
    await p.post('/subscriptions/late:modifyAckDeadline', { ackDeadlineSeconds: 600 });
    await eventually(() => acknowledge('late', 0)).until(({ status }) => status === 200); // as soon as it was sent with this deadline
    expect(new Set(textsOf(reader))).toEqual(new Set(['a']));
  });

  it('ends when its subscription is created anew with the other way to acknowledge', async () => {
    await prepare('anew');
    const reader = await stream('anew');
    await reader.until(({ events }) => events.length > 0);
    await p.delete('/subscriptions/anew');
    await p.put('/subscriptions/anew', { topic: 'projects/p/topics/anew', ackMode: 'message' });
    await reader.ended();
    expect(JSON.parse(reader.events.at(-1)?.data ?? '')).toMatchObject({ error: { code: 404 } });
  });

  it('is for those who may pull, and has the errors of a pull', async () => {
    await prepare('mine');
    const [reader, publisher] = [await p.member('reading', 'consumer'), await p.member('writing', 'publisher')];
    const answers = async (subscription: string, key: string) => {
      const { response } = await stream(subscription, '', key);
      return [response.status, ((await response.json()) as { error: { message: string } }).error.message];
    };
    expect(await answers('none', SERVICE_TOKEN)).toEqual([404, "Subscription doesn't exist"]);
    expect(await answers('mine', reader)).toEqual([403, 'Access to this resource is forbidden']);
    expect(await answers('mine', publisher)).toEqual([403, 'Access to this resource is forbidden']);
    expect(await answers('mine', 'unknown')).toEqual([401, 'Unauthorized']);
    await p.post('/subscriptions/mine:modifyAcl', { authorized_users: ['reading'] });
    const allowed = await stream('mine', '', reader);
    expect(allowed.response.status).toBe(200);
    await p.delete('/topics/mine');
    expect(await answers('mine', SERVICE_TOKEN)).toEqual([409, "Subscription's topic doesn't exist"]);
    await allowed.ended();
    const last = allowed.events.at(-1);
    expect([last?.event, JSON.parse(last?.data ?? '')]).toEqual([
      'error',
      { error: { code: 409, message: "Subscription's topic doesn't exist", status: 'CONFLICT' } },
    ]);
  });

  it('leaves nothing behind when the client goes, and says that it ends when the server does', async () => {
    await prepare('ends');
    const gone = await stream('ends');
    await gone.until(({ events }) => events.length > 0);
    gone.close();
    await gone.ended();
    const reader = await stream('ends');
    await publish('ends', texts('a'));
    await reader.until(({ messages }) => messages.length === 1);
    expect(await scene.restart()).toBe(0);
    await reader.ended();
    expect(reader.events.at(-1)).toEqual({ event: 'end', data: '{}' });
    expect(await eventually(() => pullTexts('ends')).until((found) => found.length > 0)).toEqual(['a']);
  });
});
