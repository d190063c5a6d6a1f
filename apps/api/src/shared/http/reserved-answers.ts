import { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AnswerReservation, type AnswerRoom, PAGE_BYTES } from '#api/shared/answers/answer-room.js';
import { untilGone } from './connections/until-gone.js';
import { isRead } from './readings.js';
import { ANYBODY } from './service-http-policy.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Memory for the answers of this process. */
    answers: AnswerRoom;
  }

  interface FastifyRequest {
    /** Whose share of the common resources is used: the holder of a credential, otherwise `ANYBODY`. Known once the call is admitted. */
    sharedBy: string;
    /** Memory for the body of the answer to a read, reserved before the call begins. */
    bodyMemory: AnswerReservation | undefined;
  }
}

/** Memory for messages, until the answer is sent or the client has gone. */
export const memoryFor = (reply: FastifyReply, signal: AbortSignal): AnswerReservation => {
  const memory = reply.server.answers.open(reply.request.sharedBy, signal);
  if (signal.aborted) memory.close();
  else reply.raw.once('close', () => memory.close());
  return memory;
};

/**
 * The same for a body that is ready, or is made while it is sent; one for all calls of a request. `undefined` for a request from within this
 * process: the read that it is part of has memory.
 */
export const bodyMemoryFor = (reply: FastifyReply): AnswerReservation | undefined => {
  const { request, raw, server } = reply;
  if (!(request.raw.socket instanceof Socket)) return undefined;
  if (request.bodyMemory) return request.bodyMemory;
  const memory = server.answers.openBody(request.sharedBy, () => untilGone(reply));
  request.bodyMemory = memory;
  if (raw.destroyed) memory.close();
  else raw.once('close', () => memory.close());
  return memory;
};

/**
 * Begins a call; with many connections, a read with memory for a page. Callers without a credential can read only bodies that are ready.
 */
export const beginReserved = (request: FastifyRequest, reply: FastifyReply, begin: () => void): void => {
  if (!request.server.answers.isBusy || !isRead(request) || request.sharedBy === ANYBODY) {
    begin();
    return;
  }
  const memory = bodyMemoryFor(reply);
  if (!memory || memory.tryHold(PAGE_BYTES)) begin();
  else void memory.reserve(PAGE_BYTES).then((isReserved) => isReserved && begin()); // the client may have gone
};
