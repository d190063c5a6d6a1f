import { LIMITS } from '#api/messaging/limits.js';
import { bounded, component, doc, oneOf, type Shape } from '#api/shared/openapi/shape.js';
import { ROLE, SCHEMA_TYPE } from './components.js';

/** A name that may stand in a path (messaging contract 0.5). */
const named = (what: string): Shape => doc('text', what, { pattern: '^[a-zA-Z0-9_-]+$' });

const BASE64 = 'base64 in the standard alphabet with padding';

/** A message as a publisher sends it: `data`, attributes, or both. */
const NEW_MESSAGE = component(
  'MessagingNewMessage',
  bounded(
    {
      'data?': doc('base64', BASE64, { maxLength: LIMITS.messageData.value }),
      'attributes?': doc({ '*': 'text' }, 'any texts', { maxProperties: LIMITS.attributesPerMessage.value }),
    },
    { minProperties: 1 },
  ),
  'Has `data`, attributes, or both (messaging contract 3.6)',
);
export const PUBLISH = component('MessagingPublishRequest', {
  messages: bounded([NEW_MESSAGE], { minItems: 1, maxItems: LIMITS.messagesPerPublish.value }),
});

export const PULL = component('MessagingPullRequest', {
  'maxMessages?': doc('text', `a number as text, default 1; a pull delivers ${LIMITS.messagesPerPull.value} messages at most`, {
    pattern: '^-?\\d+$',
  }),
  'returnImmediately?': doc(oneOf('true', 'false'), 'a flag as text, default true; `false` waits for messages'),
});

export const ACKNOWLEDGE = component('MessagingAcknowledgeRequest', {
  ackIds: bounded([doc('text', 'as a pull delivered it', { pattern: '^projects/[^/]+/subscriptions/[^/:]+:-?\\d+$' })], { minItems: 1 }),
});

export const OFFSET = component('MessagingOffsetRequest', {
  offset: doc('count', 'from `min` to `max` of the offsets of the subscription, both included'),
});

const DEADLINE = { minimum: 0, maximum: 600 };
export const ACK_DEADLINE = component('MessagingAckDeadlineRequest', {
  'ackDeadlineSeconds?': doc('integer', 'default 0', DEADLINE),
});

const PUSH_TEXT = { maxLength: 2048 };
const PUSH = component(
  'MessagingPushSettings',
  {
    'type?': doc(oneOf('http_endpoint', 'mattermost'), 'required unless the settings are empty: the subscription is pulled then'),
    'pushEndpoint?': doc('uri', 'https; of `http_endpoint`', PUSH_TEXT),
    'maxMessages?': doc('integer', 'messages of one delivery, default 1'),
    'authorizationHeader?': { 'type?': doc(oneOf('autogen', 'disabled'), 'default autogen') },
    'retryPolicy?': {
      'type?': doc(oneOf('linear', 'slowstart'), 'default linear'),
      'period?': doc('integer', 'milliseconds, of `linear`; default 3000'),
    },
    'mattermostUrl?': doc('uri', 'of `mattermost`', PUSH_TEXT),
    'mattermostUsername?': bounded('text', PUSH_TEXT),
    'mattermostChannel?': bounded('text', PUSH_TEXT),
    'base64Decode?': doc('flag', 'whether `data` is delivered decoded'),
  },
  'messaging contract 4.9',
);
/** Members of push settings that only answers have. */
export const PUSH_ANSWERED = ['verificationHash', 'verified', 'value'] as const;

export const PUSH_CONFIG = component('MessagingPushConfigRequest', { 'pushConfig?': PUSH });

export const NEW_SUBSCRIPTION = component('MessagingNewSubscription', {
  topic: doc('text', '`projects/{project}/topics/{topic}`, without leading slash', { pattern: '^projects/[^/]+/topics?/[^/]+$' }),
  'ackDeadlineSeconds?': doc('integer', 'how long a consumer has to acknowledge; default 10, for 0 too', DEADLINE),
  'pushConfig?': PUSH,
});

const SCHEMA_REFERENCE = doc('text', '`projects/{project}/schemas/{schema}`', { pattern: '^projects/[^/]+/schemas/[^/]+$' });
export const NEW_TOPIC = component('MessagingNewTopic', { 'schema?': doc(SCHEMA_REFERENCE, 'empty or left out: none') });
export const SCHEMA_OF_TOPIC = component('MessagingAttachSchemaRequest', { schema: SCHEMA_REFERENCE });

export const ACL = component('MessagingAclRequest', {
  authorized_users: doc(['text'], 'names of members of the project; they replace those of the ACL', {
    maxItems: LIMITS.usersPerAcl.value,
  }),
});

const DOCUMENT = doc({ '*': 'any' }, 'JSON Schema (drafts 4, 6, 7), or an Avro schema');
export const NEW_SCHEMA = component('MessagingNewSchema', { type: doc(SCHEMA_TYPE, 'in any letter case'), schema: DOCUMENT });
export const SCHEMA_CHANGE = component(
  'MessagingSchemaChange',
  { 'name?': SCHEMA_REFERENCE, 'type?': SCHEMA_TYPE, 'schema?': DOCUMENT },
  'What is empty or left out stays',
);
export const JUDGED: Shape = doc(
  'any',
  'By a json schema: the message itself. By an Avro schema: an object whose `data` is the message, a bare datum in base64.',
);

export const NEW_PROJECT = component('MessagingNewProject', { 'description?': 'text' });
export const PROJECT_CHANGE = component(
  'MessagingProjectChange',
  { 'name?': named('a new name'), 'description?': 'text' },
  'What is empty or left out stays',
);

const ROLES = doc([ROLE], 'any known role; the roles that are there before are replaced');
const MEMBERSHIP = component('MessagingMembership', { project: doc('text', 'name of a project'), 'roles?': ROLES });
const PERSON = { 'first_name?': 'text', 'last_name?': 'text', 'organization?': 'text', 'description?': 'text', 'email?': 'text' } as const;

export const NEW_USER = component('MessagingNewUser', { ...PERSON, 'projects?': [MEMBERSHIP], 'service_roles?': [ROLE] });
export const USER_CHANGE = component(
  'MessagingUserChange',
  {
    'name?': named('a new name'),
    ...PERSON,
    'projects?': doc([MEMBERSHIP], 'replaces all memberships, also when it is empty'),
    'service_roles?': doc([ROLE], 'replaces all service roles, also when it is empty'),
  },
  'Empty texts and lists that are left out change nothing',
);
export const MEMBER = component(
  'MessagingMemberRequest',
  { 'email?': 'text', 'projects?': doc([MEMBERSHIP], 'only the item of this project counts') },
  'messaging contract 3.3',
);
export const MEMBER_ROLES = component('MessagingMemberRoles', { 'roles?': [ROLE] });

export const NEW_REGISTRATION = component('MessagingNewRegistration', { name: named('of the user to be created'), ...PERSON });
export const GRANT = component('MessagingGrant', {
  'project?': named('of the project that the user gets, which is created if it is new; default: a new one with the name of the user'),
  'roles?': doc([ROLE], 'in that project; default `project_admin`'),
});
export const DECLINE = component('MessagingDecline', { 'comment?': 'text' });
