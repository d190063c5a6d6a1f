import type { DocumentBuilder, OpenAPIObject } from '@nestjs/swagger';
import type { Operation } from './describe.js';

/** Scheme of the secret that the message service shows to the push listener of the accounting service. */
export const LISTENER_SECRET = 'listener-secret';

type Scheme = Readonly<{
  name: string;
  header?: string;
  query?: string;
  description: string;
}>;

/** One scheme for each store of keys, so that a page can hold a key of each service at once. */
const KEYS: readonly Scheme[] = [
  { name: 'messagingKey', header: 'x-api-key', description: 'Token of a user of the messaging service, or the service token' },
  { name: 'messagingKeyInQuery', query: 'key', description: 'The same in the query; the header goes before' },
  { name: 'statusKey', header: 'x-api-key', description: 'Key of a user of a tenant of the status service' },
  {
    name: 'statusAdministratorKey',
    header: 'x-api-key',
    description: 'Key of an administrator of the status service, or of an integration',
  },
  { name: 'operationsKey', header: 'x-api-key', description: 'Key of an operator or auditor' },
  { name: LISTENER_SECRET, header: 'authorization', description: 'Secret shared with the messaging service that pushes, without `Bearer`' },
];

const ACCESS_TOKEN = 'accessToken';

/** Adds the security schemes to the document. */
export const addSchemes = (builder: DocumentBuilder): void => {
  for (const { name, header, query, description } of KEYS)
    builder.addApiKey({ type: 'apiKey', name: header ?? query ?? '', in: header === undefined ? 'query' : 'header', description }, name);
  builder.addBearerAuth(
    { type: 'http', scheme: 'bearer', description: 'Access token of a client of the accounting service' },
    ACCESS_TOKEN,
  );
};

const STATUS_ADMINISTRATION = /^\/api\/(?:v2\/admin|v3\/integrations)\//;

/** The schemes of a path; any one of them lets a call in. */
const schemesOf = (path: string): readonly string[] => {
  if (path.startsWith('/v1/')) return ['messagingKey', 'messagingKeyInQuery'];
  if (path.startsWith('/accounting-system/')) return [ACCESS_TOKEN];
  if (STATUS_ADMINISTRATION.test(path)) return ['statusAdministratorKey'];
  return [path.startsWith('/api/') || path === '/metrics/status' ? 'statusKey' : 'operationsKey'];
};

const requirementsOf = (path: string, { security = [] }: Operation): Record<string, string[]>[] => {
  if (security.length === 0 || security.some((one) => LISTENER_SECRET in one)) return security;
  return schemesOf(path).map((scheme) => ({ [scheme]: [] }));
};

/** Says of every operation which credentials let a call in; of those that name none, that they need none. */
export const nameCredentials = (document: OpenAPIObject): OpenAPIObject => {
  for (const [path, methods] of Object.entries(document.paths))
    for (const operation of Object.values(methods as Record<string, Operation>)) operation.security = requirementsOf(path, operation);
  return document;
};
