import * as errors from '#api/accounting/errors.js';
import { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import { answersOf, pick } from '#api/shared/openapi/answers-of-errors.js';
import type { ServiceDescription } from '#api/shared/openapi/describe.js';
import { component } from '#api/shared/openapi/shape.js';
import { ACCOUNTING_PARAMETERS } from './parameters.js';

const ERROR = component('AccountingError', { code: 'integer', message: 'text' }, 'accounting contract 2.1');

const bodied = ({ statusCode, message }: errors.AccountingError) => ({ statusCode, body: errors.envelope(statusCode, message) });

const TOO_LARGE = new errors.AccountingError(413, 'The request body is too large.');
const TOO_SLOW = new errors.AccountingError(408, 'The request body took too long to arrive.');

const ALL = answersOf(
  ERROR,
  [
    errors.malformed(),
    errors.unauthorized(),
    errors.forbidden(),
    errors.installationNotFound('507f1f77bcf86cd799439011'),
    errors.notAcceptable(),
    TOO_SLOW,
    errors.externalIdTaken(),
    errors.asOfRefused(new AsOfRefused('lost', 'the read models cannot show this position any more')),
    TOO_LARGE,
    errors.unsupportedMediaType(),
    errors.keyReused(),
    errors.internal(),
    errors.unavailable(),
  ].map(bodied),
);

/** `/accounting-system` (accounting contract). */
export const ACCOUNTING: ServiceDescription = {
  name: 'Accounting',
  owns: (path) => path.startsWith('/accounting-system/') || path === '/ams_verification_hash',
  parameters: ACCOUNTING_PARAMETERS,
  errors: (method) => {
    const ofBodies = method === 'get' ? [410] : [408, 409, 413];
    return pick(ALL, 400, 401, 403, 404, 406, ...ofBodies, ...(method === 'post' ? [410, 422] : []), 415, 500, 503);
  },
};
