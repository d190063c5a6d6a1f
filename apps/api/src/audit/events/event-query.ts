import { type CanActivate, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Problem } from '#api/ops-kit/problem.js';
import { flag, instant, membersOf, oneOf, optional, place, repeatable, text, whole } from '#api/ops-kit/strict-members.js';
import type { ServiceName } from '#domain/shared/events.js';

/** Longest text of a filter: callers choose the ids of requests. */
const LONGEST = 4_096;
const MOST_TYPES = 100;
const SERVICES: readonly ServiceName[] = ['messaging', 'accounting', 'status', 'ops'];

/** Default size of a page. */
export const EVENTS_OF_PAGE = 100;

/** View of one event. */
export class ViewQuery extends membersOf({
  form: optional(oneOf(['readable', 'stored'], { description: 'default: readable', example: 'readable' })),
  personal: optional(flag({ description: 'personal data in plain text: auditors only, and each call is an event' })),
}) {}

/** Filters that lists of one stream also have. They combine by AND. */
export class StreamFilterQuery extends membersOf(
  {
    type: optional(repeatable(MOST_TYPES, LONGEST, { description: 'any of them', example: ['TenantRegistered'] })),
    actor: optional(text(LONGEST, { description: 'id of an actor of any kind' })),
    service: optional(oneOf(SERVICES, { example: 'status' })),
    correlation: optional(text(LONGEST, { description: 'correlation id: all of a conversation' })),
    causation: optional(text(LONGEST, { description: 'id of an event or a request: what followed from it directly' })),
    request: optional(text(LONGEST, { description: 'request id' })),
    from: optional(instant({ description: 'log time, inclusive' })),
    to: optional(instant({ description: 'log time, exclusive' })),
    order: optional(oneOf(['asc', 'desc'], { description: 'in log order or against it; default: asc' })),
    limit: optional(whole(1, 1_000, { description: `default: ${EVENTS_OF_PAGE}; of NDJSON: all` })),
  },
  ViewQuery,
) {}

export class EventQuery extends membersOf(
  {
    event: optional(text(LONGEST, { description: 'id of one event', example: 'b8c0f7d2-5c1e-4e0a-9d37-0f6a3c5e9b14' })),
    stream: optional(text(LONGEST, { example: 'status.tenants-global' })),
    record: optional(
      text(LONGEST, {
        description: 'service, kind and id (or name) of a record that they changed, of kinds with a `scope` with it before the id',
        example: 'status/report/eba61a9e-22e9-4521-9e47-ecaa4a494364',
      }),
    ),
    category: optional(text(LONGEST, { description: 'the part of the name of a stream before its first dash', example: 'status.tenants' })),
    after: optional(place({ description: 'a position, or `next` of the page before; exclusive, in the direction of `order`' })),
  },
  StreamFilterQuery,
) {}

export class StreamQuery extends membersOf(
  {
    after: optional(whole(0, Number.MAX_SAFE_INTEGER, { description: 'revision, exclusive, in the direction of `order`', example: 41 })),
  },
  StreamFilterQuery,
) {}

/** Refuses operators that request personal data, before the query is checked, because roles take precedence. */
const AUDITORS_ONLY: CanActivate = {
  canActivate: (host) => {
    const { query, operator } = host.switchToHttp().getRequest<FastifyRequest>();
    const asked = [(query as Readonly<Record<string, unknown>>).personal].flat();
    if (asked.includes('true') && !operator?.roles.includes('auditor'))
      throw new Problem(403, 'personal data are shown to keys with the role auditor');
    return true;
  },
};

/** For calls that may request personal data: 403 for operators, then 400. */
export const PersonalForAuditors = (): MethodDecorator => UseGuards(AUDITORS_ONLY);
