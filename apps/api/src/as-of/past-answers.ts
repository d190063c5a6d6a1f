import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { envelope } from '#api/accounting/errors.js';
import type { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import type { PointInTime } from '#api/shared/as-of/past-call.js';

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

/** Adds the headers with the moment that an answer shows. */
export const nameMoment = (reply: FastifyReply, { moment }: Pick<PointInTime, 'moment'>): void => {
  reply.header('Logbook-As-Of', `${moment?.position ?? 0n}`);
  if (moment) reply.header('Logbook-As-Of-Time', moment.time);
};

/** Adds headers to every answer of the past. */
export const registerPastAnswers = (fastify: FastifyInstance): void => {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const call = request.pastCall;
    if (!call || DENIED.includes(reply.statusCode)) done(null, payload);
    else if (!call.refusal) {
      if (call.point) nameMoment(reply, call.point);
      done(null, payload);
    } else if (request.accounting && reply.statusCode < 500) done(null, refuseInstead(reply, payload, call.refusal));
    else done(null, payload);
  });
};
