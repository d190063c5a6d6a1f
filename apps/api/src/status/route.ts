import { applyDecorators, Controller } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { BodyKind } from '#api/shared/bodies/body-limits.js';
import type { Tag } from '#api/shared/openapi/tags.js';
import { routesOf } from '#api/shared/routes/route.js';
import type { Keys } from './access.js';
import type { RouteAccess } from './http-policy.js';

type Options = Readonly<{
  /** Roles of which a key needs one. `anyone`: key or not. */
  who: readonly string[] | 'anyone';
  /** Whose keys the route takes. Default: those of users of tenants. */
  keys?: Keys;
  /** Media type of the answers, if it is neither JSON nor XML. */
  produces?: string;
  /** Limits of the body. Default as in BODY_LIMITS. */
  limit?: BodyKind;
}>;

/** The routes of the status service. */
export const { Get, Post, Put, Delete } = routesOf<Options>(({ who, keys = 'tenant', produces, limit }) =>
  RouteConfig({ status: (who === 'anyone' ? who : { keys, who, answers: produces }) satisfies RouteAccess, body: limit }),
);

/** A controller whose callers show a key. @param tag the group of its operations in OpenAPI */
export const StatusController = (path: string, tag: Tag) => applyDecorators(Controller(path), ApiTags(tag), ApiSecurity('x-api-key'));
