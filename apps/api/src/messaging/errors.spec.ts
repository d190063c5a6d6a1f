import { describe, expect, it } from '@jest/globals';
import * as errors from './errors.js';
import { isName, wrongVariables } from './names.js';

/** The catalogue of messaging contract 2.2: id, error, text. Code and status word follow from the id. */
const CATALOGUE: readonly (readonly [id: string, error: errors.MessagingError, message: string])[] = [
  ['B01', errors.invalidBody(), 'Invalid Request Body'],
  ['B02', errors.invalidName('topic'), 'Invalid topic name'],
  ['B03', errors.invalidTopicReference(), 'Invalid Topic name'],
  ['B04', errors.invalidProjectArguments(), 'Invalid Project Arguments'],
  ['B05', errors.invalidUserArguments(), 'Invalid User Arguments'],
  ['B06', errors.invalidSubscriptionArguments(), 'Invalid Subscription Arguments'],
  ['B07', errors.invalidTopicAcl(), 'Invalid Topic ACL Arguments'],
  ['B08', errors.invalidSubscriptionAcl(), 'Invalid Subscription ACL Arguments'],
  ['B09', errors.invalidOffset(), 'Invalid Offset Arguments'],
  ['B10', errors.offsetOutOfBounds(), 'Offset out of bounds'],
  ['B11', errors.invalidTime(), 'Time is not in valid Zulu format.'],
  ['B12', errors.invalidAckDeadline(), 'Invalid ackDeadlineSeconds(needs value between 0 and 600) Arguments'],
  ['B13', errors.invalidAckParameter(), 'Invalid ack parameter'],
  ['B14', errors.invalidAckId(), 'Invalid ack id'],
  ['B15', errors.invalidPullParameters(), 'Invalid Pull Parameters Arguments'],
  ['B16', errors.invalidMessage(), 'Invalid Message Arguments'],
  ['B17', errors.invalidSchemaArguments(), 'Invalid Schema Arguments'],
  ['B18', errors.invalidSchemaPayload(), 'Invalid Schema Payload Arguments'],
  ['B19', errors.invalidSchemaType(), "Schema type can only be 'json' or 'avro'"],
  ['B20', errors.schemaNotCompiled('schema is invalid'), 'schema is invalid'],
  ['B21', errors.wrongSchemaName(), 'wrong schema name declaration'],
  ['B22', errors.messageNotBase64(3, 'illegal'), 'Message 3 is not in valid base64 enocding,illegal'],
  ['B23', errors.messageNotJson(0, 'EOF'), 'Message 0 data is not valid JSON format,EOF'],
  ['B24', errors.messageViolatesSchema(0, ['(root): site is required']), 'Message 0 data is not valid,(root): site is required'],
  ['B24', errors.messageViolatesSchema(1, ['a: x', 'b: y']), 'Message 1 data is not valid.1)a: x.2)b: y.'],
  ['B25', errors.messageNotValid(0, 'short buffer'), 'Message 0 is not valid.short buffer'],
  ['B26', errors.invalidPageSize(), 'Invalid page size'],
  ['B27', errors.invalidPageToken(), 'Invalid page token'],
  ['B28', errors.invalidStartDate(), 'Start date is not in valid format'],
  ['B28', errors.invalidEndDate(), 'End date is not in valid format'],
  ['B28', errors.startAfterEnd(), 'Start date cannot be after the end date'],
  ['B29', errors.duplicateProject('p'), 'duplicate reference of project p'],
  ['B30', errors.invalidProject('p'), 'invalid project: p'],
  ['B31', errors.invalidRole('r'), 'invalid role: r'],
  ['B32', errors.projectNameTaken(), 'invalid project name change, name already exists'],
  ['B33', errors.userNameTaken(), 'invalid user name change, name already exists'],
  ['B34', errors.invalidPushEndpoint(), 'Push endpoint should be addressed by a valid https url'],
  ['B35', errors.invalidPushType(), "Push configuration type can only be of 'http_endpoint' or 'mattermost'"],
  ['B36', errors.invalidRetryPolicy(), "Retry policy can only be of 'linear' or 'slowstart' type"],
  ['B37', errors.invalidAuthorizationHeader(), "Authorization header type can only be of 'autogen' or 'disabled' type"],
  ['B38', errors.mattermostUrlMissing(), 'Field mattermostUrl cannot be empty'],
  ['B39', errors.invalidFilter(3, 'a key is expected, not `(`'), 'Invalid filter: a key is expected, not `(`, at character 3'],
  ['U01', errors.unauthorized(), 'Unauthorized'],
  ['U02', errors.verificationFailed('Wrong verification hash'), 'Endpoint verification failed.Wrong verification hash'],
  ['F01', errors.forbidden(), 'Access to this resource is forbidden'],
  ['F02', errors.notAMember(), 'Access to this resource is forbidden. User is not a member of the project'],
  ['N01', errors.projectNotFound(), "project doesn't exist"],
  ['N02', errors.projectUuidNotFound(), "ProjectUUID doesn't exist"],
  ['N03', errors.topicNotFound(), "Topic doesn't exist"],
  ['N04', errors.subscriptionNotFound(), "Subscription doesn't exist"],
  ['N05', errors.schemaNotFound(), "Schema doesn't exist"],
  ['N06', errors.userNotFound(), "User doesn't exist"],
  ['N07', errors.registrationNotFound(), "User registration doesn't exist"],
  ['N08', errors.usersNotFound(['a', 'b']), 'User(s): a, b do not exist'],
  ['N09', errors.namedProjectNotFound('p'), "Project p doesn't exist"],
  ['T01', errors.ackTimeout(), 'ack timeout'],
  ['C01', errors.projectExists(), 'Project already exists'],
  ['C02', errors.topicExists(), 'Topic already exists'],
  ['C03', errors.subscriptionExists(), 'Subscription already exists'],
  ['C04', errors.schemaExists(), 'Schema already exists'],
  ['C05', errors.userExists(), 'User already exists'],
  ['C06', errors.topicOfSubscriptionGone(), "Subscription's topic doesn't exist"],
  ['C07', errors.pushDisabled(), 'Push functionality is currently disabled'],
  ['C08', errors.notInPushMode(), 'Subscription is not in http push mode'],
  ['C09', errors.alreadyVerified(), 'Push endpoint is already verified'],
  ['C10', errors.timestampOutOfBounds(), "Timestamp is out of bounds for the subscription's topic/partition"],
  ['C11', errors.alreadyAMember(), 'User is already a member of the project'],
  ['L01', errors.messageTooLarge(), 'Message size is too large'],
  ['O1', errors.noAckPending(), 'no ack pending'],
  ['O1', errors.wrongAck(), 'wrong ack'],
  ['I04', errors.backendError(), 'Backend Error'],
  ['I07', errors.pushUnavailable(), 'Push functionality is currently unavailable'],
  ['I08', errors.schemaNotLoaded(), 'Could not load schema for topic'],
  ['I11', errors.internalError(), 'Internal Error'],
];

const KINDS: Readonly<Record<string, readonly [code: number, status: string]>> = {
  B: [400, 'INVALID_ARGUMENT'],
  U: [401, 'UNAUTHORIZED'],
  F: [403, 'FORBIDDEN'],
  N: [404, 'NOT_FOUND'],
  T: [408, 'TIMEOUT'],
  C: [409, 'CONFLICT'],
  O: [409, 'CONFLICT'],
  L: [413, 'INVALID_ARGUMENT'],
  I: [500, 'INTERNAL_SERVER_ERROR'],
};
const EXISTS = ['C01', 'C02', 'C03', 'C04', 'C05'];

describe('errors', () => {
  it.each(CATALOGUE)('%s', (id, error, message) => {
    const [code, kind] = KINDS[id.charAt(0)] ?? [0, ''];
    const status = id === 'B01' ? 'BAD_REQUEST' : EXISTS.includes(id) ? 'ALREADY_EXISTS' : kind;
    expect([error.statusCode, error.body]).toEqual([code, JSON.stringify({ error: { code, message, status } }, null, 3)]);
  });

  it('escape what could be markup', () => expect(errors.invalidRole('<&>').body).toContain('invalid role: \\u003c\\u0026\\u003e'));
});

describe('names', () => {
  it.each(['a', 'A-b_9', '-', '0', 'x'.repeat(100_000)])('may be no. %#', (name) => expect(isName(name)).toBe(true));
  it.each(['', ' ', 'a b', 'a.b', 'a:b', 'é', 'a\n', '%20'])('may not be %j', (name) => expect(isName(name)).toBe(false));

  it('are judged in the order of their variables', () => {
    expect(wrongVariables({ topic: '.', project: 'p' })).toEqual(['topic']);
    expect(wrongVariables({ user: '.', project: '.' })).toEqual(['project', 'user']);
    expect(wrongVariables({ project: 'p' })).toEqual([]);
    expect(wrongVariables({})).toEqual([]);
  });
});
