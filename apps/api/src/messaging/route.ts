import { applyDecorators, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Credentials } from '#api/shared/openapi/security.js';
import type { Tag } from '#api/shared/openapi/tags.js';
import { routesOf } from '#api/shared/routes/route.js';
import type { RouteOptions } from './http-policy.js';

export const { Get, Post, Put, Patch, Delete } = routesOf<RouteOptions>(({ who, project, anyVariables }) => ({
  messaging: { who, project, anyVariables } satisfies RouteOptions,
}));

/** A controller of the messaging service. @param tag the group of its operations in OpenAPI */
export const MessagingController = (path: string, tag: Tag) =>
  applyDecorators(Controller(path), ApiTags(tag), Credentials('messagingKey', 'messagingKeyInQuery', 'messagingBearer'));
