import type { DomainError } from '#domain/shared/decider.js';
import * as errors from './errors.js';

type Details = DomainError['details'];

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A limit in words, as in docs/limits.md. */
const amount = ({ value, unit }: Details): string => `${Number(value).toLocaleString('en-US')} ${text(unit)}`;

/** Errors of the contract by the code of the domain rule. */
const HTTP_ERRORS: Readonly<Record<string, (details: Details) => errors.MessagingError>> = {
  PROJECT_EXISTS: errors.projectExists,
  PROJECT_NOT_FOUND: errors.projectNotFound,
  PROJECT_NAME_TAKEN: errors.projectNameTaken,
  USER_EXISTS: errors.userExists,
  USER_NOT_FOUND: errors.userNotFound,
  USER_NAME_TAKEN: errors.userNameTaken,
  PROJECT_REPEATED: ({ project }) => errors.duplicateProject(text(project)),
  PROJECT_UNKNOWN: ({ project }) => errors.invalidProject(text(project)),
  ROLE_UNKNOWN: ({ role }) => errors.invalidRole(text(role)),
  NOT_A_MEMBER: errors.notAMember,
  ALREADY_A_MEMBER: errors.alreadyAMember,
  REGISTRATION_NOT_FOUND: errors.registrationNotFound,
  COMPONENT_TAKEN: ({ component, componentProject }) => errors.componentTaken(text(component), text(componentProject)),
  COMPONENT_NOT_CONFIGURED: ({ component, componentProject }) => errors.componentNotConfigured(text(component), text(componentProject)),
  COMPONENT_BEYOND_PROJECT: errors.forbidden,
  TOPIC_NOT_FOUND: errors.topicNotFound,
  SUBSCRIPTION_NOT_FOUND: errors.subscriptionNotFound,
  SCHEMA_NOT_FOUND: errors.schemaNotFound,
  TOPIC_EXISTS: errors.topicExists,
  SUBSCRIPTION_EXISTS: errors.subscriptionExists,
  SCHEMA_EXISTS: errors.schemaExists,
  PUSH_ENDPOINT_INVALID: errors.invalidPushEndpoint,
  PUSH_TYPE_INVALID: errors.invalidPushType,
  PUSH_RETRY_POLICY_INVALID: errors.invalidRetryPolicy,
  PUSH_AUTHORIZATION_INVALID: errors.invalidAuthorizationHeader,
  PUSH_MATTERMOST_URL_MISSING: errors.mattermostUrlMissing,
  NOT_IN_HTTP_PUSH_MODE: errors.notInPushMode,
  PUSH_ENDPOINT_VERIFIED: errors.alreadyVerified,
  NO_ACK_PENDING: errors.noAckPending,
  WRONG_ACK: errors.wrongAck,
  ACK_TIMEOUT: errors.ackTimeout,
  OFFSET_OUT_OF_BOUNDS: errors.offsetOutOfBounds,
  NOT_SERVED: () => errors.notReady(),
  TOPIC_REPLACED: () => errors.notReady(),
  PROJECT_FULL: (limit) => errors.limitExceeded(`A project has at most ${amount(limit)}`),
  ACL_TOO_LARGE: (limit) => errors.limitExceeded(`An ACL has at most ${amount(limit)}`),
  SCHEMA_TOO_LARGE: (limit) => errors.schemaNotCompiled(`schema is shown with more than ${amount(limit)}`),
  FILTER_INVALID: ({ at, problem }) => errors.invalidFilter(Number(at), text(problem)),
  PUSH_TEXT_TOO_LONG: errors.invalidSubscriptionArguments,
  VERIFICATION_HASH_WRONG: () => errors.verificationFailed('Wrong verification hash'),
};

/** `undefined` if the code is not one of this service. */
export const toHttpError = ({ code, details }: DomainError): errors.MessagingError | undefined => HTTP_ERRORS[code]?.(details);
