import * as errors from '#api/accounting/errors.js';
import { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import { answersOf, pick } from '#api/shared/openapi/answers-of-errors.js';
import { COMMON_PARAMETERS } from '#api/shared/openapi/common-parameters.js';
import { type Parameters, parameter } from '#api/shared/openapi/described.js';
import type { ServiceDescription } from '#api/shared/routes/describe.js';
import { component } from '#domain/shared/shape.js';

const OBJECT_ID = '6b0151fdda8ce56225000012';

const ACCOUNTING_PARAMETERS: Parameters = {
  ...COMMON_PARAMETERS,
  'path id': parameter('text', 'id of the record', OBJECT_ID),
  'path key': parameter('text', 'key of the setting', 'ENTITLEMENTS_MANAGEMENT'),
  'path actorId': parameter('text', 'id of the client, as `/admin/actors` shows it', 'cc3304f8c956a9b68e85b660'),
  'path project_id': parameter('text', 'id of the project', 'grid'),
  'path provider_id': parameter('text', 'id of the provider', 'site-a'),
  'path installation_id': parameter('text', 'id of the installation', OBJECT_ID),
  'path capacity_id': parameter('text', 'id of the capacity', '6b01511ab345fbdd0e000003'),
  'path group_id': parameter('text', '`group_id` of metrics', 'physics'),
  'path user_id': parameter('text', '`user_id` of metrics', 'ada'),
};

const ERROR = component('AccountingError', { code: 'integer', message: 'text' }, 'accounting contract 2.1');

const TOO_LARGE = new errors.AccountingError(413, 'The request body is too large.');
const TOO_SLOW = new errors.AccountingError(408, 'The request body took too long to arrive.');

const ALL = answersOf(ERROR, [
  errors.malformed(),
  errors.unauthorized(),
  errors.forbidden(),
  errors.notAcceptable(),
  TOO_SLOW,
  errors.asOfRefused(new AsOfRefused('lost', 'the read models cannot show this position any more')),
  TOO_LARGE,
  errors.unsupportedMediaType(),
  errors.keyReused(),
  errors.internal(),
  errors.unavailable(),
]);

const ID = '507f1f77bcf86cd799439011';

const MISSING = [
  ['{project_id}', errors.projectNotFound],
  ['/projects/{id}', errors.projectNotFound],
  ['{provider_id}', errors.providerNotFound],
  ['/providers/external', errors.externalProviderNotFound],
  ['/provider/external', errors.externalProviderNotFound],
  ['/providers/report/external', errors.externalProviderNotReported],
  ['{installation_id}', errors.installationNotFound],
  ['/installations/external', errors.externalInstallationNotFound],
  ['{capacity_id}', errors.capacityNotFound],
  ['{metric_id}', errors.metricNotFound],
  ['/metric-definitions/{id}', errors.definitionNotFound],
  ['/unit-types/{id}', errors.unitTypeNotFound],
  ['/metric-types/{id}', errors.metricTypeNotFound],
  ['/resources/{id}', errors.resourceNotFound],
  ['/entitlements/{id}', errors.entitlementNotFound],
  ['{actorId}', errors.actorNotFound],
  ['/oidc-tenants/{id}', errors.oidcTenantNotFound],
  ['/settings/{key}', errors.unknownSetting],
] as const;

/** By query parameters. */
const OF_QUERY = {
  page: [errors.badPage(), errors.badSize(100)],
  externalId: [errors.missing('externalId')],
  externalProviderId: [errors.missing('externalProviderId')],
};

/** `/accounting-system` (accounting contract). */
export const ACCOUNTING: ServiceDescription = {
  name: 'Accounting',
  owns: (path) => path.startsWith('/accounting-system/') || path === '/ams_verification_hash',
  parameters: ACCOUNTING_PARAMETERS,
  errors: ({ method, path, isKeyed, hasBody, isRepeatable }) =>
    pick(
      ALL,
      400,
      ...(isKeyed ? [401, 403] : []),
      406,
      ...(hasBody ? [408, 413, 415] : []),
      ...(method === 'get' || path.endsWith('/search') ? [410] : []),
      ...(isRepeatable ? [422] : []),
      500,
      503,
    ),
  error: ERROR,
  refusals: (path, query) => [
    ...MISSING.flatMap(([part, missing]) => (path.includes(part) ? [missing(ID)] : [])),
    ...Object.entries(OF_QUERY).flatMap(([name, refused]) => (query.has(name) ? refused : [])),
  ],
};
