import { applyDecorators, type CanActivate, UseGuards } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { nameMoment } from '#api/as-of/past-answers.js';
import type { PastApplication } from '#api/as-of/past-application.js';
import type { AuditCalls } from '#api/audit/events/audit-calls.js';
import type { OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { AS_OF, type AsOf, asOfIn } from '#api/shared/as-of/as-of-header.js';
import type { PointInTime } from '#api/shared/as-of/past-call.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Refuses operators before the query is checked, because roles take precedence. */
const AUDITORS_ONLY: CanActivate = {
  canActivate: (host) => {
    const { headers, operator } = host.switchToHttp().getRequest<FastifyRequest>();
    if (headers[AS_OF] !== undefined && !operator?.roles.includes('auditor'))
      throw new Problem(403, 'reads as of the past need the role auditor');
    return true;
  },
};

/** For calls that may be as of the past: 403 for operators, then 400. */
export const AsOfForAuditors = (): MethodDecorator =>
  applyDecorators(
    ApiHeader({
      name: 'Logbook-As-Of',
      required: false,
      description: 'an instant or a position of the log; needs the role auditor, and is recorded',
    }),
    UseGuards(AUDITORS_ONLY),
  );

/** Requested moment of a call of `/audit`; `undefined` for the present. @throws Problem 400 */
const asOfOf = ({ headers }: FastifyRequest): AsOf | undefined => {
  const header = headers[AS_OF];
  if (header === undefined) return undefined;
  const asOf = asOfIn(header);
  if (!asOf)
    throw new Problem(400, 'the request is not as this call takes it', [
      { member: 'Logbook-As-Of', detail: 'must be an instant such as 2024-01-15T12:00:00Z or a position of the log' },
    ]);
  return asOf;
};

/** Result of `read` as of the requested moment, which is recorded and named in headers; `'of now'` if none is requested. @throws Problem 400, 410, 503 */
export const readThen = async <Found>(
  past: PastApplication,
  { request, reply }: Pick<OpsCall, 'request' | 'reply'>,
  read: (store: ReadStore, point: PointInTime) => Promise<Found>,
): Promise<Found | 'of now'> => {
  const asOf = asOfOf(request);
  const { operator } = request;
  return past.over(asOf, async (store, point) => {
    if (asOf && operator) await past.recordRead(request, operator, point);
    nameMoment(reply, point);
    return read(store, point);
  });
};

/** Number of events in the index up to the moment that this server shows. @throws Problem 503 */
export const sizeShown = async (past: PastApplication, calls: AuditCalls, reply: OpsCall['reply']): Promise<number> => {
  const then = await past.over(undefined, async (_store, { moment }) => (moment ? moment.index + 1 : 0));
  return then === 'of now' ? calls.size(reply) : then;
};
