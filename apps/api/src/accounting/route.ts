import { applyDecorators, Controller } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import type { BodyKind } from '#api/shared/bodies/body-limits.js';
import type { Tag } from '#api/shared/openapi/tags.js';
import { routesOf } from '#api/shared/routes/route.js';
import type { RouteOptions } from './http-policy.js';

type Options = RouteOptions &
  Readonly<{
    /** Limits of the body. Default as in BODY_LIMITS. */
    limit?: BodyKind;
  }>;

/** The routes of the accounting service. Their handlers check permissions, after the body was read (accounting contract 1.8). */
export const { Get, Post, Put, Patch, Delete } = routesOf<Options>(({ consumes, access, produces, limit }) =>
  RouteConfig({ accounting: { consumes, access, produces } satisfies RouteOptions, body: limit }),
);

/** A controller whose callers show an access token. @param tag the group of its operations in OpenAPI */
export const AccountingController = (path: string, tag: Tag) => applyDecorators(Controller(path), ApiTags(tag), ApiBearerAuth());
