import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, expectEmpty, inProject, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { type Serving, serving } from '#test/e2e/serving.js';
import { deployments, embedded, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type Delivered, type PushReceiver, startPushReceiver, status } from '#test/support/messaging/push-receiver.js';

const PUSHING = { ...WITH_TOKEN, LOGBOOK_PUSH_ALLOW_PRIVATE: 'true', LOGBOOK_ROLES: 'api,projector,push' };
const QUICKLY = { type: 'linear', period: 20 };

type Shown = Readonly<{ pushConfig: Record<string, unknown>; pushStatus?: string }>;
type Message = Readonly<{ messageId: string; data: string; attributes?: object; publishTime: string }>;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The messages of a delivery of one. */
const messageOf = ({ text }: Delivered): Message => (JSON.parse(text) as { message: Message }).message;
const dataOf = (deliveries: readonly Delivered[]): readonly string[] =>
  deliveries.map((delivered) => Buffer.from(messageOf(delivered).data, 'base64').toString());

/** Calls that tests of pushing need, in one project. */
const pushing = (project: () => ProjectCalls, receiver: () => PushReceiver) => {
  const show = async (name: string) => (await project().get(`/subscriptions/${name}`)).json as Shown;
  const verify = async (name: string): Promise<void> => {
    const { pushConfig } = await show(name);
    receiver().hash.current = String(pushConfig.verificationHash);
    expectEmpty(await project().post(`/subscriptions/${name}:verifyPushEndpoint`));
  };
  const subscribe = async (name: string, topic: string, pushConfig: object): Promise<void> => {
    await project().topic(topic);
    const { name: full } = (await project().get('')).json as { name: string };
    const answer = await project().put(`/subscriptions/${name}`, { topic: `projects/${full}/topics/${topic}`, pushConfig });
    expect(answer.status).toBe(200);
  };
  const publish = async (topic: string, ...texts: readonly string[]): Promise<void> => {
    const answer = await project().post(`/topics/${topic}:publish`, { messages: texts.map((text) => ({ data: base64(text) })) });
    expect(answer.status).toBe(200);
  };
  const offset = async (name: string) => ((await project().get(`/subscriptions/${name}:offsets`)).json as { current: number }).current;
  /** Until so many messages were acknowledged. */
  const acknowledged = (name: string, count: number) => eventually(() => offset(name)).until((current) => current >= count);
  return { show, verify, subscribe, publish, offset, acknowledged };
};

/** What arrived, without repetitions in a row. */
const once = (values: readonly string[]): readonly string[] => values.filter((value, index) => value !== values[index - 1]);

describe('push delivery', () => {
  const scene = serving(embedded, PUSHING);
  const receivers: PushReceiver[] = [];
  let receiver: PushReceiver;
  let p: ProjectCalls;
  const { show, verify, subscribe, publish, offset, acknowledged } = pushing(
    () => p,
    () => receiver,
  );

  beforeAll(async () => {
    p = await createProject(scene, 'p');
  });
  afterAll(async () => {
    for (const one of receivers) await one.close();
  });

  /** A receiver that nothing of another test can come to. */
  const receive = async (): Promise<PushReceiver> => {
    receiver = await startPushReceiver();
    receivers.push(receiver);
    return receiver;
  };
  const until = (count: number) => eventually(async () => receiver.deliveries.length).until((arrived) => arrived >= count);

  it('delivers each message alone, in order, once the endpoint is verified', async () => {
    await receive();
    await subscribe('single', 'single', { pushEndpoint: `${receiver.url}/in?a=1`, retryPolicy: QUICKLY });
    const verified = { topic: 'projects/p/topics/single', pushConfig: { pushEndpoint: `${receiver.url}/verified`, retryPolicy: QUICKLY } };
    expect((await p.put('/subscriptions/verified', verified)).status).toBe(200);
    await verify('verified');
    const attributes = { site: 'GR', note: 'a "quoted" <b>' };
    await p.post('/topics/single:publish', { messages: [{ data: base64('a'), attributes }, { data: base64('b') }, { attributes }] });
    await acknowledged('verified', 3);
    expect(receiver.deliveries.map(({ path }) => path)).toEqual(['/verified', '/verified', '/verified']);
    await p.delete('/subscriptions/verified');
    await verify('single');
    await acknowledged('single', 3);
    const deliveries = receiver.deliveries.slice(3);

    const { pushConfig } = await show('single');
    const { value } = pushConfig.authorizationHeader as { value: string };
    expect(deliveries.map(({ path }) => path)).toEqual(['/in?a=1', '/in?a=1', '/in?a=1']);
    for (const { headers } of deliveries) expect(headers).toMatchObject({ 'content-type': 'application/json', authorization: value });
    const publishTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/);
    const subscription = 'projects/p/subscriptions/single';
    expect(deliveries.map(({ text }) => JSON.parse(text))).toEqual([
      { message: { messageId: '0', attributes, data: base64('a'), publishTime }, subscription },
      { message: { messageId: '1', data: base64('b'), publishTime }, subscription },
      { message: { messageId: '2', attributes, data: '', publishTime }, subscription },
    ]);
    expect((await show('single')).pushStatus).toBe('Subscription /projects/p/subscriptions/single is currently active');
  });

  it('delivers as many messages at once as the settings allow', async () => {
    await receive();
    await subscribe('many', 'many', {
      pushEndpoint: receiver.url,
      maxMessages: 2,
      retryPolicy: QUICKLY,
      authorizationHeader: { type: 'disabled' },
    });
    await publish('many', 'a', 'b', 'c');
    await verify('many');
    await acknowledged('many', 3);
    const batches = receiver.deliveries.map(({ text }) => (JSON.parse(text) as { messages: { message: Message }[] }).messages);
    expect(batches.map((batch) => batch.map(({ message }) => message.messageId))).toEqual([['0', '1'], ['2']]);
    expect(receiver.deliveries[0]?.headers.authorization).toBeUndefined();
  });

  it('posts to mattermost from the start, and takes only 200 for success', async () => {
    await receive();
    receiver.answer((response) => response.writeHead(receiver.deliveries.length < 3 ? 201 : 200).end());
    const mattermostUrl = `${receiver.url}/hooks/x`;
    await subscribe('chat', 'chat', {
      type: 'mattermost',
      mattermostUrl,
      mattermostChannel: 'ops',
      retryPolicy: QUICKLY,
      base64Decode: true,
    });
    await publish('chat', 'hello');
    await acknowledged('chat', 1);
    expect(receiver.deliveries.map(({ path, text }) => [path, text])).toEqual(
      Array.from({ length: 3 }, () => ['/hooks/x', '{"text":"hello","channel":"ops"}']),
    );
  });

  it('repeats a failed delivery until it succeeds: no message is lost or overtaken', async () => {
    await receive();
    receiver.answer(status(503));
    await subscribe('failing', 'failing', { pushEndpoint: receiver.url, retryPolicy: QUICKLY });
    await verify('failing');
    await publish('failing', 'a', 'b', 'c');
    await until(3);
    const problem = await eventually(async () => (await show('failing')).pushStatus).until((text) => text?.includes('Could not') === true);
    expect(problem).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d - Could not send message, .*503/);
    expect(await offset('failing')).toBe(0);

    receiver.answer((response) => response.destroy());
    const before = receiver.deliveries.length;
    await until(before + 2);
    receiver.answer((response) => response.writeHead(receiver.deliveries.length % 2 ? 200 : 500).end());
    await acknowledged('failing', 3);
    expect(once(dataOf(receiver.deliveries))).toEqual(['a', 'b', 'c']);
    await eventually(async () => (await show('failing')).pushStatus).until(
      (text) => text === 'Subscription /projects/p/subscriptions/failing is currently active',
    );
    const { json } = await scene.root.get('/ops/messaging/p/subscriptions/failing', { key: OPERATOR });
    const lastError = {
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      message: expect.stringMatching(/^Could not send message, .*500/),
    };
    expect(json).toMatchObject({ push: { state: 'active', error: null, lastError } });
  });

  it('counts what fails as delivered once a minute, and acknowledges it however late it succeeds', async () => {
    await receive();
    receiver.answer(status(503));
    await subscribe('costly', 'costly', { pushEndpoint: receiver.url, retryPolicy: { type: 'linear', period: 1 } });
    expectEmpty(await p.post('/subscriptions/costly:modifyAckDeadline', { ackDeadlineSeconds: 0 }));
    await verify('costly');
    await publish('costly', 'a');
    await until(15);
    const delivered = async () => {
      const { metrics } = (await p.get('/subscriptions/costly:metrics')).json as {
        metrics: readonly Readonly<{ metric: string; timeseries: readonly Readonly<{ value: number }>[] }>[];
      };
      return metrics.find(({ metric }) => metric === 'subscription.number_of_messages')?.timeseries[0]?.value;
    };
    expect(await delivered()).toBe(1);
    const failed = receiver.deliveries.length;
    receiver.answer(status(200));
    await acknowledged('costly', 1);
    // Counted again with each push that succeeds, the last one in time to acknowledge it; on a busy machine also with one that failed a minute later.
    const succeeded = receiver.deliveries.length - failed;
    expect(await delivered()).toBeGreaterThan(1);
    expect(await delivered()).toBeLessThanOrEqual(2 + succeeded);
  });

  it('continues at a new endpoint with the messages that were not acknowledged', async () => {
    const first = await receive();
    await subscribe('moving', 'moving', { pushEndpoint: first.url, retryPolicy: QUICKLY });
    await verify('moving');
    await publish('moving', 'a');
    await acknowledged('moving', 1);
    const second = await receive();
    expectEmpty(await p.post('/subscriptions/moving:modifyPushConfig', { pushConfig: { pushEndpoint: second.url, retryPolicy: QUICKLY } }));
    await publish('moving', 'b');
    expect((await show('moving')).pushStatus).toBeUndefined();
    await verify('moving');
    await acknowledged('moving', 2);
    expect([dataOf(first.deliveries), dataOf(second.deliveries)]).toEqual([['a'], ['b']]);
  });

  it('begins again where the subscription is moved back to, also after all was delivered', async () => {
    await receive();
    await subscribe('back', 'back', { pushEndpoint: receiver.url, retryPolicy: QUICKLY });
    await verify('back');
    await publish('back', 'a', 'b');
    await acknowledged('back', 2);
    expectEmpty(await p.post('/subscriptions/back:modifyOffset', { offset: 0 }));
    await until(4);
    expect(dataOf(receiver.deliveries)).toEqual(['a', 'b', 'a', 'b']);
  });

  it('ends when the subscription is pulled again', async () => {
    await receive();
    receiver.answer(status(500));
    await subscribe('pulled', 'pulled', { pushEndpoint: receiver.url, retryPolicy: QUICKLY });
    await verify('pulled');
    await publish('pulled', 'a');
    await until(1);
    expectEmpty(await p.post('/subscriptions/pulled:modifyPushConfig', {}));
    const pulled = await p.post('/subscriptions/pulled:pull', { maxMessages: '5' });
    expect(pulled.json).toMatchObject({ receivedMessages: [{ ackId: 'projects/p/subscriptions/pulled:0' }] });
    await publish('single', 'later'); // another subscription's worker shows that time has passed
    await acknowledged('single', 4);
    const arrived = receiver.deliveries.length;
    await publish('single', 'later');
    await acknowledged('single', 5);
    expect(receiver.deliveries.length).toBeLessThanOrEqual(arrived + 1);
    expect((await show('pulled')).pushStatus).toBeUndefined();
  });

  it('starts at the beginning of a topic that is created anew', async () => {
    await receive();
    await subscribe('anew', 'anew', { pushEndpoint: receiver.url, retryPolicy: QUICKLY });
    await verify('anew');
    await publish('anew', 'a', 'b');
    await acknowledged('anew', 2);
    await p.delete('/topics/anew');
    const problem = await eventually(async () => (await show('anew')).pushStatus).until((text) => text?.includes('Could not') === true);
    expect(problem).toMatch(/ - Could not consume message, Subscription's topic doesn't exist$/);
    await p.topic('anew');
    await publish('anew', 'c');
    await until(3);
    expect(dataOf(receiver.deliveries)).toEqual(['a', 'b', 'c']);
  });

  it('uses the current name of the project, and ends with the project', async () => {
    const q = await createProject(scene, 'q');
    await receive();
    const there = pushing(
      () => q,
      () => receiver,
    );
    await there.subscribe('s', 't', { pushEndpoint: receiver.url, retryPolicy: QUICKLY });
    await there.verify('s');
    await there.publish('t', 'a');
    await there.acknowledged('s', 1);
    await q.call('PUT', '', { name: 'renamed' });
    const renamed = inProject(scene, 'renamed');
    await renamed.post('/topics/t:publish', { messages: [{ data: base64('b') }] });
    await until(2);
    const names = receiver.deliveries.map(({ text }) => (JSON.parse(text) as { subscription: string }).subscription);
    expect(names).toEqual(['projects/q/subscriptions/s', 'projects/renamed/subscriptions/s']);
    expectEmpty(await renamed.delete(''));
  });
});

/** The same promises on both kinds of stores, with a restart in between. */
describe.each(deployments)('push on %s', (_stores, open) => {
  const scene: Serving = serving(open, PUSHING);
  let receiver: PushReceiver;
  const calls = pushing(
    () => inProject(scene, 'p'),
    () => receiver,
  );

  beforeAll(async () => {
    receiver = await startPushReceiver();
    await createProject(scene, 'p');
  });
  afterAll(() => receiver.close());

  it('delivers every message at least once and in order, through failures and a restart', async () => {
    const { subscribe, verify, publish, offset, acknowledged } = calls;
    await subscribe('s', 't', { pushEndpoint: receiver.url, retryPolicy: QUICKLY });
    await verify('s');
    await publish('t', '0', '1', '2');
    await acknowledged('s', 3);

    receiver.answer(status(500));
    await publish('t', '3', '4');
    await eventually(async () => receiver.deliveries.length).until((count) => count >= 5);
    const held: ServerResponse[] = [];
    receiver.answer((response) => held.push(response));
    await eventually(async () => held.length).until((count) => count === 1);
    const old = scene.server;
    const restarted = scene.restart();
    await eventually(async () => old.lines.some((line) => line.includes('shutting down'))).until((stopping) => stopping);
    receiver.answer(status(500));
    held[0]?.writeHead(200).end(); // what is under way at the end of a server still counts
    await restarted;
    expect(await offset('s')).toBe(4);
    receiver.answer(status(200));
    await publish('t', '5');
    await acknowledged('s', 6);
    expect(once(dataOf(receiver.deliveries))).toEqual(['0', '1', '2', '3', '4', '5']);
  });
});
