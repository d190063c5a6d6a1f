import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createProject, inProject, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { distributed, oneMoreNode } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type PushReceiver, startPushReceiver } from '#test/support/messaging/push-receiver.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { httpClient } from '#test/support/status-client.js';

const PUSHING = { ...WITH_TOKEN, LOGBOOK_PUSH_ALLOW_PRIVATE: 'true' };

/** One server answers requests, another pushes until it is killed, and a third one goes on. */
const scene = serving(distributed, { ...PUSHING, LOGBOOK_ROLES: 'api,projector' });
const pushers: LogbookProcess[] = [];
let receiver: PushReceiver;
let p: ProjectCalls;

beforeAll(async () => {
  receiver = await startPushReceiver();
  p = await createProject(scene, 'p');
});
afterAll(async () => {
  for (const pusher of pushers) await pusher.stop();
  await receiver.close();
});

const startPusher = async (): Promise<LogbookProcess> => {
  const pusher = await startLogbook({ ...(await oneMoreNode(scene.deployment)), ...PUSHING, LOGBOOK_ROLES: 'api,projector,push' });
  pushers.push(pusher);
  return pusher;
};
const hostOf = ({ url }: LogbookProcess): string => new URL(url).host;
const served = (pusher: LogbookProcess) => ({ status: 'ok', push_servers: [{ endpoint: hostOf(pusher), status: 'SERVING' }] });
const publish = (text: string) => p.post('/topics/t:publish', { messages: [{ data: Buffer.from(text).toString('base64') }] });
const arrived = (): readonly string[] =>
  receiver.deliveries.map(({ text }) => {
    const { message } = JSON.parse(text) as { message: { data: string } };
    return Buffer.from(message.data, 'base64').toString();
  });
const acknowledged = (count: number) =>
  eventually(async () => ((await p.get('/subscriptions/s:offsets')).json as { current: number }).current).until(
    (current) => current === count,
  );

it('another node takes over from one that is killed; what was out is delivered again', async () => {
  const first = await startPusher();
  expect((await scene.root.get('/v1/status')).json).toEqual(served(first));
  await p.topic('t');
  const pushConfig = { pushEndpoint: receiver.url, retryPolicy: { type: 'linear', period: 10 } };
  expect((await p.put('/subscriptions/s', { topic: 'projects/p/topics/t', pushConfig })).status).toBe(200);
  const { json } = await p.get('/subscriptions/s');
  receiver.hash.current = (json as { pushConfig: { verificationHash: string } }).pushConfig.verificationHash;
  expect((await p.post('/subscriptions/s:verifyPushEndpoint')).status).toBe(200);
  await publish('a');
  await acknowledged(1);

  const second = await startPusher();
  expect((await httpClient(second.url).get('/v1/status')).json).toEqual(served(first));
  receiver.answer(() => undefined); // no answer before the end
  await publish('b');
  await eventually(async () => arrived().length).until((count) => count === 2);
  await first.kill();
  receiver.answer((response) => response.end());
  await publish('c');
  await acknowledged(3);
  expect(arrived()).toEqual(['a', 'b', 'b', 'c']);
  expect((await scene.root.get('/v1/status')).json).toEqual(served(second));
  expect((await inProject(scene, 'p').get('/subscriptions/s')).json).toMatchObject({
    pushStatus: 'Subscription /projects/p/subscriptions/s is currently active',
  });
});
