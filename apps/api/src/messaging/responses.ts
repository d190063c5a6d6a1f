import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { j1, j3, jc } from '#projections/messaging/layout.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Success is always 200, with the type of JSON also when the body is empty (messaging contract 0.3). */
const send = (reply: FastifyReply, body: string | Buffer | Readable): void => {
  reply.code(200).type(JSON_TYPE).send(body);
};

/** `J3` */
export const sendJ3 = (reply: FastifyReply, value: object): void => send(reply, j3(value));
/** `J1` */
export const sendJ1 = (reply: FastifyReply, value: object): void => send(reply, j1(value));
/** `JC`, and `{}` */
export const sendJC = (reply: FastifyReply, value: object): void => send(reply, jc(value));
/** `E` */
export const sendEmpty = (reply: FastifyReply): void => send(reply, '');
/** A body that is stored as it stands on the wire. */
export const sendStored = (reply: FastifyReply, body: string | Buffer | Readable): void => send(reply, body);
