import { applyDecorators, Controller } from '@nestjs/common';
import { ApiResponse, type ApiResponseOptions, ApiTags } from '@nestjs/swagger';
import { Credentials } from '#api/shared/openapi/security.js';
import type { Tag } from '#api/shared/openapi/tags.js';
import { routesOf } from '#api/shared/routes/route.js';
import type { OpsRole } from './http-policy.js';

export const OPERATOR = ['operator'] as const satisfies readonly OpsRole[];
export const AUDITOR = ['auditor'] as const satisfies readonly OpsRole[];
export const EITHER = ['operator', 'auditor'] as const satisfies readonly OpsRole[];

type Options = Readonly<{
  /** Roles of which a key needs one. */
  who: readonly OpsRole[];
}>;

/** Answers by status; errors that all calls have are added. */
type Responses = Readonly<Record<number, ApiResponseOptions>>;

const described = ({ answers }: Readonly<{ answers: Responses }>): readonly MethodDecorator[] =>
  Object.entries(answers).map(([status, answer]) => ApiResponse({ ...answer, status: Number(status) }));

/** The routes of `/ops` and `/audit`, for keys of the operations service. */
export const { Get, Post, Delete } = routesOf<Options, Responses>(({ who }) => ({ opsRoles: who }), described);

/** The same for everybody: who calls is for the handler to find out. */
export const open = routesOf<object, Responses>(() => ({}), described);

/** A read for everybody. */
export const { Get: OpenGet } = routesOf<object>(() => ({}));

export const OpsController = (path: string, tag: Tag) => applyDecorators(Controller(path), ApiTags(tag), Credentials('operationsKey'));
