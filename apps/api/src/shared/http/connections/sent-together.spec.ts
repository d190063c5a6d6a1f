import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { sendTogether } from './sent-together.js';

const isWritten = ({ socket }: ServerResponse): boolean => socket === null || socket.writableLength === 0;

describe('answers', () => {
  let fastify: FastifyInstance;
  let url: string;
  let closing: Promise<void>;
  /** Requests that wait for their answers. */
  let asked: FastifyReply[];
  const answersTo = (method: string, count: number): Promise<readonly string[]> =>
    Promise.all(Array.from({ length: count }, async () => (await fetch(url, { method })).text()));
  const comeIn = async (count: number): Promise<void> => {
    while (asked.length < count) await nextTurn();
  };
  /** Answers all requests in one turn. Returns which answers were written right after it. */
  const answer = (): readonly boolean[] => {
    for (const reply of asked) reply.send('an answer');
    return asked.map(({ raw }) => isWritten(raw));
  };

  beforeEach(async () => {
    asked = [];
    fastify = Fastify();
    sendTogether(fastify);
    closing = new Promise((resolve) => {
      fastify.addHook('preClose', async () => resolve());
    });
    fastify.route({ method: ['GET', 'POST'], url: '/', handler: (_request, reply) => void asked.push(reply) });
    url = await fastify.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => fastify.close());

  it('to GET are written at the end of the turn, or once there are 16', async () => {
    const answers = answersTo('GET', 20);
    await comeIn(20);
    expect(answer()).toEqual(Array.from({ length: 20 }, (_, index) => index < 16));
    await nextTurn();
    expect(asked.every(({ raw }) => isWritten(raw))).toBe(true);
    expect(new Set(await answers)).toEqual(new Set(['an answer']));
  });

  it('to writes are written at once', async () => {
    const answers = answersTo('POST', 2);
    await comeIn(2);
    expect(answer()).toEqual([true, true]);
    expect(await answers).toEqual(['an answer', 'an answer']);
  });

  it('arrive while the server closes, which ends idle connections', async () => {
    const answers = answersTo('GET', 1);
    await comeIn(1);
    void fastify.close();
    await closing;
    answer();
    fastify.server.closeIdleConnections();
    expect(await answers).toEqual(['an answer']);
  });

  it('arrive if their connection ends after them', async () => {
    const answers = answersTo('GET', 1);
    await comeIn(1);
    answer();
    asked[0]?.raw.req.socket.destroySoon();
    expect(await answers).toEqual(['an answer']);
  });
});
