import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { sendTogether } from './sent-together.js';

describe('answers', () => {
  let fastify: FastifyInstance;
  let ready: () => Promise<void>;
  let answered: (response: ServerResponse) => unknown;
  const ask = async (): Promise<string> => (await fetch(await fastify.listen({ port: 0, host: '127.0.0.1' }))).text();

  beforeEach(() => {
    fastify = Fastify();
    sendTogether(fastify);
    ready = async () => {};
    fastify.get('/', async (_request, reply) => {
      await ready();
      reply.send('an answer');
      answered(reply.raw);
      return reply;
    });
  });
  afterEach(() => fastify.close());

  it('are written at the end of the turn', async () => {
    const written = new Promise<readonly boolean[]>((resolve) => {
      answered = async (response) => {
        const before = response.writableLength + (response.socket?.writableLength ?? 0) > 0;
        await nextTurn();
        resolve([before, response.socket === null || response.socket.writableLength === 0]);
      };
    });
    expect(await ask()).toBe('an answer');
    expect(await written).toEqual([true, true]);
  });

  it('arrive while the server closes, which ends idle connections', async () => {
    const closing = new Promise<void>((resolve) => {
      fastify.addHook('preClose', async () => resolve());
    });
    ready = async () => {
      void fastify.close();
      await closing;
    };
    answered = () => fastify.server.closeIdleConnections();
    expect(await ask()).toBe('an answer');
  });

  it('arrive if their connection ends after them', async () => {
    answered = ({ req }) => req.socket.destroySoon();
    expect(await ask()).toBe('an answer');
  });
});
