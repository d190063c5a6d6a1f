import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { Cleanup } from '#test/support/cleanup.js';
import { disconnectStalled } from './stalled-clients.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

/** A server with an answer that has no end, and its port. `ended` resolves when that answer is cut off. */
const serving = async (milliseconds: number) => {
  const app = fastify();
  cleanup.defer(() => app.close());
  disconnectStalled(app, milliseconds);
  const endless = new Readable({ highWaterMark: 1, read: () => void endless.push(Buffer.alloc(64 * 1024)) });
  app.get('/', (_request, reply) => reply.send(endless));
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  return { app, port: Number(port), ended: once(endless, 'close') };
};

describe('A connection without progress', () => {
  it('ends if its client takes nothing of an answer', async () => {
    const { port, ended } = await serving(50);
    const client = connect(port, '127.0.0.1').on('error', () => {});
    cleanup.defer(() => client.destroy());
    client.pause().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await ended;
  });

  it.each([
    ['ends while its client has an answer to take', { writableLength: 1, timeout: 60_000 }, true],
    ['stays open while its answer is being made', { writableLength: 0, timeout: 60_000 }, false],
    ['ends after the keep-alive time', { writableLength: 0, timeout: 73_000 }, true],
  ])('%s', async (_title, state, isEnded) => {
    const { app } = await serving(60_000);
    let destroyed = false;
    const destroy = () => {
      destroyed = true;
    };
    app.server.emit('timeout', Object.assign(new EventEmitter(), state, { destroy }) as Socket);
    expect(destroyed).toBe(isEnded);
  });
});
