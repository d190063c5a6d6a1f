import Negotiator from 'negotiator';

export type WireFormat = 'json' | 'xml';

/** Parameters other than `q` (such as a charset) do not matter for what can be sent. */
const OTHER_PARAMETERS = /;\s*(?!q\s*=)[^;,]*/gi;

/** The form the caller prefers; JSON when it does not say, nothing when it accepts neither JSON nor XML. */
export const negotiate = (accept: string | undefined): WireFormat | undefined => {
  if (accept === undefined || accept === '' || accept === 'application/json') return 'json';
  const headers = { accept: accept.replace(OTHER_PARAMETERS, '') };
  switch (new Negotiator({ headers }).mediaType(['application/json', 'application/xml'])) {
    case 'application/json':
      return 'json';
    case 'application/xml':
      return 'xml';
    default:
      return undefined;
  }
};
