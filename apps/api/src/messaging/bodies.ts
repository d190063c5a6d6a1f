import type { FastifyRequest } from 'fastify';
import { readBody, type Shape } from '../shared/body-shape.js';
import { MalformedJson } from '../shared/json-reader.js';
import { bodyOf } from '../shared/request-context.js';
import type { MessagingError } from './errors.js';

/** The body of a call, read leniently (messaging contract 0.4). @throws `malformed`, the error that the route has for a body of another shape */
export const bodyAs = <T>(request: FastifyRequest, shape: Shape<T>, malformed: () => MessagingError): T => {
  try {
    return readBody(shape, bodyOf(request));
  } catch (error) {
    throw error instanceof MalformedJson ? malformed() : error;
  }
};
