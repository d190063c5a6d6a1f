import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, inProject, type ProjectCalls, SERVICE_TOKEN, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { servingAlone } from '#test/e2e/serving.js';
import { distributed, oneMoreNode } from '#test/support/deployments.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { EventStreamReader } from '#test/support/messaging/event-stream.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { httpClient } from '#test/support/status-client.js';
import { isFullRun } from '#test/support/test-runs.js';
import { deliveriesOf, idsOf, textOf, told } from './deliveries.js';

const [MESSAGES, AT_ONCE] = isFullRun ? [30_000, 100] : [400, 7];
const CONSUMERS = 4;

describe('Messages that several consumers share, over several nodes', () => {
  const scene = servingAlone(distributed, WITH_TOKEN);
  let other: LogbookProcess | undefined;
  let p: ProjectCalls;
  let q: ProjectCalls;
  beforeAll(async () => {
    p = await createProject(scene, 'p');
    other = await startLogbook({ ...(await oneMoreNode(scene.deployment)), ...WITH_TOKEN, LOGBOOK_HISTORY: 'off' });
    await untilReady(httpClient(other.url));
    q = inProject({ ...scene, server: other }, 'p');
  });
  afterAll(async () => {
    await other?.stop();
  });
  const { publish, offsets } = trafficOf(() => p);
  const here = deliveriesOf(() => p);
  const there = deliveriesOf(() => q);

  /** A subscription that both nodes know. */
  const share = async (name: string, more?: object): Promise<void> => {
    await here.share(name, more);
    await eventually(() => q.get(`/subscriptions/${name}`)).until(({ status }) => status === 200);
  };

  it('reach one of them each, whichever node it asks', async () => {
    await share('four');
    const all = Array.from({ length: MESSAGES }, (_, index) => `${index}`);
    for (let at = 0; at < MESSAGES; at += 1_000) await publish('four', texts(...all.slice(at, at + 1_000)));
    const received: string[] = [];
    const consume = async (consumer: number): Promise<void> => {
      const calls = consumer % 2 === 0 ? here : there;
      for (;;) {
        const delivered = await calls.take('four', { maxMessages: `${AT_ONCE}` });
        if (delivered.length === 0) return;
        received.push(...delivered.map(textOf));
        expect((await calls.ack('four', idsOf(delivered))).status).toBe(200);
      }
    };
    await Promise.all(Array.from({ length: CONSUMERS }, (_, consumer) => consume(consumer)));
    expect(received.sort()).toEqual(all.sort());
    expect((await offsets('four')).current).toBe(MESSAGES);
  });

  it('are delivered again after the node that served them was killed; what was acknowledged is not', async () => {
    await share('killed', { ackDeadlineSeconds: 600 }); // nothing is due again while the other node starts
    await publish('killed', texts('a', 'b', 'c', 'd'));
    const delivered = await there.take('killed', { maxMessages: '3' });
    expect(told(delivered)).toEqual(['a 1', 'b 1', 'c 1']);
    const [, second, third] = idsOf(delivered) as [string, string, string];
    await here.ack('killed', [second]);
    await here.extend('killed', [third], 0);
    await other?.kill();
    const again = await eventually(async () => told(await here.take('killed').catch(() => []))).until((texts) => texts.length > 0);
    expect(again).toEqual(['a 1', 'c 2', 'd 1']);
    other = await startLogbook({ ...(await oneMoreNode(scene.deployment)), ...WITH_TOKEN, LOGBOOK_HISTORY: 'off' });
    await untilReady(httpClient(other.url));
    q = inProject({ ...scene, server: other }, 'p');
    expect(await there.take('killed')).toEqual([]);
  });

  it('are passed on between nodes to callers whose key is a bearer token', async () => {
    await share('bearer');
    await publish('bearer', texts('a'));
    expect(await here.take('bearer', { maxMessages: '1' })).toHaveLength(1);
    await publish('bearer', texts('b'));
    const call = { headers: { authorization: `Bearer ${SERVICE_TOKEN}` }, body: { maxMessages: '1' } };
    const { status, json } = await httpClient(other?.url ?? '').post('/v1/projects/p/subscriptions/bearer:pull', call);
    expect([status, json]).toMatchObject([200, { receivedMessages: [{ message: { data: Buffer.from('b').toString('base64') } }] }]);
  });

  it('are handed over in order: another node serves them as soon as one has ended', async () => {
    await share('ended');
    await publish('ended', texts('a', 'b'));
    const [first] = await there.take('ended', { maxMessages: '1' });
    await there.ack('ended', idsOf(first ? [first] : []));
    const passedOn = await streamThere('streamed');
    await stall('stalled');
    expect(await other?.stop()).toBe(0);
    expect(told(await here.take('ended'))).toEqual(['b 1']);
    await passedOn.ended();
    expect(passedOn.events.at(-1)).toEqual({ event: 'end', data: '{}' });
  });

  /** A stream that this node serves and the other passes on, to a client that reads nothing: a message is under way that no buffer holds. */
  const stall = async (name: string): Promise<void> => {
    await share(name);
    expect(await here.take(name)).toEqual([]);
    const request = get(`${other?.url}/v1/projects/p/subscriptions/${name}:stream`, { headers: { 'x-api-key': SERVICE_TOKEN } });
    const [stalled] = (await once(request, 'response')) as [IncomingMessage];
    stalled.on('readable', () => undefined).on('error', () => undefined);
    await publish(name, [{ data: 'A'.repeat(9 * 1024 * 1024) }]);
    await eventually(async () => stalled.readableLength).until((length) => length >= stalled.readableHighWaterMark);
  };

  /** A stream that the one node passes on and the other serves; it has brought a message. */
  const streamThere = async (name: string): Promise<EventStreamReader> => {
    await share(name);
    expect(await here.take(name)).toEqual([]);
    const reader = await EventStreamReader.open(`${other?.url}/v1/projects/p/subscriptions/${name}:stream`, SERVICE_TOKEN);
    await publish(name, texts('a'));
    await reader.until(({ messages }) => messages.length === 1);
    return reader;
  };
});
