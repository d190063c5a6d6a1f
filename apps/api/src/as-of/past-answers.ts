import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { envelope } from '#api/accounting/errors.js';
import type { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import type { PastCall } from '#api/shared/as-of/past-call.js';

/** Callers without read permission get no information on the moment, nor on errors in the header. */
const DENIED = [401, 403];

/**
 * Handlers of the accounting service check permissions themselves. A read with an invalid header runs there as of now. If they do not
 * refuse it with 403, the error in the header replaces their answer.
 */
const refuseInstead = (reply: FastifyReply, payload: unknown, { statusCode, message }: AsOfRefused): string => {
  if (payload instanceof Readable) payload.destroy();
  reply.code(statusCode).removeHeader('content-length').header('content-type', 'application/json; charset=utf-8');
  return envelope(statusCode, message);
};

const nameMoment = (reply: FastifyReply, { point }: PastCall): void => {
  if (!point) return;
  reply.header('Logbook-As-Of', `${point.moment?.position ?? 0n}`);
  if (point.moment) reply.header('Logbook-As-Of-Time', point.moment.time);
};

/** Adds headers to every answer of the past. */
export const registerPastAnswers = (fastify: FastifyInstance): void => {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const call = request.pastCall;
    if (!call || DENIED.includes(reply.statusCode)) done(null, payload);
    else if (!call.refusal) {
      nameMoment(reply, call);
      done(null, payload);
    } else if (request.accounting && reply.statusCode < 500) done(null, refuseInstead(reply, payload, call.refusal));
    else done(null, payload);
  });
};
