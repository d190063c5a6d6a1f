import { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import { answersOf, pick } from '#api/shared/openapi/answers-of-errors.js';
import type { Operation, ServiceDescription } from '#api/shared/openapi/describe.js';
import type { DescribedAnswer } from '#api/shared/openapi/described.js';
import type { Parameter } from '#api/shared/openapi/request-parameters.js';
import { component, either } from '#api/shared/openapi/shape.js';
import * as errors from '#api/status/errors.js';
import { CODE } from './envelopes.js';
import { STATUS_PARAMETERS } from './parameters.js';

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
  errors.conflict('Report with the same name already exists'),
  errors.asOfRefused(new AsOfRefused('lost', 'the read models cannot show this position any more')),
  errors.unprocessable('details of what is wrong'),
  errors.internalError(),
  errors.unavailable(),
]);

const OPTIONS: Readonly<Record<number, DescribedAnswer>> = {
  200: { description: 'the header `Allow` names the methods', type: 'text/plain' },
};

const isPublic = ({ security = [] }: Operation): boolean => security.length === 0;

const TENANT: Parameter = { name: 'x-tenant-id', in: 'header', required: false };

/** Calls of users of a tenant, which administrators may make in its name. */
const isOfTenant = (method: string, path: string): boolean =>
  method !== 'options' && !/^\/api\/(?:v2\/(?:admin\/|version$)|v3\/integrations\/|v4\/nodes\/)/.test(path);

/** `/api/v2`, `/api/v3` and `/metrics/status` (status contract and its extensions). */
export const STATUS: ServiceDescription = {
  name: 'Status',
  owns: (path) => path.startsWith('/api/') || path === '/metrics/status',
  parameters: STATUS_PARAMETERS,
  adds: (method, path) => (isOfTenant(method, path) ? [TENANT] : []),
  errors: (method, _path, operation) => {
    if (method === 'options') return { ...OPTIONS, ...pick(ALL, 400, 404, 406, 408, 500, 503) };
    const keyed = isPublic(operation) ? [] : [401, 403];
    return pick(ALL, 400, ...keyed, 404, 406, ...(method === 'get' ? [410] : [408, 409]), 422, 500, 503);
  },
  alsoAs: ['application/xml'],
};
