import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Answers that become ready in one turn of the event loop are written to their connections at its end, one after another. Each write may wake its receiver,
 * which costs more than a read of now: a receiver that has several answers, such as a proxy or a client on this machine, wakes once. While the server
 * closes, answers are written at once: Node would end their connections before.
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
      if (closing) write(chunks, done);
      else if (waiting.push(() => write(chunks, done)) === 1) setImmediate(send);
    };
  };
  for (const event of ['connection', 'secureConnection']) fastify.server.on(event, gather);
  fastify.addHook('preClose', (done) => {
    closing = true;
    send();
    done();
  });
};
