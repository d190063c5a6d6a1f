import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { envelope } from '#api/accounting/errors.js';

/** Answers that stay whatever is wrong with the header. */
const FIRST = [401, 403];

/**
 * Handlers of the accounting service decide themselves who may call. A read whose header is wrong goes to them as of now: if they do not refuse it with
 * 403, what is wrong with the header is the answer in place of theirs.
 */
export const registerLateRefusals = (fastify: FastifyInstance): void => {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const refusal = request.pastCall?.refusal;
    if (!refusal || !request.accounting || FIRST.includes(reply.statusCode) || reply.statusCode >= 500) {
      done(null, payload);
      return;
    }
    if (payload instanceof Readable) payload.destroy();
    reply.code(refusal.statusCode).removeHeader('content-length').header('content-type', 'application/json; charset=utf-8');
    done(null, envelope(refusal.statusCode, refusal.message));
  });
};
