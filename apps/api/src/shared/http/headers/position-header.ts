import type { FastifyInstance, FastifyReply } from 'fastify';
import { isRead } from '#api/shared/http/readings.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { Execution } from '#domain/shared/execution.js';

const HEADER = 'logbook-position';

/** Operations contract 0: every successful write is answered with the position of its last event. */
export const setPosition = (reply: FastifyReply, position: Position): void => {
  reply.header(HEADER, `${position}`);
};

/** Position of the events that the commands of one request have written. */
class Written {
  last: Position = 0n;
  /** Whether an event is of a command, not of a step aside. */
  isDecided = false;

  constructor(private readonly hasNoGaps: boolean) {}

  /**
   * If the log numbers events without gaps, the position is that of the command's own last event. Otherwise it may be that of a later event
   * in the same append, which other commands share.
   */
  readonly note = ({ events, position, trailing = 0 }: Execution, isAside = false): void => {
    if (events.length === 0) return;
    if (!isAside) this.isDecided = true;
    const own = this.hasNoGaps ? position - BigInt(trailing) : position;
    if (own > this.last) this.last = own;
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The contexts of its commands report to it. An AsyncLocalStorage would need no contexts, but up to Node 22 adds a hook to every
     * promise of the process.
     */
    written?: Written;
  }
}

/**
 * Answers `Logbook-Position` with every successful write: the position of its last event, or the head of the log if it appended nothing.
 * @param hasNoGaps set if positions of the log are consecutive
 */
export const registerPositions = (fastify: FastifyInstance, eventStore: Pick<EventStore, 'head'>, hasNoGaps: boolean): void => {
  fastify.decorateRequest('written', undefined);
  fastify.addHook('preHandler', (request, _reply, done) => {
    if (!isRead(request) && request.method !== 'OPTIONS') request.written = new Written(hasNoGaps);
    done();
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { written } = request;
    if (!written || reply.statusCode >= 300 || reply.hasHeader(HEADER)) done(null, payload);
    else if (written.last > 0n) {
      setPosition(reply, written.last);
      done(null, payload);
    } else {
      // An unavailable log has not undone anything: the answer stays a success, without the header.
      eventStore
        .head()
        .then((head) => setPosition(reply, head))
        .catch(() => undefined)
        .finally(() => done(null, payload));
    }
  });
};
