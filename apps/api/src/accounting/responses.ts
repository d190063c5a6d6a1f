import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import { pathOf } from '#api/shared/http/service-http-policy.js';
import { objectId } from '#domain/accounting/object-id.js';
import type { Clock } from '#domain/shared/clock.js';
import { envelope } from './errors.js';
import { publicUrlOf } from './http-policy.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Only this process has it. */
const mark = randomBytes(5).toString('hex');
let made = 0;

/** An id nobody else has: 24 lower-case hex characters. Those of one process grow, so that read models have neighbours for neighbours. */
export const newObjectId = (clock: Clock): string => {
  made = (made + 1) % 0x1_00_00_00;
  return objectId(clock(), mark + made.toString(16).padStart(6, '0'));
};

/** Answers with what stands in the body as it is, 200 unless the handler said otherwise. */
export const sendJson = (reply: FastifyReply, body: Buffer | string): void => {
  reply.type(JSON_TYPE).send(body);
};

/** Milliseconds in which a client has to take some of a long answer: one that takes nothing must not keep it in memory. */
const PATIENCE = 60_000;

/**
 * Answers with JSON that is made while it is sent, as fast as the client takes it, unless it is short. The connection of a client that takes nothing
 * for a minute is closed.
 */
export const sendPieces = async (reply: FastifyReply, pieces: Pieces, type = JSON_TYPE): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const watched = async function* (): Pieces {
    for await (const some of pieces) {
      timer?.refresh();
      yield some;
    }
  };
  const body = await bodyOfPieces(watched());
  if (body instanceof Readable) {
    timer = setTimeout(() => reply.raw.destroy(), PATIENCE).unref();
    reply.raw.once('close', () => clearTimeout(timer));
  }
  reply.type(type).send(body);
};

/** Answers 200 with the message envelope. */
export const sendMessage = (reply: FastifyReply, message: string): void => sendJson(reply, envelope(200, message));

/** Characters of a URL that clients and proxies take in a header. */
const LONGEST_URL = 8_000;

/** Answers 201 with `Location`: the path of the request and the id of the new record, unless that is too long for a header. */
export const sendCreated = (request: FastifyRequest, reply: FastifyReply, id: string, body: Buffer | string): void => {
  const location = `${publicUrlOf(request)}${pathOf(request.url)}/${encodeURIComponent(id)}`;
  if (location.length <= LONGEST_URL) reply.header('location', location);
  reply.code(201);
  sendJson(reply, body);
};
