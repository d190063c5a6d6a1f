import { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import { answersOf, pick } from '#api/shared/openapi/answers-of-errors.js';
import type { ServiceDescription } from '#api/shared/openapi/describe.js';
import type { DescribedAnswer } from '#api/shared/openapi/described.js';
import type { Parameter } from '#api/shared/openapi/request-parameters.js';
import { component, either } from '#api/shared/openapi/shape.js';
import * as errors from '#api/status/errors.js';
import { CODE } from './envelopes.js';
import { STATUS_PARAMETERS } from './parameters.js';
import { refusalsOf } from './refusals.js';

const ITEM = component('StatusErrorItem', { message: 'text', code: CODE, details: 'text' });

/** Status contract 1.6. */
const ERROR = component(
  'StatusError',
  either(
    { status: { message: 'text', code: CODE, 'details?': 'text' }, 'errors?': [ITEM] },
    component('StatusMessage', { message: 'text', code: either(CODE, 'integer') }, 'of results, timelines and metric data'),
  ),
  'status contract 1.6',
);

const ALL = answersOf(ERROR, [
  errors.malformedJson(),
  errors.unauthorized(),
  errors.forbidden(),
  errors.notFound(),
  errors.notAcceptable(),
  errors.bodyTooSlow(),
  errors.asOfRefused(new AsOfRefused('lost', 'the read models cannot show this position any more')),
  errors.unprocessable('details of what is wrong'),
  errors.internalError(),
  errors.unavailable(),
]);

const OPTIONS: Readonly<Record<number, DescribedAnswer>> = {
  200: { description: 'the header `Allow` names the methods', type: 'text/plain' },
};

const TENANT: Parameter = { name: 'x-tenant-id', in: 'header', required: false };

/** `/api/v2`, `/api/v3` and `/metrics/status` (status contract and its extensions). */
export const STATUS: ServiceDescription = {
  name: 'Status',
  owns: (path) => path.startsWith('/api/') || path === '/metrics/status',
  parameters: STATUS_PARAMETERS,
  adds: ({ status }) => (typeof status === 'object' && status.keys === 'tenant' ? [TENANT] : []),
  errors: ({ method, path, isKeyed, hasBody }) => {
    if (method === 'options') return { ...OPTIONS, ...pick(ALL, 400, 404, 406, 408, 500, 503) };
    return pick(
      ALL,
      400,
      ...(isKeyed ? [401, 403] : []),
      ...(path.includes('{') ? [404] : []),
      406,
      ...(hasBody ? [408] : []),
      ...(method === 'get' ? [410] : []),
      422,
      500,
      503,
    );
  },
  error: ERROR,
  refusals: refusalsOf,
};
