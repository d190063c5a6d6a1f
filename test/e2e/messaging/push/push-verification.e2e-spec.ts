import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, expectEmpty, expectError, inProject, j3, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type PushReceiver, startPushReceiver } from '#test/support/messaging/push-receiver.js';
import { chat, DISABLED, http, MISSING, NOT_PUSHED, type Settings } from './push-settings.js';

describe('verification of a push endpoint', () => {
  const scene = serving(embedded, { ...WITH_TOKEN, LOGBOOK_PUSH_ALLOW_PRIVATE: 'true' });
  let p: ProjectCalls;
  let receiver: PushReceiver;
  let number = 0;

  beforeAll(async () => {
    receiver = await startPushReceiver();
    p = await createProject(scene, 'p');
    await p.topic('t');
  });
  afterAll(() => receiver.close());

  const subscribe = async (pushConfig: object): Promise<string> => {
    const name = `s${++number}`;
    const answer = await p.put(`/subscriptions/${name}`, { topic: 'projects/p/topics/t', pushConfig });
    expect(answer.status).toBe(200);
    return name;
  };
  const verify = (name: string, headers = {}, body: unknown = '') => p.post(`/subscriptions/${name}:verifyPushEndpoint`, body, headers);
  const show = async (name: string) => (await p.get(`/subscriptions/${name}`)).json as { pushConfig: Settings; pushStatus?: string };
  const hashOf = async (name: string) => (await show(name)).pushConfig.verificationHash;

  it('succeeds with the right hash, whatever the body, and shows in the subscription', async () => {
    const name = await subscribe({ pushEndpoint: `${receiver.url}/in/here?a=1` });
    receiver.hash.current = await hashOf(name);
    expectEmpty(await verify(name, {}, '{nonsense'));
    const { pushConfig, pushStatus } = await show(name);
    expect(pushConfig.verified).toBe(true);
    expect(pushStatus).toBe(`Subscription /projects/p/subscriptions/${name} is currently active`);
    expectError(await verify(name), 'CONFLICT: Push endpoint is already verified');
  });

  it('gets the same answer when its Idempotency-Key is repeated', async () => {
    const name = await subscribe({ pushEndpoint: receiver.url });
    receiver.hash.current = await hashOf(name);
    expectEmpty(await verify(name, { 'idempotency-key': 'k' }));
    expectEmpty(await verify(name, { 'idempotency-key': 'k' }));
  });

  it('fails with another hash, and can be tried again', async () => {
    const name = await subscribe({ pushEndpoint: receiver.url });
    receiver.hash.current = `${await hashOf(name)}\n`;
    expectError(await verify(name), 'UNAUTHORIZED: Endpoint verification failed.Wrong verification hash');
    expect((await show(name)).pushConfig.verified).toBe(false);
    expect((await show(name)).pushStatus).toBeUndefined();
    receiver.hash.current = await hashOf(name);
    expectEmpty(await verify(name));
  });

  it('fails if the host does not answer', async () => {
    const name = await subscribe({ pushEndpoint: 'http://127.0.0.1:1/in' });
    const { status, json } = await verify(name);
    expect([status, json]).toMatchObject([
      401,
      { error: { message: expect.stringMatching(/^Endpoint verification failed\..*ECONNREFUSED/) } },
    ]);
  });

  it('is only for HTTP endpoints', async () => {
    expectError(await verify('none'), MISSING);
    expectError(await verify(await subscribe({})), NOT_PUSHED);
    expectError(await verify(await subscribe({ type: 'mattermost', mattermostUrl: receiver.url })), NOT_PUSHED);
  });

  it('is kept with the endpoint and lost with it', async () => {
    const name = await subscribe({ pushEndpoint: receiver.url });
    receiver.hash.current = await hashOf(name);
    await verify(name);
    const modify = (pushEndpoint: string) =>
      p.post(`/subscriptions/${name}:modifyPushConfig`, { pushConfig: { pushEndpoint, maxMessages: 3 } });
    expectEmpty(await modify(receiver.url));
    expect((await show(name)).pushConfig).toMatchObject({ verified: true, maxMessages: 3 });
    expectEmpty(await modify(`${receiver.url}/other`));
    expect((await show(name)).pushConfig).toMatchObject({ verified: false });
    expect((await show(name)).pushStatus).toBeUndefined();
  });

  it('shows in the answer to a deletion', async () => {
    const pulled = await subscribe({});
    const unverified = await subscribe({ pushEndpoint: receiver.url });
    const pushed = await subscribe({ type: 'mattermost', mattermostUrl: receiver.url });
    expectEmpty(await p.delete(`/subscriptions/${pulled}`));
    expectEmpty(await p.delete(`/subscriptions/${unverified}`));
    const answer = await p.delete(`/subscriptions/${pushed}`);
    expect([answer.status, answer.text]).toEqual([200, `{"message":"Subscription /projects/p/subscriptions/${pushed} deactivated"}`]);
  });
});

describe('without a node that pushes', () => {
  const scene = serving(embedded, { ...WITH_TOKEN, LOGBOOK_ROLES: 'api,projector' });
  let p: ProjectCalls;

  beforeAll(async () => {
    p = await createProject(scene, 'p');
    await p.topic('t');
    await p.subscription('s', 't');
  });

  it('push settings are refused before they are checked, but after their subscription', async () => {
    const create = (name: string, topic: string, pushConfig: unknown) => p.put(`/subscriptions/${name}`, { topic, pushConfig });
    expectError(await create('n', 'projects/p/topics/t', http), DISABLED);
    expectError(await create('n', 'projects/p/topics/t', { type: 'x' }), DISABLED);
    expectError(await create('s', 'projects/p/topics/t', chat), DISABLED);
    expectError(await create('n', 'projects/p/topics/none', chat), "NOT_FOUND: Topic doesn't exist");
    expectError(await p.post('/subscriptions/s:modifyPushConfig', { pushConfig: { retryPolicy: { type: 'x' } } }), DISABLED);
    expectError(await p.post('/subscriptions/none:modifyPushConfig', { pushConfig: http }), MISSING);
  });

  it('a subscription can still be switched to pull', async () => {
    expectEmpty(await p.post('/subscriptions/s:modifyPushConfig', { pushConfig: {} }));
    expectEmpty(await p.post('/subscriptions/s:modifyPushConfig', {}));
  });

  it('verification is refused before anything else', async () => {
    expectError(await p.post('/subscriptions/s:verifyPushEndpoint'), DISABLED);
    expectError(await p.post('/subscriptions/none:verifyPushEndpoint'), DISABLED);
  });

  it('the status says so', async () => {
    const answer = await scene.root.get('/v1/status');
    expect([answer.status, answer.text]).toEqual([200, '{\n "status": "ok",\n "push_functionality": "disabled"\n}']);
  });
});

describe('after the node that pushed has gone', () => {
  const environment: Record<string, string> = { ...WITH_TOKEN };
  const scene = serving(embedded, environment);

  it('push settings are unavailable', async () => {
    const p = await createProject(scene, 'p');
    await p.topic('t');
    await p.put('/subscriptions/s', { topic: 'projects/p/topics/t', pushConfig: chat });
    environment.LOGBOOK_ROLES = 'api,projector';
    await scene.restart();
    const unavailable = { error: { code: 500, message: 'Push functionality is currently unavailable', status: 'INTERNAL_SERVER_ERROR' } };
    const refused = await inProject(scene, 'p').put('/subscriptions/n', { topic: 'projects/p/topics/t', pushConfig: http });
    expect([refused.status, refused.text]).toEqual([500, j3(unavailable)]);
    expect((await inProject(scene, 'p').post('/subscriptions/s:verifyPushEndpoint')).json).toEqual(unavailable);
    const shown = await eventually(() => inProject(scene, 'p').get('/subscriptions/s')).until(({ status }) => status === 200);
    expect(shown.json).toMatchObject({ pushStatus: 'Push server is currently unavailable' });
    expect((await scene.root.get('/v1/status')).json).toEqual({
      status: 'warning',
      push_servers: [{ endpoint: expect.stringMatching(/^127\.0\.0\.1:\d+$/), status: 'Push server is currently unavailable' }],
    });
  });
});
