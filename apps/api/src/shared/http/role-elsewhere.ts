import type { FastifyRequest } from 'fastify';
import { AS_OF } from '#api/shared/as-of/as-of-header.js';
import { NODE_ROLES, type NodeRole } from '#infra/platform/config/configuration.js';

/** This node does not do what was asked for; nodes with the role do. Each service says so in the shape of its errors, as 503. */
export class RoleElsewhere extends Error {
  override readonly name = 'RoleElsewhere';
  readonly statusCode = 503;

  constructor(readonly role: NodeRole) {
    super(`This node does not have the role ${role} (LOGBOOK_ROLES): a node that has it answers this`);
  }
}

/** Health and metrics of the node itself. */
const OF_EVERY_NODE = /^\/(health|metrics)(\/|$)/;
const OF_HISTORY = /^\/(audit|ops\/signing-keys)(\/|$)/;
/** What runners of this process, or jobs that it begins, have to do. */
const OF_PROJECTOR = /^\/ops\/projections\/[^/]+\/(rebuild|verify|resume)$/;

/** What is asked of the node that serves a subscription. */
const OF_SERVING_NODE =
  /^\/v1\/projects\/:project\/subscriptions\/:subscription.*::(pull|stream|acknowledge|modifyAckDeadline|modifyOffset|seek|redrive)$/;

/** Header of a request that another node has passed on, because this one serves what it is about: nobody passes it on again. */
export const PASSED_ON = 'logbook-passed-on';

/** The role that a node needs to answer a call that belongs to no service; `undefined`: none. @param path of the call or of its route, without query */
export const roleOfOperation = (method: string, path: string): NodeRole | undefined => {
  if (OF_EVERY_NODE.test(path)) return undefined;
  if (OF_HISTORY.test(path)) return 'history';
  return method === 'POST' && OF_PROJECTOR.test(path) ? 'projector' : 'api';
};

type RoutedRequest = Pick<FastifyRequest, 'method' | 'headers' | 'is404'> & Readonly<{ routeOptions: Readonly<{ url?: string }> }>;

/**
 * The role that a node needs to answer a call; `undefined`: none.
 * @param prefix of the service that the call is for; empty for what belongs to no service
 */
const roleFor = ({ routeOptions, method, headers, is404 }: RoutedRequest, prefix: string): NodeRole | undefined => {
  if (prefix !== '' && headers[AS_OF] !== undefined) return 'history';
  const route = is404 ? '' : (routeOptions.url ?? '');
  // Whoever pushes a subscription serves it.
  if (prefix === '/v1' && headers[PASSED_ON] !== undefined && OF_SERVING_NODE.test(route)) return undefined;
  return prefix === '' ? roleOfOperation(method, route) : 'api';
};

/** Why this node does not answer a call; `undefined`: it does. */
export type Elsewhere = (request: RoutedRequest, service: Readonly<{ prefix: string }>) => RoleElsewhere | undefined;

/** For a node with these roles; `undefined`: it has all. */
export const elsewhereBy = (roles: readonly NodeRole[]): Elsewhere | undefined => {
  if (NODE_ROLES.every((role) => roles.includes(role))) return undefined;
  return (request, { prefix }) => {
    const role = roleFor(request, prefix);
    return role === undefined || roles.includes(role) ? undefined : new RoleElsewhere(role);
  };
};
