import type { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import { SET_ASIDE } from '#api/shared/http/failures.js';
import type { RoleElsewhere } from '#api/shared/http/role-elsewhere.js';
import { j3, j4 } from '#projections/messaging/layout.js';

/** An error answer in the shape of messaging contract 2.1. */
export class MessagingError extends Error {
  override readonly name = 'MessagingError';
  /** `statusCode`: HTTP status; `status`: its word in the body. */
  constructor(
    readonly statusCode: number,
    message: string,
    readonly status: string,
    /** The affected items, if one call names several. */
    readonly details?: readonly string[],
  ) {
    super(message);
  }

  get body(): string {
    const { statusCode: code, message, status, details } = this;
    return j3({ error: { code, message, status, ...(details && { details }) } });
  }
}

class ComponentNotConfigured extends MessagingError {
  override get body(): string {
    return j4({ status: { message: this.message, code: `${this.statusCode}` } });
  }
}

const badRequest = (message: string) => new MessagingError(400, message, 'BAD_REQUEST');
const invalid = (message: string) => new MessagingError(400, message, 'INVALID_ARGUMENT');
const notFound = (message: string) => new MessagingError(404, message, 'NOT_FOUND');
const exists = (message: string) => new MessagingError(409, message, 'ALREADY_EXISTS');
const conflict = (message: string) => new MessagingError(409, message, 'CONFLICT');
const internal = (message: string) => new MessagingError(500, message, 'INTERNAL_SERVER_ERROR');

// The catalogue of messaging contract 2.2, in its order and by its ids. `i` is the position of a message in the request.

/** B01: the body cannot be read, or is malformed. */
export const invalidBody = () => badRequest('Invalid Request Body');
/** B02: a path variable or a name in a body. */
export const invalidName = (variable: string) => invalid(`Invalid ${variable} name`);
/** B03: a new subscription refers to no topic of the project. */
export const invalidTopicReference = () => invalid('Invalid Topic name');
/** B04: a malformed body of a new project. */
export const invalidProjectArguments = () => invalid('Invalid Project Arguments');
/** B05: a malformed body about a user, a member or a registration. */
export const invalidUserArguments = () => invalid('Invalid User Arguments');
/** B06: a malformed body about a subscription or its push settings. */
export const invalidSubscriptionArguments = () => invalid('Invalid Subscription Arguments');
/** B07: a malformed ACL of a topic. */
export const invalidTopicAcl = () => invalid('Invalid Topic ACL Arguments');
/** B08: a malformed ACL of a subscription. */
export const invalidSubscriptionAcl = () => invalid('Invalid Subscription ACL Arguments');
/** B09: a malformed offset to move to. */
export const invalidOffset = () => invalid('Invalid Offset Arguments');
/** B10: an offset outside of the log. */
export const offsetOutOfBounds = () => invalid('Offset out of bounds');
/** B11: a time in another form. */
export const invalidTime = () => invalid('Time is not in valid Zulu format.');
/** B12: a malformed deadline, or one out of range. */
export const invalidAckDeadline = () => invalid('Invalid ackDeadlineSeconds(needs value between 0 and 600) Arguments');
/** B13: a malformed acknowledgement. */
export const invalidAckParameter = () => invalid('Invalid ack parameter');
/** B14: no ids to acknowledge, or one that is not of this subscription. */
export const invalidAckId = () => invalid('Invalid ack id');
/** B15: a malformed pull. */
export const invalidPullParameters = () => invalid('Invalid Pull Parameters Arguments');
/** B16: a malformed publish call, or an empty message. */
export const invalidMessage = () => invalid('Invalid Message Arguments');
/** B17: a malformed body about a schema. */
export const invalidSchemaArguments = () => invalid('Invalid Schema Arguments');
/** B18: no data to validate. */
export const invalidSchemaPayload = () => invalid('Invalid Schema Payload Arguments');
/** B19: a schema of another type. */
export const invalidSchemaType = () => invalid("Schema type can only be 'json' or 'avro'");
/** B20: the text of the schema compiler. */
export const schemaNotCompiled = (text: string) => invalid(text);
/** B21: a reference that names no schema of the project. */
export const wrongSchemaName = () => invalid('wrong schema name declaration');
/** B22; the misspelling is on the wire. */
export const messageNotBase64 = (i: number, detail: string) => invalid(`Message ${i} is not in valid base64 enocding,${detail}`);
/** B23: data that is not JSON. */
export const messageNotJson = (i: number, detail: string) => invalid(`Message ${i} data is not valid JSON format,${detail}`);
/** B24: at least one violation. */
export const messageViolatesSchema = (i: number, violations: readonly string[]) =>
  invalid(
    violations.length === 1
      ? `Message ${i} data is not valid,${violations[0]}`
      : `Message ${i} data is not valid.${violations.map((violation, index) => `${index + 1})${violation}.`).join('')}`,
  );
/** B25: data that does not match the schema. */
export const messageNotValid = (i: number, detail: string) => invalid(`Message ${i} is not valid.${detail}`);
/** B26: a malformed size of a page. */
export const invalidPageSize = () => invalid('Invalid page size');
/** B27: a malformed token of a page. */
export const invalidPageToken = () => invalid('Invalid page token');
/** B28: a malformed first day of a window. */
export const invalidStartDate = () => invalid('Start date is not in valid format');
/** B28: a malformed last day of a window. */
export const invalidEndDate = () => invalid('End date is not in valid format');
/** B28: a window that ends before it begins. */
export const startAfterEnd = () => invalid('Start date cannot be after the end date');
/** B29: a body names a project twice. */
export const duplicateProject = (name: string) => invalid(`duplicate reference of project ${name}`);
/** B30: a body names an unknown project. */
export const invalidProject = (name: string) => invalid(`invalid project: ${name}`);
/** B31: an unknown role. */
export const invalidRole = (role: string) => invalid(`invalid role: ${role}`);
/** B32: another project has the new name. */
export const projectNameTaken = () => invalid('invalid project name change, name already exists');
/** B33: another user has the new name. */
export const userNameTaken = () => invalid('invalid user name change, name already exists');
/** B34: a push endpoint that is no https URL. */
export const invalidPushEndpoint = () => invalid('Push endpoint should be addressed by a valid https url');
/** B35: an unknown type of push settings. */
export const invalidPushType = () => invalid("Push configuration type can only be of 'http_endpoint' or 'mattermost'");
/** B36: an unknown retry policy. */
export const invalidRetryPolicy = () => invalid("Retry policy can only be of 'linear' or 'slowstart' type");
/** B37: an unknown type of authorization header. */
export const invalidAuthorizationHeader = () => invalid("Authorization header type can only be of 'autogen' or 'disabled' type");
/** B38: mattermost settings without a URL. */
export const mattermostUrlMissing = () => invalid('Field mattermostUrl cannot be empty');
/** B39: an invalid filter; `at`: position of the error in characters, from 1. */
export const invalidFilter = (at: number, problem: string) => invalid(`Invalid filter: ${problem}, at character ${at}`);

/** U01: no key, or nobody holds it. */
export const unauthorized = () => new MessagingError(401, 'Unauthorized', 'UNAUTHORIZED');
/** U02: an endpoint failed its verification; `reason` in words. */
export const verificationFailed = (reason: string) => new MessagingError(401, `Endpoint verification failed.${reason}`, 'UNAUTHORIZED');
/** U03: a token is requested without a client certificate. */
export const noClientCertificate = () =>
  new MessagingError(401, 'No client certificate: the port for certificates takes this call, with one', 'UNAUTHORIZED');
/** U04: the client certificate was refused; `reason` in words. */
export const clientCertificateRefused = (reason: string) =>
  new MessagingError(401, `The client certificate is refused: ${reason}`, 'UNAUTHORIZED');
/** F01: the role or the ACL does not allow it. */
export const forbidden = () => new MessagingError(403, 'Access to this resource is forbidden', 'FORBIDDEN');
/** F02: the user is not a member of the project. */
export const notAMember = () =>
  new MessagingError(403, 'Access to this resource is forbidden. User is not a member of the project', 'FORBIDDEN');
/** N01: the project of the path does not exist. */
export const projectNotFound = () => notFound("project doesn't exist");
/** N02: the project that a list of users is filtered by does not exist. */
export const projectUuidNotFound = () => notFound("ProjectUUID doesn't exist");
/** N03: the topic does not exist. */
export const topicNotFound = () => notFound("Topic doesn't exist");
/** N04: the subscription does not exist. */
export const subscriptionNotFound = () => notFound("Subscription doesn't exist");
/** N05: the schema does not exist. */
export const schemaNotFound = () => notFound("Schema doesn't exist");
/** N06: the user does not exist. */
export const userNotFound = () => notFound("User doesn't exist");
/** N07: the registration does not exist, or is not pending. */
export const registrationNotFound = () => notFound("User registration doesn't exist");
/** N08: the names without a member, in the order of the request. */
export const usersNotFound = (names: readonly string[]) => notFound(`User(s): ${names.join(', ')} do not exist`);
/** N09: a project of a report does not exist. */
export const namedProjectNotFound = (name: string) => notFound(`Project ${name} doesn't exist`);
/** N10: no user is the account of the component. The answer has its own shape (messaging contract 3.11). */
export const componentNotConfigured = (component: string, project: string) =>
  new ComponentNotConfigured(404, `Component ${component} not configured for project ${project}`, 'NOT_FOUND');
/** N11: no user is bound to the certificate, or the user is gone or not a member of the project any more. */
export const certificateNotBound = (subject: string) => notFound(`No user is bound to the certificate ${subject}`);
/** T01: the deadline of the batch has passed. */
export const ackTimeout = () => new MessagingError(408, 'ack timeout', 'TIMEOUT');
/** C01: the name of a new project is taken. */
export const projectExists = () => exists('Project already exists');
/** C02: the name of a new topic is taken. */
export const topicExists = () => exists('Topic already exists');
/** C03: the name of a new subscription is taken. */
export const subscriptionExists = () => exists('Subscription already exists');
/** C04: the name of a schema is taken. */
export const schemaExists = () => exists('Schema already exists');
/** C05: the name of a new user is taken. */
export const userExists = () => exists('User already exists');
/** C06: a pull without a topic to read from. */
export const topicOfSubscriptionGone = () => conflict("Subscription's topic doesn't exist");
/** C07: no node has ever pushed. */
export const pushDisabled = () => conflict('Push functionality is currently disabled');
/** C08: only HTTP endpoints can be verified. */
export const notInPushMode = () => conflict('Subscription is not in http push mode');
/** C09: the endpoint is already verified. */
export const alreadyVerified = () => conflict('Push endpoint is already verified');
/** C10: no message is as new as the timestamp. */
export const timestampOutOfBounds = () => conflict("Timestamp is out of bounds for the subscription's topic/partition");
/** C11: the user has a membership already. */
export const alreadyAMember = () => conflict('User is already a member of the project');
/** C12: another user is the account of the component. */
export const componentTaken = (component: string, project: string) =>
  exists(`A user registered for component '${component}' in project '${project}' already exists`);
/** C13: a repeated call, and the token of the first one is not stored. The original has no such calls. */
export const tokenNotKept = () => conflict('The token was shown by the first answer to this call, and is not kept');
/** L01 for a call of too many messages, a bound of Logbook. */
export const tooManyMessages = (most: number) =>
  new MessagingError(413, `A publish call has at most ${most.toLocaleString('en-US')} messages`, 'INVALID_ARGUMENT');

/** L01: a message, or a publish call, is too large. */
export const messageTooLarge = () => new MessagingError(413, 'Message size is too large', 'INVALID_ARGUMENT');

/** A quota of the project is exceeded; the original has none. */
export const quotaExceeded = (message: string) => new MessagingError(429, message, 'RESOURCE_EXHAUSTED');

/** Errors of requests with push settings. */
export const ofPushSettings = (): readonly MessagingError[] => [
  pushDisabled(),
  pushUnavailable(),
  invalidPushEndpoint(),
  invalidPushType(),
  invalidRetryPolicy(),
  invalidAuthorizationHeader(),
  mattermostUrlMissing(),
];

/** A read as of the past is refused. The original has no such reads. */
export const asOfRefused = ({ statusCode, message, obstacle }: AsOfRefused): MessagingError => {
  switch (obstacle) {
    case 'malformed':
      return invalid(message);
    case 'key':
      return forbidden();
    case 'lost':
      return new MessagingError(statusCode, message, 'GONE');
    case 'late':
    case 'unavailable':
      return new MessagingError(statusCode, message, 'UNAVAILABLE');
  }
};
/** Another node answers the request. The original has no node roles. */
export const roleElsewhere = ({ statusCode, message }: RoleElsewhere) => new MessagingError(statusCode, message, 'UNAVAILABLE');
/** The read models are incomplete or unavailable. The original has no such state. @param why continuation of the text */
export const notReady = (why = '') =>
  new MessagingError(503, `The service cannot process the request now, try again later${why}`, 'UNAVAILABLE');
/** The project or user is set aside. The original has no such state. */
export const setAside = () => new MessagingError(503, SET_ASIDE, 'UNAVAILABLE');
/** I01, as a conflict (design 8, O1). */
export const noAckPending = () => conflict('no ack pending');
/** I02, as a conflict (design 8, O1). */
export const wrongAck = () => conflict('wrong ack');
/** I02 of deliveries, named by their ids, whose lease has ended. */
export const wrongAcks = (ackIds: readonly string[]) => new MessagingError(409, 'wrong ack', 'CONFLICT', ackIds);
/** I04: the topic of the subscription is gone. */
export const backendError = () => internal('Backend Error');
/** I07: the nodes that pushed have gone. */
export const pushUnavailable = () => internal('Push functionality is currently unavailable');
/** I08: the stored schema does not compile any more. */
export const schemaNotLoaded = () => internal('Could not load schema for topic');
/** I11: an internal error; the log has the cause under the request id. */
export const internalError = () => internal('Internal Error');

// Conditions of every route (messaging contract 0.2, 2.2).

export const unknownPath = () => notFound('404 page not found');
export const wrongMethod = () => new MessagingError(405, '405 method not allowed', 'METHOD_NOT_ALLOWED');
export const malformedRequest = () => badRequest('The request is not well-formed HTTP');
/** A limit of docs/limits.md is exceeded for which the contract has no error. */
export const limitExceeded = (message: string) => invalid(message);
/** An `Idempotency-Key` was reused with another body. */
export const idempotencyKeyReused = () =>
  new MessagingError(422, 'The Idempotency-Key was used before with another request body', 'INVALID_ARGUMENT');
/** The body did not arrive in time. */
export const bodyTooSlow = () => new MessagingError(408, 'The request body took too long to arrive', 'TIMEOUT');
