import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { notReady } from '#api/messaging/errors.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { ServingNodes } from './serving-nodes.js';

const nodesWith = (redisUrl: string | undefined, store = {} as ReadStore, clock = () => 0): ServingNodes =>
  new ServingNodes(store, clock, { warn: () => undefined } as unknown as Logger, { redisUrl, host: '127.0.0.1' }, null);

it('A node that does not know yet who serves a subscription does not serve it', async () => {
  await expect(nodesWith('redis://r').take('s')).rejects.toEqual(notReady());
  expect(await nodesWith(undefined).take('s')).toBeUndefined();
});

/** A store in which another node has the seat of the subscription `s`. */
const storeWith = (member: Readonly<{ id: string; node: string; beats: number; beatAt: number }>): ReadStore => {
  const stored: Record<string, unknown> = { 'seat/s': member.id, [`process/${member.id}`]: member };
  const view = () => ({ get: async (_collection: string, key: string) => Buffer.from(JSON.stringify(stored[key])) });
  return { view } as unknown as ReadStore;
};

it('A node whose clock differs serves a subscription as long as it beats', async () => {
  const pass = stopClock();
  const member = { id: 'other', node: '192.0.2.1:80', beats: 1, beatAt: 3_600_000 };
  const begun = performance.now();
  const nodes = nodesWith('redis://r', storeWith(member), () => performance.now() - begun);
  const beat = (milliseconds: number) => {
    pass(milliseconds);
    member.beats += 1;
    member.beatAt += milliseconds;
  };
  nodes.start('http://127.0.0.1:80');
  expect(await nodes.isElsewhere('s')).toBe(false);
  beat(500);
  expect([await nodes.isElsewhere('s'), await nodes.isElsewhere('s')]).toEqual([true, true]);
  beat(60_000);
  expect(await nodes.isElsewhere('s')).toBe(true); // a single look
  beat(500);
  pass(3_000);
  expect([await nodes.isElsewhere('s'), await nodes.isElsewhere('s')]).toEqual([false, false]);
});

it('A stream is not opened at another node for a client that left before', async () => {
  let asked = 0;
  const other = createServer((_request, response) => {
    asked += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  });
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const member = { id: 'other', node: `127.0.0.1:${(other.address() as AddressInfo).port}`, beats: 1, beatAt: 0 };
  const nodes = nodesWith('redis://r', storeWith(member));
  const here = fastify();
  const passed = new Promise((resolve) => {
    here.get('/', async (request, reply) => {
      reply.raw.destroy();
      await once(reply.raw, 'close');
      resolve(nodes.answerOfOther('s', request, reply).catch((error: unknown) => error));
    });
  });
  const client = get(await here.listen({ host: '127.0.0.1', port: 0 }));
  client.once('error', () => undefined);
  const outcome = await passed;
  await nodes.onApplicationShutdown();
  await here.close();
  other.closeAllConnections();
  other.close();
  expect([outcome, asked]).toEqual([notReady(), 0]);
});
