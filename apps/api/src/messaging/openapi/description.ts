import * as errors from '#api/messaging/errors.js';
import { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import { answersOf, pick } from '#api/shared/openapi/answers-of-errors.js';
import type { ServiceDescription } from '#api/shared/routes/describe.js';
import { ERROR } from './error.js';
import { MESSAGING_PARAMETERS } from './parameters.js';

const GONE = errors.asOfRefused(new AsOfRefused('lost', 'the read models cannot show this position any more'));

const ALL = answersOf(ERROR, [
  errors.invalidBody(),
  errors.unauthorized(),
  errors.forbidden(),
  errors.bodyTooSlow(),
  errors.messageTooLarge(),
  errors.idempotencyKeyReused(),
  GONE,
  errors.internalError(),
  errors.notReady(),
]);

const MISSING = [
  ['{project}', errors.projectNotFound],
  ['{topic}', errors.topicNotFound],
  ['{subscription}', errors.subscriptionNotFound],
  ['{schema}', errors.schemaNotFound],
  ['/users/{user}', errors.userNotFound],
  ['/members/{user}', errors.userNotFound],
  ['/users:', errors.userNotFound],
  ['/registrations/{uuid}', errors.registrationNotFound],
] as const;

/** `/v1` (messaging contract). */
export const MESSAGING: ServiceDescription = {
  name: 'Messaging',
  owns: (path) => path.startsWith('/v1/'),
  parameters: MESSAGING_PARAMETERS,
  errors: ({ method, isKeyed, hasBody, isRepeatable }) =>
    pick(
      ALL,
      400,
      ...(isKeyed ? [401, 403] : []),
      ...(hasBody ? [408, 413] : []),
      ...(method === 'get' ? [410] : []),
      ...(isRepeatable ? [422] : []),
      500,
      503,
    ),
  error: ERROR,
  refusals: (path, query) => [
    ...MISSING.flatMap(([part, missing]) => (path.includes(part) ? [missing()] : [])),
    ...(query.has('pageSize') ? [errors.invalidPageSize(), errors.invalidPageToken()] : []),
  ],
};
