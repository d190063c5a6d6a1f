import Negotiator from 'negotiator';

/** Parameters other than `q` (such as a charset) do not affect the choice. */
const OTHER_PARAMETERS = /;(?!\s*q\s*=)[^;,]*/gi;

/** Preferred media type of the caller: the first if it has no preference, `undefined` if it accepts none. */
export const acceptedType = (accept: string | undefined, types: readonly string[]): string | undefined => {
  if (!accept || accept === types[0]) return types[0];
  return new Negotiator({ headers: { accept: accept.replace(OTHER_PARAMETERS, '') } }).mediaType([...types]);
};
