import { SET_ASIDE } from '#api/shared/http/failures.js';
import { j3 } from '#projections/messaging/layout.js';

/** An answer other than success, in the shape of messaging contract 2.1. */
export class MessagingError extends Error {
  override readonly name = 'MessagingError';
  /** `status` is the word of the body, `statusCode` that of HTTP. */
  constructor(
    readonly statusCode: number,
    message: string,
    readonly status: string,
  ) {
    super(message);
  }

  get body(): string {
    return j3({ error: { code: this.statusCode, message: this.message, status: this.status } });
  }
}

const badRequest = (message: string) => new MessagingError(400, message, 'BAD_REQUEST');
const invalid = (message: string) => new MessagingError(400, message, 'INVALID_ARGUMENT');
const notFound = (message: string) => new MessagingError(404, message, 'NOT_FOUND');
const exists = (message: string) => new MessagingError(409, message, 'ALREADY_EXISTS');
const conflict = (message: string) => new MessagingError(409, message, 'CONFLICT');
const internal = (message: string) => new MessagingError(500, message, 'INTERNAL_SERVER_ERROR');

// The catalogue of messaging contract 2.2, in its order and by its ids. `i` is the position of a message in the request.

/** B01 */
export const invalidBody = () => badRequest('Invalid Request Body');
/** B02: a path variable, or a name inside of a body. */
export const invalidName = (variable: string) => invalid(`Invalid ${variable} name`);
/** B03 */
export const invalidTopicReference = () => invalid('Invalid Topic name');
/** B04 */
export const invalidProjectArguments = () => invalid('Invalid Project Arguments');
/** B05 */
export const invalidUserArguments = () => invalid('Invalid User Arguments');
/** B06 */
export const invalidSubscriptionArguments = () => invalid('Invalid Subscription Arguments');
/** B07 */
export const invalidTopicAcl = () => invalid('Invalid Topic ACL Arguments');
/** B08 */
export const invalidSubscriptionAcl = () => invalid('Invalid Subscription ACL Arguments');
/** B09 */
export const invalidOffset = () => invalid('Invalid Offset Arguments');
/** B10 */
export const offsetOutOfBounds = () => invalid('Offset out of bounds');
/** B11 */
export const invalidTime = () => invalid('Time is not in valid Zulu format.');
/** B12 */
export const invalidAckDeadline = () => invalid('Invalid ackDeadlineSeconds(needs value between 0 and 600) Arguments');
/** B13 */
export const invalidAckParameter = () => invalid('Invalid ack parameter');
/** B14 */
export const invalidAckId = () => invalid('Invalid ack id');
/** B15 */
export const invalidPullParameters = () => invalid('Invalid Pull Parameters Arguments');
/** B16 */
export const invalidMessage = () => invalid('Invalid Message Arguments');
/** B17 */
export const invalidSchemaArguments = () => invalid('Invalid Schema Arguments');
/** B18 */
export const invalidSchemaPayload = () => invalid('Invalid Schema Payload Arguments');
/** B19 */
export const invalidSchemaType = () => invalid("Schema type can only be 'json' or 'avro'");
/** B20: the text of the schema compiler. */
export const schemaNotCompiled = (text: string) => invalid(text);
/** B21 */
export const wrongSchemaName = () => invalid('wrong schema name declaration');
/** B22; the misspelling is on the wire. */
export const messageNotBase64 = (i: number, detail: string) => invalid(`Message ${i} is not in valid base64 enocding,${detail}`);
/** B23 */
export const messageNotJson = (i: number, detail: string) => invalid(`Message ${i} data is not valid JSON format,${detail}`);
/** B24: at least one violation. */
export const messageViolatesSchema = (i: number, violations: readonly string[]) =>
  invalid(
    violations.length === 1
      ? `Message ${i} data is not valid,${violations[0]}`
      : `Message ${i} data is not valid.${violations.map((violation, index) => `${index + 1})${violation}.`).join('')}`,
  );
/** B25 */
export const messageNotValid = (i: number, detail: string) => invalid(`Message ${i} is not valid.${detail}`);
/** B26 */
export const invalidPageSize = () => invalid('Invalid page size');
/** B27 */
export const invalidPageToken = () => invalid('Invalid page token');
/** B28 */
export const invalidStartDate = () => invalid('Start date is not in valid format');
/** B28 */
export const invalidEndDate = () => invalid('End date is not in valid format');
/** B28 */
export const startAfterEnd = () => invalid('Start date cannot be after the end date');
/** B29 */
export const duplicateProject = (name: string) => invalid(`duplicate reference of project ${name}`);
/** B30 */
export const invalidProject = (name: string) => invalid(`invalid project: ${name}`);
/** B31 */
export const invalidRole = (role: string) => invalid(`invalid role: ${role}`);
/** B32 */
export const projectNameTaken = () => invalid('invalid project name change, name already exists');
/** B33 */
export const userNameTaken = () => invalid('invalid user name change, name already exists');
/** B34 */
export const invalidPushEndpoint = () => invalid('Push endpoint should be addressed by a valid https url');
/** B35 */
export const invalidPushType = () => invalid("Push configuration type can only be of 'http_endpoint' or 'mattermost'");
/** B36 */
export const invalidRetryPolicy = () => invalid("Retry policy can only be of 'linear' or 'slowstart' type");
/** B37 */
export const invalidAuthorizationHeader = () => invalid("Authorization header type can only be of 'autogen' or 'disabled' type");
/** B38 */
export const mattermostUrlMissing = () => invalid('Field mattermostUrl cannot be empty');

/** U01 */
export const unauthorized = () => new MessagingError(401, 'Unauthorized', 'UNAUTHORIZED');
/** U02 */
export const verificationFailed = (reason: string) => new MessagingError(401, `Endpoint verification failed.${reason}`, 'UNAUTHORIZED');
/** F01 */
export const forbidden = () => new MessagingError(403, 'Access to this resource is forbidden', 'FORBIDDEN');
/** F02 */
export const notAMember = () =>
  new MessagingError(403, 'Access to this resource is forbidden. User is not a member of the project', 'FORBIDDEN');
/** N01 */
export const projectNotFound = () => notFound("project doesn't exist");
/** N02 */
export const projectUuidNotFound = () => notFound("ProjectUUID doesn't exist");
/** N03 */
export const topicNotFound = () => notFound("Topic doesn't exist");
/** N04 */
export const subscriptionNotFound = () => notFound("Subscription doesn't exist");
/** N05 */
export const schemaNotFound = () => notFound("Schema doesn't exist");
/** N06 */
export const userNotFound = () => notFound("User doesn't exist");
/** N07 */
export const registrationNotFound = () => notFound("User registration doesn't exist");
/** N08: the names that no member has, in the order of the request. */
export const usersNotFound = (names: readonly string[]) => notFound(`User(s): ${names.join(', ')} do not exist`);
/** N09 */
export const namedProjectNotFound = (name: string) => notFound(`Project ${name} doesn't exist`);
/** T01 */
export const ackTimeout = () => new MessagingError(408, 'ack timeout', 'TIMEOUT');
/** C01 */
export const projectExists = () => exists('Project already exists');
/** C02 */
export const topicExists = () => exists('Topic already exists');
/** C03 */
export const subscriptionExists = () => exists('Subscription already exists');
/** C04 */
export const schemaExists = () => exists('Schema already exists');
/** C05 */
export const userExists = () => exists('User already exists');
/** C06 */
export const topicOfSubscriptionGone = () => conflict("Subscription's topic doesn't exist");
/** C07 */
export const pushDisabled = () => conflict('Push functionality is currently disabled');
/** C08 */
export const notInPushMode = () => conflict('Subscription is not in http push mode');
/** C09 */
export const alreadyVerified = () => conflict('Push endpoint is already verified');
/** C10 */
export const timestampOutOfBounds = () => conflict("Timestamp is out of bounds for the subscription's topic/partition");
/** C11 */
export const alreadyAMember = () => conflict('User is already a member of the project');
/** L01 */
export const messageTooLarge = () => new MessagingError(413, 'Message size is too large', 'INVALID_ARGUMENT');

/** What is known of users and projects is incomplete: read models are being built. The original has no such state. */
export const notReady = () => new MessagingError(503, 'The service cannot process the request now, try again later', 'UNAVAILABLE');
/** The project or user is set aside. The original has no such state. */
export const setAside = () => new MessagingError(503, SET_ASIDE, 'UNAVAILABLE');
/** I01, as a conflict (design 8, O1). */
export const noAckPending = () => conflict('no ack pending');
/** I02, as a conflict (design 8, O1). */
export const wrongAck = () => conflict('wrong ack');
/** I03 */
export const acknowledgementFailed = () => internal('Error handling acknowledgement');
/** I04 */
export const backendError = () => internal('Backend Error');
/** I05 */
export const datastoreError = () => internal('Internal error while querying datastore');
/** I06 */
export const exportError = () => internal('Error exporting data to JSON');
/** I07 */
export const pushUnavailable = () => internal('Push functionality is currently unavailable');
/** I08 */
export const schemaNotLoaded = () => internal('Could not load schema for topic');
/** I09 */
export const messageCorrupt = () => internal('Message retrieved from broker network has invalid JSON Structure');
/** I10 */
export const severalUsers = () => internal('Multiple users found with the same uuid');
/** I11: what went wrong inside is in the log, under the request id. */
export const internalError = () => internal('Internal Error');

// What the contract leaves to the router, in the same shape (its recommendation in 0.2).

export const unknownPath = () => notFound('404 page not found');
export const wrongMethod = () => new MessagingError(405, '405 method not allowed', 'METHOD_NOT_ALLOWED');
export const malformedRequest = () => badRequest('The request is not well-formed HTTP');
/** More than the service takes (docs/limits.md), where the contract has no error of its own. */
export const limitExceeded = (message: string) => invalid(message);
/** The same `Idempotency-Key` came with another body. */
export const idempotencyKeyReused = () =>
  new MessagingError(422, 'The Idempotency-Key was used before with another request body', 'INVALID_ARGUMENT');
/** The body did not come in time. */
export const bodyTooSlow = () => new MessagingError(408, 'The request body took too long to arrive', 'TIMEOUT');
