import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Generates unique request ids in the form of UUIDs. They are not secret: of 256 in a row only the first byte differs, which tables
 * that shorten ids show. A random one for each
 * request would cost 1.5 % of a read.
 */
export const requestIds = (): (() => string) => {
  let rest = '';
  let next = BYTES.length;
  return () => {
    if (next === BYTES.length) {
      rest = randomUUID().slice(2);
      next = 0;
    }
    return `${BYTES[next++]}${rest}`;
  };
};

const GIVEN = /^[\w.:-]{1,128}$/;

/** Id of a request: that of the caller if it has at most 128 harmless characters, otherwise a new one. */
export const requestIdOf = ({ headers }: Pick<IncomingMessage, 'headers'>, newId: () => string = randomUUID): string => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && GIVEN.test(given) ? given : newId();
};
