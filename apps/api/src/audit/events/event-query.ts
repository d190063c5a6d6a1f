import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Problem } from '#api/ops-kit/problem.js';
import { readingQuery } from '#api/ops-kit/route.js';
import { readQuery } from '#api/ops-kit/strict-input.js';
import {
  IsFlag,
  IsInstant,
  IsOneOf,
  IsPlace,
  IsRepeatable,
  IsText,
  IsWhole,
  millisecondsOf,
  Optional,
} from '#api/ops-kit/strict-members.js';
import type { ServiceName } from '#domain/shared/events.js';

/** Longest text of a filter: callers choose the ids of requests. */
const LONGEST = 4_096;
const MOST_TYPES = 100;
const SERVICES: readonly ServiceName[] = ['messaging', 'accounting', 'status', 'ops'];

/** View of one event. */
export class ViewQuery {
  @Optional()
  @IsOneOf(['readable', 'stored'], { description: 'default: readable', example: 'readable' })
  form?: 'readable' | 'stored';

  @Optional()
  @IsFlag({ description: 'personal data in plain text: auditors only, and each call is an event' })
  personal?: boolean;
}

/** Filters that lists of one stream also have. They combine by AND. */
export class StreamFilterQuery extends ViewQuery {
  @Optional()
  @IsRepeatable(MOST_TYPES, LONGEST, { description: 'any of them', example: ['TenantRegistered'] })
  type?: readonly string[];

  @Optional()
  @IsText(LONGEST, { description: 'id of an actor of any kind' })
  actor?: string;

  @Optional()
  @IsOneOf(SERVICES, { example: 'status' })
  service?: ServiceName;

  @Optional()
  @IsText(LONGEST, { description: 'correlation id' })
  correlation?: string;

  @Optional()
  @IsText(LONGEST, { description: 'request id' })
  request?: string;

  @Optional()
  @IsInstant({ description: 'log time, inclusive' })
  from?: string;

  @Optional()
  @IsInstant({ description: 'log time, exclusive' })
  to?: string;

  @Optional()
  @IsOneOf(['asc', 'desc'], { description: 'in log order or against it; default: asc' })
  order?: 'asc' | 'desc';

  @Optional()
  @IsWhole(1, 1_000, { description: 'default: 100; of NDJSON: all' })
  limit?: number;
}

export class EventQuery extends StreamFilterQuery {
  @Optional()
  @IsText(LONGEST, { example: 'status.tenants-global' })
  stream?: string;

  @Optional()
  @IsText(LONGEST, { description: 'the part of the name of a stream before its first dash', example: 'status.tenants' })
  category?: string;

  @Optional()
  @IsPlace({ description: 'a position, or `next` of the page before; exclusive, in the direction of `order`' })
  after?: string;
}

export class StreamQuery extends StreamFilterQuery {
  @Optional()
  @IsWhole(0, Number.MAX_SAFE_INTEGER, { description: 'revision, exclusive, in the direction of `order`', example: 41 })
  after?: number;
}

/** Returns whether the query requests personal data. It is checked before validation, because roles take precedence. */
const asksForPersonal = (query: Readonly<Record<string, unknown>>): boolean => [query.personal].flat().includes('true');

const readView = <T extends StreamFilterQuery | ViewQuery>(type: new () => T, request: FastifyRequest): T => {
  const query = request.query as Readonly<Record<string, unknown>>;
  if (asksForPersonal(query) && !request.operator?.roles.includes('auditor'))
    throw new Problem(403, 'personal data are shown to keys with the role auditor');
  const read = readQuery(type, query);
  if ('from' in read && read.from !== undefined && read.to !== undefined && millisecondsOf(read.from) > millisecondsOf(read.to))
    throw new Problem(400, 'the request is not as this call takes it', [{ member: 'from', detail: 'must not be after `to`' }]);
  return read;
};

/** The query of a call that may request personal data: 403 for operators, then 400. */
const ReadView = createParamDecorator((type: new () => ViewQuery, host: ExecutionContext) =>
  readView(type, host.switchToHttp().getRequest<FastifyRequest>()),
);

/** Parameter decorator for handlers; {@link QueryOf} documents it. */
export const ViewOf = <T extends ViewQuery>(type: new () => T): ParameterDecorator => readingQuery(ReadView(type));

/** Documents the query parameters of {@link ViewOf}. */
export const QueryOf = <T extends ViewQuery>(type: new () => T): MethodDecorator => ApiQuery({ type });
