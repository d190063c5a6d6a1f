import type { MessagingError } from './errors.js';

/** Narrows the result of a lookup. @throws the error if it found nothing */
export const found = <Thing>(thing: Thing | null | undefined, error: () => MessagingError): Thing => {
  if (thing === null || thing === undefined) throw error();
  return thing;
};
