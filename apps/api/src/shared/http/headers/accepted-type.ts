import Negotiator from 'negotiator';

/** Parameters other than `q` (such as a charset) do not matter for what can be sent. */
const OTHER_PARAMETERS = /;(?!\s*q\s*=)[^;,]*/gi;

/** Which of the media types the caller prefers; the first when it does not say, nothing when it accepts none. */
export const acceptedType = (accept: string | undefined, types: readonly string[]): string | undefined => {
  if (!accept || accept === types[0]) return types[0];
  return new Negotiator({ headers: { accept: accept.replace(OTHER_PARAMETERS, '') } }).mediaType([...types]);
};
