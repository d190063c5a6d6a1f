import { applyDecorators, Controller, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ApiTags } from '@nestjs/swagger';
import { Credentials } from '#api/shared/openapi/security.js';
import type { Tag } from '#api/shared/openapi/tags.js';
import { routesOf } from '#api/shared/routes/route.js';
import type { OpsRole } from './http-policy.js';
import { StrictBody, StrictQuery } from './strict-input.js';

export const OPERATOR = ['operator'] as const satisfies readonly OpsRole[];
export const AUDITOR = ['auditor'] as const satisfies readonly OpsRole[];

type Options = Readonly<{
  /** Roles of which a key needs one. */
  who: readonly OpsRole[];
}>;

/** Refuses input that a handler does not read: query parameters, and the body of a POST. So nothing is ignored (operations contract 0). */
const refusesTheRest: MethodDecorator = (target, name, { value }) => {
  const read = Object.keys(Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, name) ?? {});
  const reads = (type: RouteParamtypes): boolean => read.some((key) => key.startsWith(`${type}:`));
  const isPost = Reflect.getMetadata(METHOD_METADATA, value as object) === RequestMethod.POST;
  if (isPost && !reads(RouteParamtypes.BODY)) StrictBody()(target, name, read.length);
  if (!reads(RouteParamtypes.QUERY)) StrictQuery()(target, name, read.length + 1);
};

const ofKeys = routesOf<Options>(
  ({ who }) => ({ opsRoles: who }),
  () => [refusesTheRest],
);

/** The routes of `/ops` and `/audit`, for keys of the operations service. */
export const { Post, Delete } = ofKeys;
export const { Get } = ofKeys.routesWith({ who: ['operator', 'auditor'] });

/** Routes for any caller; the handler authenticates. */
export const open = routesOf<object>(() => ({}));

export const OpsController = (path: string, tag: Tag) => applyDecorators(Controller(path), ApiTags(tag), Credentials('operationsKey'));
