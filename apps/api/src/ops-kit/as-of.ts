import type { FastifyRequest } from 'fastify';
import { AS_OF, type AsOf, asOfIn } from '#api/shared/as-of/as-of-header.js';
import { Problem } from './problem.js';

/** The moment that a call of `/audit` asks for; `undefined`: now. @throws Problem 403 for operators; 400 */
export const asOfOf = ({ headers, operator }: FastifyRequest): AsOf | undefined => {
  const header = headers[AS_OF];
  if (header === undefined) return undefined;
  if (!operator?.roles.includes('auditor')) throw new Problem(403, 'reads as of the past need the role auditor');
  const asOf = asOfIn(header);
  if (!asOf)
    throw new Problem(400, 'the request is not as this call takes it', [
      { member: 'Logbook-As-Of', detail: 'must be an instant such as 2024-01-15T12:00:00Z or a position of the log' },
    ]);
  return asOf;
};
