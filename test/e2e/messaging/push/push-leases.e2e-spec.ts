import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createProject, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { deliveriesOf } from '#test/e2e/messaging/deliveries/deliveries.js';
import { texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type PushReceiver, startPushReceiver, status } from '#test/support/messaging/push-receiver.js';

const scene = serving(embedded, { ...WITH_TOKEN, LOGBOOK_PUSH_ALLOW_PRIVATE: 'true' });
let p: ProjectCalls;
let receiver: PushReceiver;
const { publish, offsets } = trafficOf(() => p);
const { share } = deliveriesOf(() => p);
beforeAll(async () => {
  receiver = await startPushReceiver();
  p = await createProject(scene, 'p');
});
afterAll(async () => {
  await receiver.close();
});

/** A subscription whose messages are pushed to the receiver, each acknowledged by itself. */
const pushed = async (name: string, more: object = {}): Promise<void> => {
  const pushConfig = { type: 'http_endpoint', pushEndpoint: `${receiver.url}/${name}`, retryPolicy: { type: 'linear', period: 10 } };
  await share(name, { pushConfig, ...more });
  const { json } = await p.get(`/subscriptions/${name}`);
  receiver.hash.current = (json as { pushConfig: { verificationHash: string } }).pushConfig.verificationHash;
  expect((await p.post(`/subscriptions/${name}:verifyPushEndpoint`)).status).toBe(200);
};
const arrived = (name: string): readonly string[] =>
  receiver.deliveries
    .filter(({ path }) => path === `/${name}`)
    .map(({ text }) => Buffer.from((JSON.parse(text) as { message: { data: string } }).message.data, 'base64').toString());
const acknowledged = (name: string, count: number) => eventually(() => offsets(name)).until(({ current }) => current === count);

it('several deliveries are under way at a time: one that is not answered does not keep back the others', async () => {
  receiver.answer((response, { text }) => {
    if (!text.includes(texts('stuck')[0]?.data ?? '')) response.writeHead(200).end();
  });
  await pushed('several');
  await publish('several', texts('stuck', 'a', 'b', 'c'));
  await eventually(async () => [...arrived('several')].sort()).until((all) => all.length === 4);
  expect((await offsets('several')).current).toBe(0);
});

it('what an endpoint does not take is sent again, and goes to the dead letter topic in the end', async () => {
  await p.topic('lost');
  receiver.answer((response, delivered) => status(delivered.text.includes(texts('bad')[0]?.data ?? '') ? 500 : 200)(response, delivered));
  await pushed('failing', { deadLetterPolicy: { deadLetterTopic: 'projects/p/topics/lost', maxDeliveryAttempts: 5 } });
  await publish('failing', texts('bad', 'good'));
  await acknowledged('failing', 2);
  expect([...arrived('failing')].sort()).toEqual(['bad', 'bad', 'bad', 'bad', 'bad', 'good']);
  expect((await p.get('/topics/lost')).status).toBe(200);
  expect((await p.get('/subscriptions/failing')).json).toHaveProperty('pushStatus');
});
