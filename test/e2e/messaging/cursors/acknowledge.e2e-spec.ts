import { beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, expectBody, expectError, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { ackId, texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';

const MALFORMED = 'INVALID_ARGUMENT: Invalid ack parameter';
const BAD_ID = 'INVALID_ARGUMENT: Invalid ack id';
const NO_SUBSCRIPTION = "NOT_FOUND: Subscription doesn't exist";
const NOTHING_OUT = 'CONFLICT: no ack pending';
const WRONG = 'CONFLICT: wrong ack';
const LATE = 'TIMEOUT: ack timeout';

describe('Acknowledging', () => {
  const scene = serving(embedded, WITH_TOKEN);
  let p: ProjectCalls;
  const { prepare, publish, pull, pullTexts, acknowledge, offsets, modifyOffset } = trafficOf(() => p);
  const send = (body: unknown, subscription = 's') => p.post(`/subscriptions/${subscription}:acknowledge`, body);
  beforeAll(async () => {
    p = await createProject(scene, 'p');
    await prepare('s');
  });

  /** A subscription with messages 0, 1 … of which those from 0 on are out. */
  const batch = async (name: string, messages: number, out = messages): Promise<void> => {
    await prepare(name);
    await publish(name, texts(...Array.from({ length: messages }, (_, index) => `${index}`)));
    await pull(name, { maxMessages: `${out}` });
  };

  it('moves the offset behind the last message named', async () => {
    await batch('moves', 3);
    expectBody(await acknowledge('moves', 2), {}, JSON.stringify);
    expect(await offsets('moves')).toEqual({ max: 3, min: 0, current: 3 });
    expect(await pullTexts('moves')).toEqual([]);
  });

  it('counts only the highest id, wherever it stands', async () => {
    await batch('highest', 5);
    expect((await acknowledge('highest', 1, 3, -7, 0)).status).toBe(200);
    expect(await pullTexts('highest')).toEqual(['4']);
  });

  it.each(['', '{"ackIds":[5]}'])('refuses %s before it looks for the subscription', async (body) => {
    expectError(await send(body), MALFORMED);
    expectError(await send(body, 'missing'), MALFORMED);
  });

  it.each([[null], [{ ackIds: ['projects/p/subscriptions/other:0'] }], [{ ackIds: [ackId('s', 0), 'x'] }]])(
    'refuses the ids of %j after it has found the subscription',
    async (body) => {
      expectError(await send(body), BAD_ID);
      expectError(await send(body, 'missing'), NO_SUBSCRIPTION);
    },
  );

  it('reads its body leniently', async () => {
    await batch('lenient', 2);
    expect((await send({ other: 1, ACKIDS: [ackId('lenient', 1)] }, 'lenient')).status).toBe(200);
  });

  it('needs an outstanding batch', async () => {
    await prepare('none');
    expectError(await acknowledge('none', 0), NOTHING_OUT);
    await publish('none', texts('a', 'b', 'c'));
    expectError(await acknowledge('none', 0), NOTHING_OUT);
    await pull('none');
    expect((await acknowledge('none', 0)).status).toBe(200);
    expectError(await acknowledge('none', 0), NOTHING_OUT);
    await pull('none');
    await modifyOffset('none', 1);
    expectError(await acknowledge('none', 1), NOTHING_OUT);
  });

  it('needs an id inside of the batch', async () => {
    await batch('inside', 4, 2);
    for (const wrong of [2, 3, 99, '9223372036854775807', -1, '-9223372036854775808'])
      expectError(await acknowledge('inside', wrong), WRONG);
    expectError(await acknowledge('inside', 0, 2), WRONG);
    expect((await acknowledge('inside', 1)).status).toBe(200);
  });

  it('has to come in time, by the deadline that is set then', async () => {
    await batch('late', 2);
    const setDeadline = (ackDeadlineSeconds: number) => p.post('/subscriptions/late:modifyAckDeadline', { ackDeadlineSeconds });
    const second = () => Math.floor(Date.now() / 1_000);
    const pulled = second();
    await setDeadline(0);
    await eventually(async () => second()).until((now) => now > pulled);
    expectError(await acknowledge('late', 1), LATE);
    expectError(await acknowledge('late', 7), WRONG);
    expect(await offsets('late')).toMatchObject({ current: 0 });
    expectError(await acknowledge('late', 1), LATE);
    await setDeadline(600);
    expect((await acknowledge('late', 1)).status).toBe(200);
  });

  it('works after the topic was deleted, but not in the log of its successor', async () => {
    await batch('free', 2);
    await p.delete('/topics/free');
    expect((await acknowledge('free', 1)).status).toBe(200);
    await batch('succeeded', 2);
    await p.delete('/topics/succeeded');
    await p.topic('succeeded');
    expectError(await acknowledge('succeeded', 1), NOTHING_OUT);
  });

  it('succeeds again under its idempotency key', async () => {
    await batch('keyed', 3);
    const once = (offset: number) =>
      p.post('/subscriptions/keyed:acknowledge', { ackIds: [ackId('keyed', offset)] }, { 'idempotency-key': 'k' });
    expectBody(await once(1), {}, JSON.stringify);
    expectBody(await once(1), {}, JSON.stringify);
    expect((await once(2)).status).toBe(422);
    expect(await offsets('keyed')).toMatchObject({ current: 2 });
  });

  it('many times at once is decided one by one', async () => {
    await batch('crowd', 10);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, offset) => acknowledge('crowd', offset)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const refused of answers.filter(({ status }) => status !== 200)) expectError(refused, NOTHING_OUT);
  });
});
