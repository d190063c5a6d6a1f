import { applyDecorators, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Credentials } from '#api/shared/openapi/security.js';
import type { Tag } from '#api/shared/openapi/tags.js';
import { routesOf } from '#api/shared/routes/route.js';
import type { RouteOptions } from './http-policy.js';

/** The routes of the accounting service. Their handlers check permissions after the body was read (accounting contract 1.8). */
export const { Get, Post, Put, Patch, Delete } = routesOf<RouteOptions>(({ consumes, access, produces }) => ({
  accounting: { consumes, access, produces } satisfies RouteOptions,
}));

/** A controller for callers with an access token. @param tag the group of its operations in OpenAPI */
export const AccountingController = (path: string, tag: Tag) => applyDecorators(Controller(path), ApiTags(tag), Credentials('accessToken'));
