import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import type { Pieces } from '#api/shared/answers/pieces.js';
import { pieces as answerOf } from './answers.js';

/** The parts of a reply that a handler uses; counts calls of `raw.destroy`. */
const replyOf = () => {
  const raw = Object.assign(new EventEmitter(), { destroyed: 0, destroy: () => void raw.destroyed++ });
  const sent: unknown[] = [];
  const reply = { raw, code: () => reply, header: () => reply, send: (body: unknown) => sent.push(body) };
  return { raw, sent, reply: reply as unknown as FastifyReply };
};

async function* pieces(count: number): Pieces {
  for (let index = 0; index < count; index++) yield ['x'.repeat(64 * 1024)];
}

describe('an answer in pieces', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] }));
  afterEach(() => void jest.useRealTimers());

  it('is sent as a whole if it is short', async () => {
    const { raw, sent, reply } = replyOf();
    (await answerOf(pieces(2))).send(reply);
    expect(sent).toEqual([Buffer.alloc(128 * 1024, 'x')]);
    jest.advanceTimersByTime(120_000);
    expect(raw.destroyed).toBe(0);
  });

  it('ends its connection when the client takes nothing of a long one for a minute', async () => {
    const { raw, sent, reply } = replyOf();
    (await answerOf(pieces(100))).send(reply);
    expect(sent[0]).toBeInstanceOf(Readable);
    jest.advanceTimersByTime(59_999);
    expect(raw.destroyed).toBe(0);
    jest.advanceTimersByTime(1);
    expect(raw.destroyed).toBe(1);
  });

  it('goes on as long as the client takes some of it', async () => {
    const { raw, sent, reply } = replyOf();
    (await answerOf(pieces(100))).send(reply);
    const body = sent[0] as Readable;
    jest.advanceTimersByTime(40_000);
    let bytes = 0;
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await once(body, 'end');
    expect(bytes).toBe(100 * 64 * 1024);
    jest.advanceTimersByTime(40_000);
    expect(raw.destroyed).toBe(0);
    raw.emit('close');
    jest.advanceTimersByTime(120_000);
    expect(raw.destroyed).toBe(0);
  });
});
