import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation } from './describe.js';

/** Scheme of the secret that the message service shows to the push listener of the accounting service. */
export const LISTENER_SECRET = 'listener-secret';

/** Says of every operation that names no credential that it needs none. */
export const openToAll = (document: OpenAPIObject): OpenAPIObject => {
  for (const methods of Object.values(document.paths))
    for (const operation of Object.values(methods as Record<string, Operation>)) operation.security ??= [];
  return document;
};
