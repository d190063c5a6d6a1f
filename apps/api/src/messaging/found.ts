import type { MessagingError } from './errors.js';

/** What was looked up. @throws the error if there is no such thing */
export const found = <Thing>(thing: Thing | null | undefined, error: () => MessagingError): Thing => {
  if (thing === null || thing === undefined) throw error();
  return thing;
};
