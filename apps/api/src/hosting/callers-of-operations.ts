import type { OpenAPIObject } from '@nestjs/swagger';
import type { DeclaredRoute } from '#api/shared/routes/declared-routes.js';
import type { Operation } from '#api/shared/routes/describe.js';

const EVERYBODY = 'everybody';

const oneOf = (roles: readonly string[]): string =>
  `${roles.length > 1 ? 'one of the roles' : 'the role'} ${roles.map((role) => `\`${role}\``).join(', ')}`;

/** By the kind of keys that a route of the status service accepts. */
const STATUS_CALLERS = {
  tenant: 'users of the tenant with',
  node: 'administrators, and users of the tenant that the path names, with',
  admin: 'administrators with',
  integration: 'components of the infrastructure with',
} as const;

/** Callers that the policy of a service admits to a route. */
const callersOf = ({ messaging, status, accounting, opsRoles }: DeclaredRoute['admission']): string => {
  if (messaging)
    return messaging.who === 'anyone'
      ? 'everybody; calls that need a key look it up themselves'
      : `users with ${oneOf(messaging.who)}, in the service or in the project of the path`;
  if (status) return status === 'everybody' ? EVERYBODY : `${STATUS_CALLERS[status.keys]} ${oneOf(status.roles)}`;
  if (opsRoles) return `keys of the operations service with ${oneOf(opsRoles)}`;
  if (accounting?.access === 'listener') return 'the service that pushes messages, with its secret';
  return accounting ? 'clients whose entitlements permit it' : EVERYBODY;
};

/** Adds the admitted callers, as declared by its route, to the description of each operation. @param routes by operation id */
export const describeCallers = (document: OpenAPIObject, routes: ReadonlyMap<string, DeclaredRoute>): OpenAPIObject => {
  for (const methods of Object.values(document.paths))
    for (const operation of Object.values(methods as Record<string, Operation>)) {
      const callers = `Callers: ${callersOf(routes.get(operation.operationId ?? '')?.admission ?? {})}.`;
      operation.description = operation.description ? `${operation.description}\n\n${callers}` : callers;
    }
  return document;
};
