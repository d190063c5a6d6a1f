import type { FastifyRequest } from 'fastify';
import { firstOf } from '#api/shared/http/request-context.js';
import { required } from './bodies.js';

/** A query parameter that must be there. @throws AccountingError 400, naming it, when it is absent or empty */
export const requiredQuery = (request: FastifyRequest, name: string): string => {
  const query = request.query as Readonly<Record<string, unknown>>;
  return required(firstOf(query[name]) ?? null, name);
};
