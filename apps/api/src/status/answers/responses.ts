import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from '#api/shared/http/service-http-policy.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** `links.self`: the public URL of the server, the path of the request without its query, and the id of a new record. */
export const linkTo = (request: FastifyRequest, newId?: string): string => {
  const self = `${request.publicUrl}${pathOf(request.url)}`;
  return newId === undefined ? self : `${self}/${newId}`;
};

/** Answers OPTIONS with the methods of a path, for any caller (status contract 1.10). */
export const answerOptions = (reply: FastifyReply, allow: string): void => {
  reply.header('allow', allow).type('text/plain; charset=utf-8').send('');
};
