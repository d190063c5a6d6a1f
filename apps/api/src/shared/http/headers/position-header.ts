import type { FastifyInstance, FastifyReply } from 'fastify';
import { isRead } from '#api/shared/http/readings.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { Execution } from '#domain/shared/execution.js';

const HEADER = 'logbook-position';

/** Operations contract 0: every successful write answers the position of its last event. */
export const setPosition = (reply: FastifyReply, position: Position): void => {
  reply.header(HEADER, `${position}`);
};

/** What the commands of one request have written. */
class Written {
  last: Position = 0n;

  constructor(private readonly hasNoGaps: boolean) {}

  /**
   * Where the log numbers events without gaps, the position is that of the command's own last event. Else it may be that of a later event of the
   * same append, which other commands share.
   */
  readonly note = ({ events, position, trailing = 0 }: Execution): void => {
    if (events.length === 0) return;
    const own = this.hasNoGaps ? position - BigInt(trailing) : position;
    if (own > this.last) this.last = own;
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Told of its commands by their contexts. An AsyncLocalStorage would do without them, but up to Node 22 costs every promise of the process a hook. */
    written?: Written;
  }
}

/**
 * Answers `Logbook-Position` with every successful write: where its last event stands, or the head of the log where it appended nothing.
 * @param hasNoGaps whether positions of the log are consecutive
 */
export const registerPositions = (fastify: FastifyInstance, eventStore: Pick<EventStore, 'head'>, hasNoGaps: boolean): void => {
  fastify.decorateRequest('written', undefined);
  fastify.addHook('preHandler', (request, _reply, done) => {
    if (!isRead(request)) request.written = new Written(hasNoGaps);
    done();
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { written } = request;
    if (!written || reply.statusCode >= 300 || reply.hasHeader(HEADER)) done(null, payload);
    else if (written.last > 0n) {
      setPosition(reply, written.last);
      done(null, payload);
    } else {
      // A log that is away now has not undone anything: the answer stays a success, without the header.
      eventStore
        .head()
        .then((head) => setPosition(reply, head))
        .catch(() => undefined)
        .finally(() => done(null, payload));
    }
  });
};
