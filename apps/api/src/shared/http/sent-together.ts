import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { awaitedAnswer } from './client-error.js';

/** So many answers at most wait for others. */
const MOST = 16;

/**
 * Answers to GET that become ready in one turn of the event loop are written to their connections one after another, at its end at the latest. Each write may
 * wake its receiver, which costs more than a read of now: a receiver that has several answers, such as a proxy or a client on this machine, wakes once.
 * Answers to writes are ready together anyway, and are sent at once, so that what their callers ask next comes while the others are sent. While the server
 * closes, all are: Node would end their connections before.
 */
export const sendTogether = (fastify: FastifyInstance): void => {
  let waiting: (() => void)[] = [];
  let closing = false;
  const send = (): void => {
    const ready = waiting;
    waiting = [];
    for (const write of ready) write();
  };
  const gather = (socket: Socket): void => {
    const write = socket._writev?.bind(socket);
    if (!write) return;
    // Implements `stream.Writable`: how chunks that were gathered are written, head and body of an answer among them.
    socket._writev = (chunks, done) => {
      if (closing || awaitedAnswer(socket)?.req.method !== 'GET') {
        write(chunks, done);
        return;
      }
      const count = waiting.push(() => write(chunks, done));
      if (count === 1) setImmediate(send);
      else if (count === MOST) send();
    };
  };
  for (const event of ['connection', 'secureConnection']) fastify.server.on(event, gather);
  fastify.addHook('preClose', (done) => {
    closing = true;
    send();
    done();
  });
};
