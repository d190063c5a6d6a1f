import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { embedded } from '#test/support/deployments.js';

const OPS = { 'x-api-key': 'ops-key-of-rates' };
const TOKEN = { 'x-api-key': 'service-token-of-rates' };
const MINUTE = 60_000;

describe('rates of the messaging service', () => {
  let lab: PastLab;
  let deployment: Awaited<ReturnType<typeof embedded>>;
  beforeAll(async () => {
    deployment = await embedded();
    lab = await openPastLab(deployment, {
      LOGBOOK_OPS_KEY: OPS['x-api-key'],
      LOGBOOK_MESSAGING_SERVICE_TOKEN: TOKEN['x-api-key'],
    });
  });
  afterAll(async () => {
    await lab?.close();
    await deployment?.dispose();
  });

  const publish = async (topic: string, messages: number) => {
    const body = { messages: Array.from({ length: messages }, () => ({ data: 'eA==' })) };
    expect((await lab.http.post(`/v1/projects/p/topics/${topic}:publish`, { headers: TOKEN, body })).status).toBe(200);
  };
  const looked = async (path: string) => (await lab.http.get(`/ops/messaging/p/${path}`, { headers: OPS })).json as never;

  it('are of the last hour, and looking at them is no event', async () => {
    const made = ['/v1/projects/p', '/v1/projects/p/topics/old', '/v1/projects/p/subscriptions/s'] as const;
    expect((await lab.http.post(made[0], { headers: TOKEN, body: {} })).status).toBe(200);
    expect((await lab.http.put(made[1], { headers: TOKEN, body: {} })).status).toBe(200);
    expect((await lab.http.put(made[2], { headers: TOKEN, body: { topic: 'projects/p/topics/old' } })).status).toBe(200);
    await publish('old', 5);
    lab.advance(90 * MINUTE);
    expect((await lab.http.put('/v1/projects/p/topics/new', { headers: TOKEN, body: {} })).status).toBe(200);
    await publish('old', 2);
    await publish('new', 3);
    lab.advance(30 * MINUTE);
    const pulled = await lab.http.post('/v1/projects/p/subscriptions/s:pull', { headers: TOKEN, body: { maxMessages: '4' } });
    expect(pulled.status).toBe(200);
    const head = await lab.runtime.eventStore.head();
    expect(await looked('topics')).toMatchObject({
      items: [
        { name: 'new', messages: 3, messagesLastHour: 3 },
        { name: 'old', messages: 7, messagesLastHour: 2 },
      ],
    });
    expect(await looked('subscriptions')).toMatchObject({ items: [{ name: 's', delivered: 4, deliveredLastHour: 4 }] });
    const counts = [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0];
    expect(await looked('topics/old')).toMatchObject({ name: 'old', messages: 7, lastHour: { secondsEach: 300, counts } });
    expect((await lab.http.get('/ops/messaging/p/topics/none', { headers: OPS })).status).toBe(404);
    expect(await lab.runtime.eventStore.head()).toBe(head);
  });
});
