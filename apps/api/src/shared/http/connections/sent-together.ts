import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { awaitedAnswer } from './client-error.js';

/** Maximum number of answers that wait for others. */
const MOST = 16;

/**
 * Writes answers to GET that become ready in one turn of the event loop one after another, at the end of the turn at the latest. A write
 * may wake its receiver, which costs more than a read of the present: a receiver of several answers, such as a proxy or a client on this
 * machine, wakes only once. Answers to writes are sent at once: they become ready together anyway, and their callers can send the next
 * requests while the others are sent. While the server closes, all answers are sent at once, because Node would end their connections
 * before.
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
    // Implements `stream.Writable`: writes gathered chunks, such as the head and body of an answer.
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
