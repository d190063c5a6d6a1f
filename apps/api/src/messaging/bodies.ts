import type { FastifyRequest } from 'fastify';
import { type ReceivedBody, readBody, readFirst, readLargeBody, type Shape } from '#api/shared/bodies/body-shape.js';
import { receivedBodyOf } from '#api/shared/http/request-context.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import type { MessagingError } from './errors.js';

type Malformed = () => MessagingError;

const orElse = <T>(read: () => T, malformed: Malformed): T => {
  try {
    return read();
  } catch (error) {
    throw error instanceof MalformedJson ? malformed() : error;
  }
};

/** The body of a call, read leniently (messaging contract 0.4). @throws `malformed`, the error that the route has for a body of another shape */
export const bodyAs = <T>(request: FastifyRequest, shape: Shape<T>, malformed: Malformed): T =>
  orElse(() => readBody(shape, receivedBodyOf(request)), malformed);

/** The same of a body that has been taken from its request. @throws as `bodyAs` */
export const bodyFrom = <T>(body: ReceivedBody | undefined, shape: Shape<T>, malformed: Malformed): T =>
  orElse(() => readBody(shape, body), malformed);

/** The same of a body that may be large. @throws as `bodyAs` */
export const largeBodyAs = async <T>(body: ReceivedBody | undefined, shape: Shape<T>, malformed: Malformed): Promise<T> => {
  try {
    return await readLargeBody(shape, body);
  } catch (error) {
    throw error instanceof MalformedJson ? malformed() : error;
  }
};

/** The same of the first JSON value of the body, for the calls that ignore what follows. @throws as `bodyAs` */
export const firstValueAs = <T>(request: FastifyRequest, shape: Shape<T>, malformed: Malformed): T =>
  orElse(() => readFirst(shape, receivedBodyOf(request)), malformed);
