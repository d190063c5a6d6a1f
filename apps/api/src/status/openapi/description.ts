import { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import { answersOf, pick } from '#api/shared/openapi/answers-of-errors.js';
import { COMMON_PARAMETERS } from '#api/shared/openapi/common-parameters.js';
import { type DescribedAnswer, type Parameters, parameter } from '#api/shared/openapi/described.js';
import type { Parameter } from '#api/shared/openapi/request-parameters.js';
import type { ServiceDescription } from '#api/shared/routes/describe.js';
import { dayIn } from '#api/status/day-query.js';
import * as errors from '#api/status/errors.js';
import { component, either, oneOf } from '#domain/shared/shape.js';
import { CODE } from './envelopes.js';

const RECORD = '3954e18b-0f5e-4e4c-9ec1-613127ab6638';

const PATHS: Parameters = {
  'path id': parameter('text', 'id of the record', RECORD),
  'path userId': parameter('text', 'id of the user', '262b2829-1fa4-4338-9cd2-68743e219c46'),
  'path component': parameter(oneOf('engine', 'monbox', 'probe', 'poem-admin', 'poem-viewer'), 'whose users get a new key', 'engine'),
  'path tenant': parameter('text', 'name of the tenant', 'EGI'),
  'path report': parameter('text', 'name of the report', 'Critical'),
  'path groupType': parameter('text', 'first type of the topology schema of the report', 'NGI'),
  'path supergroup': parameter('text', 'name of a group of groups', 'NGI-A'),
  'path type': parameter('text', 'a type of the topology schema of the report, usually the last one: that of endpoint groups', 'SITES'),
  'path group': parameter('text', 'name of the group', 'SITE-A'),
  'path service': parameter('text', 'service type', 'web'),
  'path endpoint': parameter('text', 'host name of the endpoint', 'web.example.org'),
  'path hostname': parameter('text', 'host name', 'web.example.org'),
  'path metric': parameter('text', 'name of the metric', 'http'),
  'path node': parameter('text', 'name of a tenant that is a node', 'EGI'),
};

const STATUS_PARAMETERS: Parameters = {
  ...COMMON_PARAMETERS,
  ...PATHS,
  'header x-tenant-id': parameter('text', 'with the key of an administrator: id of the tenant in whose name the call is made'),
};

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

/** Calls whose `date` must be a day. */
const OF_DAYS = /^\/api\/v2\/(?!latest|trends|recomputations)/;
const BAD_DATE = errors.refusalOf(() => dayIn({ date: '2026-02-30' }, Date.now));

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
  refusals: (path, query, { method, hasBody }) => {
    if (method === 'options' || !query.has('date') || !OF_DAYS.test(path)) return [];
    return [...(hasBody ? [errors.malformedJson()] : []), BAD_DATE];
  },
};
