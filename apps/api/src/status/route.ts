import { applyDecorators, Controller, RequestMapping, RequestMethod } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Credentials } from '#api/shared/openapi/security.js';
import type { Tag } from '#api/shared/openapi/tags.js';
import { routeOf, routesOf } from '#api/shared/routes/route.js';
import { methods } from './answers.js';
import type { RouteAccess } from './http-policy.js';
import type { Who } from './roles.js';

type Options = Readonly<{
  /** Who may call it. */
  who: Who | 'everybody';
  /** Media type of the answer, if it is neither JSON nor XML; its errors are JSON. */
  produces?: string;
}>;

/** Administrators may call in the name of a tenant. */
const credentialsOf = ({ keys }: Who): MethodDecorator =>
  keys === 'tenant' || keys === 'node' ? Credentials('statusKey', 'statusAdministratorKey') : Credentials('statusAdministratorKey');

/** The routes of the status service. */
export const { Get, Post, Put, Delete } = routesOf<Options>(
  ({ who, produces }) => ({ status: (who === 'everybody' ? who : { ...who, answers: produces }) satisfies RouteAccess }),
  ({ who }) => (who === 'everybody' ? [] : [credentialsOf(who)]),
);

/** A controller. @param tag the group of its operations in OpenAPI */
export const StatusController = (path: string, tag: Tag) => applyDecorators(Controller(path), ApiTags(tag));

/**
 * Answers OPTIONS at paths of a controller, to anybody (status contract 1.10).
 * @param allow the methods
 * @param paths default: all that its routes have
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
