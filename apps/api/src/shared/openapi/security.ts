import { applyDecorators } from '@nestjs/common';
import { ApiSecurity, type DocumentBuilder, type OpenAPIObject } from '@nestjs/swagger';

const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description }) as const;

/** Credentials by the names that operations refer to: one for each store of keys, so that a page can hold a key of each service at once. */
const SCHEMES = {
  messagingKey: header('x-api-key', 'Token of a user of the messaging service, or the service token'),
  messagingKeyInQuery: { type: 'apiKey', in: 'query', name: 'key', description: 'The same in the query; the header goes before' },
  messagingBearer: { type: 'http', scheme: 'bearer', description: 'The same as a bearer token, where neither header nor query has a key' },
  statusKey: header('x-api-key', 'Key of a user of a tenant of the status service'),
  statusAdministratorKey: header('x-api-key', 'Key of an administrator of the status service, or of an integration'),
  operationsKey: header('x-api-key', 'Key of an operator or auditor'),
  'listener-secret': header('authorization', 'Secret shared with the messaging service that pushes, without `Bearer`'),
  accessToken: { type: 'http', scheme: 'bearer', description: 'Access token of a client of the accounting service' },
} as const;
export const addSchemes = (builder: DocumentBuilder): void => {
  for (const [name, scheme] of Object.entries(SCHEMES)) builder.addSecurity(name, scheme);
};

/** Credentials of the operations of a controller, or of one operation. Any one of them is sufficient. */
export const Credentials = (...schemes: readonly (keyof typeof SCHEMES)[]): ClassDecorator & MethodDecorator =>
  applyDecorators(...schemes.map((scheme) => ApiSecurity(scheme)));

/** Declares operations without credentials as public. */
export const nameCredentials = (document: OpenAPIObject): OpenAPIObject => {
  for (const operations of Object.values(document.paths))
    for (const operation of Object.values(operations as Record<string, { security?: object[] }>)) operation.security ??= [];
  return document;
};
