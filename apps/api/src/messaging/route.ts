import { applyDecorators, Controller } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { BodyKind } from '#api/shared/bodies/body-limits.js';
import type { Tag } from '#api/shared/openapi/tags.js';
import { routesOf } from '#api/shared/routes/route.js';
import type { RouteOptions } from './http-policy.js';

type Options = RouteOptions &
  Readonly<{
    /** Limits of the body. Default as in BODY_LIMITS. */
    limit?: BodyKind;
  }>;

/** The routes of the messaging service. */
export const { Get, Post, Put, Delete } = routesOf<Options>(({ who, project, limit }) =>
  RouteConfig({ messaging: { who, project } satisfies RouteOptions, body: limit }),
);

/** A controller of the messaging service. @param tag the group of its operations in OpenAPI */
export const MessagingController = (path: string, tag: Tag) => applyDecorators(Controller(path), ApiTags(tag), ApiSecurity('x-api-key'));
