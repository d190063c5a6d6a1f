import { acceptedType } from '#api/shared/http/headers/accepted-type.js';

export type WireFormat = 'json' | 'xml';

const FORMATS: Readonly<Record<string, WireFormat>> = { 'application/json': 'json', 'application/xml': 'xml' };
const TYPES = Object.keys(FORMATS);

/** Preferred format of the caller; default JSON, `undefined` if it accepts neither JSON nor XML. */
export const negotiate = (accept: string | undefined): WireFormat | undefined => {
  if (accept === 'application/json') return 'json';
  const type = acceptedType(accept, TYPES);
  return type === undefined ? undefined : FORMATS[type];
};
