import { applyDecorators, Controller, RequestMapping, RequestMethod } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Credentials } from '#api/shared/openapi/security.js';
import type { Tag } from '#api/shared/openapi/tags.js';
import { routeOf, routesOf } from '#api/shared/routes/route.js';
import type { AllowedCallers } from './access.js';
import { methods } from './answers/answers.js';
import type { RouteAccess } from './http-policy.js';

/** Users of tenants. */
export const inTenant = (...roles: readonly string[]): AllowedCallers => ({ keys: 'tenant', roles });
const administrators = (...roles: readonly string[]): AllowedCallers => ({ keys: 'admin', roles });

// Status contract 2, status extended contract 1, status contract of 2026, 2. If these are silent, reads are like their siblings, and writes
// are for admin and editor.
export const READERS = inTenant('admin', 'editor', 'viewer', 'admin_ui');
export const VIEWERS = inTenant('admin', 'editor', 'viewer');
export const OPERATORS = inTenant('admin', 'editor', 'admin_ui');
export const WRITERS = inTenant('admin', 'editor');
/** Users of the tenant that the path parameter `node` names, if it is a node; and administrators. */
export const NODE_VIEWERS: AllowedCallers = { keys: 'node', roles: ['super_admin', ...VIEWERS.roles] };
export const ADMINISTRATORS = administrators('super_admin', 'super_admin_restricted', 'super_admin_ui');
export const TENANT_LISTERS = administrators(...ADMINISTRATORS.roles, 'super_admin_viewer');
export const SUPER = administrators('super_admin');
/** Integrations: components of the infrastructure. Handlers get the admission of an administrator. */
export const INTEGRATIONS: AllowedCallers = { keys: 'integration', roles: ['component_engine', 'component_monbox', 'component_poem'] };

type Options = Readonly<{
  /** Allowed callers. */
  who: AllowedCallers | 'everybody';
  /** Media type of the answer, if it is neither JSON nor XML; its errors are JSON. */
  produces?: string;
}>;

/** Administrators may call on behalf of a tenant. */
const credentialsOf = ({ keys }: AllowedCallers): MethodDecorator =>
  keys === 'tenant' || keys === 'node' ? Credentials('statusKey', 'statusAdministratorKey') : Credentials('statusAdministratorKey');

export const { Get, Post, Put, Delete, routesWith } = routesOf<Options>(
  ({ who, produces }) => ({ status: (who === 'everybody' ? who : { ...who, answers: produces }) satisfies RouteAccess }),
  ({ who }) => (who === 'everybody' ? [] : [credentialsOf(who)]),
);

/** A controller. @param tag the group of its operations in OpenAPI */
export const StatusController = (path: string, tag: Tag) => applyDecorators(Controller(path), ApiTags(tag));

/**
 * Answers OPTIONS at paths of a controller, for any caller (status contract 1.10).
 * @param allow the methods
 * @param paths default: those of all its routes
 */
export const AnswersOptions =
  (summary: string, allow = 'GET, OPTIONS', paths?: readonly string[]): ClassDecorator =>
  ({ prototype }) => {
    const declared = Object.values(Object.getOwnPropertyDescriptors(prototype)).flatMap(({ value }) =>
      typeof value === 'function' ? Object.keys(routeOf(value)?.paths ?? {}) : [],
    );
    const path = [...(paths ?? new Set(declared))];
    const name = `options ${path[0]}`;
    const descriptor: PropertyDescriptor = { value: () => methods(allow), configurable: true };
    applyDecorators(RequestMapping({ method: RequestMethod.OPTIONS, path }), ApiOperation({ summary }))(prototype, name, descriptor);
    Object.defineProperty(prototype, name, descriptor);
  };
