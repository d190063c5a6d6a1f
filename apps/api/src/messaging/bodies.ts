import { described, type ReceivedBody, readBody, readFirst, readLargeBody, type Shape, text } from '#api/shared/bodies/body-shape.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { doc } from '#domain/shared/shape.js';
import type { MessagingError } from './errors.js';

/** A name that may appear in a path (messaging contract 0.5). */
export const nameBody = (description: string) => described(text, doc('text', description, { pattern: '^[a-zA-Z0-9_-]+$' }));

type Malformed = () => MessagingError;

const orElse = <T>(read: () => T, malformed: Malformed): T => {
  try {
    return read();
  } catch (error) {
    throw error instanceof MalformedJson ? malformed() : error;
  }
};

/** Reads a body leniently (messaging contract 0.4). @throws `malformed`, the error of the route for a body of another shape */
export const bodyFrom = <T>(body: ReceivedBody | undefined, shape: Shape<T>, malformed: Malformed): T =>
  orElse(() => readBody(shape, body), malformed);

/** Like {@link bodyFrom}, for a body that may be large. @throws as {@link bodyFrom} */
export const largeBodyAs = async <T>(body: ReceivedBody | undefined, shape: Shape<T>, malformed: Malformed): Promise<T> => {
  try {
    return await readLargeBody(shape, body);
  } catch (error) {
    throw error instanceof MalformedJson ? malformed() : error;
  }
};

/** Like {@link bodyFrom}, for the first JSON value of a body: some calls ignore the rest. @throws as {@link bodyFrom} */
export const firstValueFrom = <T>(body: ReceivedBody | undefined, shape: Shape<T>, malformed: Malformed): T =>
  orElse(() => readFirst(shape, body), malformed);

/**
 * Reads a body although the resource of the call may be missing: a missing resource takes precedence over errors in the body.
 * @param requireKnown throws if it is missing
 */
export const bodyOfKnown = async <T>(read: () => T, requireKnown: () => Promise<unknown>): Promise<T> => {
  try {
    return read();
  } catch (error) {
    await requireKnown();
    throw error;
  }
};
