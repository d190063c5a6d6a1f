import { randomUUID } from 'node:crypto';

const ENDINGS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Generates unique request ids in the form of UUIDs. They are not secret: of 256 in a row only the last byte differs. A random one for each
 * request would cost 1.5 % of a read.
 */
export const requestIds = (): (() => string) => {
  let beginning = '';
  let next = ENDINGS.length;
  return () => {
    if (next === ENDINGS.length) {
      beginning = randomUUID().slice(0, -2);
      next = 0;
    }
    return `${beginning}${ENDINGS[next++]}`;
  };
};
