import type { FastifyRequest } from 'fastify';
import { AS_OF } from '#api/shared/as-of/as-of-header.js';
import { NODE_ROLES, type NodeRole } from '#infra/platform/config/configuration.js';

/** This node lacks the role for the request; other nodes have it. Each service answers it in the shape of its errors, as 503. */
export class RoleElsewhere extends Error {
  override readonly name = 'RoleElsewhere';
  readonly statusCode = 503;

  constructor(readonly role: NodeRole) {
    super(`This node does not have the role ${role} (LOGBOOK_ROLES): a node that has it answers this`);
  }
}

/** Health and metrics of the node itself, the live overview, and calls of operators: the nodes with the role for their work find them in the stores. */
const OF_EVERY_NODE = /^\/(health|metrics|ops|console\/live)(\/|$)/;
const OF_HISTORY = /^\/(audit|ops\/(log|signing-keys))(\/|$)/;

/** Calls for the node that serves a subscription. */
const OF_SERVING_NODE =
  /^\/v1\/projects\/:project\/subscriptions\/:subscription.*::(pull|stream|acknowledge|modifyAckDeadline|modifyOffset|seek|redrive)$/;

/** Header of a request that another node has passed on to the node that serves its subscription. Such a request is not passed on again. */
export const PASSED_ON = 'logbook-passed-on';

/** Role that a node needs for a call outside of the services, if any. @param path of the call or of its route, without query */
export const roleOfOperation = (path: string): NodeRole | undefined => {
  if (OF_HISTORY.test(path)) return 'history';
  return OF_EVERY_NODE.test(path) ? undefined : 'api';
};

type RoutedRequest = Pick<FastifyRequest, 'headers' | 'is404'> & Readonly<{ routeOptions: Readonly<{ url?: string }> }>;

/** Role that a node needs for a call, if any. @param prefix of the service of the call; empty outside of the services */
const roleFor = ({ routeOptions, headers, is404 }: RoutedRequest, prefix: string): NodeRole | undefined => {
  if (prefix !== '' && headers[AS_OF] !== undefined) return 'history';
  const route = is404 ? '' : (routeOptions.url ?? '');
  // The node that pushes a subscription serves it.
  if (prefix === '/v1' && headers[PASSED_ON] !== undefined && OF_SERVING_NODE.test(route)) return undefined;
  return prefix === '' ? roleOfOperation(route) : 'api';
};

/** Reason why this node does not answer a call; `undefined` if it does. */
export type FindRoleElsewhere = (request: RoutedRequest, service: Readonly<{ prefix: string }>) => RoleElsewhere | undefined;

/** For a node with these roles; `undefined` if it has all. */
export const elsewhereBy = (roles: readonly NodeRole[]): FindRoleElsewhere | undefined => {
  if (NODE_ROLES.every((role) => roles.includes(role))) return undefined;
  return (request, { prefix }) => {
    const role = roleFor(request, prefix);
    return role === undefined || roles.includes(role) ? undefined : new RoleElsewhere(role);
  };
};
