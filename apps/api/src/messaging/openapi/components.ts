import * as errors from '#api/messaging/errors.js';
import type { DescribedAnswer } from '#api/shared/openapi/described.js';
import { bounded, component, doc, either, oneOf } from '#domain/shared/shape.js';
import { ERROR } from './error.js';
import * as examples from './examples.js';

const CREATOR = doc('text', 'name of the user who created it; left out for the service token and for users that are gone');
export const TOKEN = doc('text', '64 hexadecimal digits: what the user authenticates with');

export const PROJECT = component(
  'MessagingProject',
  {
    name: doc('text', 'unique in the service'),
    created_on: 'instant',
    modified_on: 'instant',
    'created_by?': CREATOR,
    'description?': 'text',
  },
  'messaging contract 3.1',
).shownAs(examples.PROJECT);

export const ROLE = doc('text', 'such as `project_admin`, `publisher`, `consumer`, or `service_admin` for the whole service');

export const USER_PROJECT = component(
  'MessagingUserProject',
  {
    project: doc('text', 'name of the project'),
    roles: [ROLE],
    topics: doc(['text'], 'short names of the topics whose ACL has the user'),
    subscriptions: doc(['text'], 'short names of the subscriptions whose ACL has the user'),
  },
  'What a user is and may use in a project (messaging contract 3.2)',
);

export const USER = component(
  'MessagingUser',
  {
    uuid: 'uuid',
    'projects?': doc([USER_PROJECT], 'left out when there are none, and of lists without `details`'),
    'name?': doc('text', 'unique in the service; left out once it is erased'),
    'first_name?': 'text',
    'last_name?': 'text',
    'organization?': 'text',
    'description?': 'text',
    'token?': doc(TOKEN, 'shown to service administrators, to its owner, and to who makes it; left out where only its hash is known'),
    email: 'text',
    service_roles: doc([ROLE], 'roles that hold in all projects'),
    'component?': doc('text', 'whose account it is'),
    'component_project?': doc('text', 'name of the project of the component'),
    created_on: 'instant',
    modified_on: 'instant',
    'created_by?': CREATOR,
  },
  'messaging contract 3.2',
).shownAs(examples.USER);

const STATUS = { message: 'text', code: doc('text', 'the status as text') } as const;

export const COMPONENT_KEY = component(
  'MessagingComponentKey',
  { status: STATUS, data: { api_key: TOKEN } },
  'messaging contract 3.11',
).shownAs({
  status: { message: 'Component api key succesfully renewed', code: '200' },
  data: { api_key: examples.USER.token },
});

/** No user is the account of the component, or the project does not exist. */
export const NO_COMPONENT: DescribedAnswer = {
  description: 'not found',
  shape: either(component('MessagingNoComponent', { status: STATUS }, 'messaging contract 3.11'), ERROR),
  examples: Object.fromEntries(
    [errors.componentNotConfigured('monbox', 'EGI'), errors.projectNotFound()].map(({ message, body }) => [message, JSON.parse(body)]),
  ),
};

/** The end of a page of a list (messaging contract 4.11). */
const PAGE = {
  nextPageToken: doc('text', 'what the next page is asked with; empty on the last one'),
  totalSize: doc('count', 'items of all pages'),
} as const;

export const USERS = component('MessagingUsers', { users: [USER], ...PAGE }, 'A page of users, the newest first').shownAs({
  users: [examples.PUBLIC_USER],
  ...examples.LAST_PAGE,
});

export const REGISTRATION = component(
  'MessagingRegistration',
  {
    uuid: 'uuid',
    name: doc('text', 'of the user to be created'),
    first_name: 'text',
    last_name: 'text',
    organization: 'text',
    description: 'text',
    email: 'text',
    status: oneOf('pending', 'accepted', 'declined'),
    'decline_comment?': 'text',
    'activation_token?': doc('text', 'while the registration is pending'),
    registered_at: 'instant',
    'modified_by?': doc('text', 'name of the user who accepted or declined'),
    'modified_at?': 'instant',
  },
  'messaging contract 3.4',
).shownAs(examples.REGISTRATION);

export const SCHEMA_REFERENCE = doc('text', '`projects/{project}/schemas/{schema}`', { pattern: '^projects/[^/]+/schemas/[^/]+$' });
const TOPIC_NAME = doc('text', '`/projects/{project}/topics/{topic}`', { pattern: '^/projects/[^/]*/topics/[^/]+$' });
export const SUBSCRIPTION_NAME = doc('text', '`/projects/{project}/subscriptions/{subscription}`', {
  pattern: '^/projects/[^/]*/subscriptions/[^/]+$',
});

/** Whole seconds. */
const DURATION = doc('text', '`<n>s`', { pattern: '^\\d+s$' });
const LABELS = doc({ '*': 'text' }, 'where there are any');

export const TOPIC = component(
  'MessagingTopic',
  {
    name: TOPIC_NAME,
    'schema?': doc(SCHEMA_REFERENCE, 'the schema that messages must satisfy'),
    created_on: 'instant',
    'messageRetentionDuration?': doc(DURATION, 'how long messages are kept, where it was given'),
    'labels?': LABELS,
  },
  'messaging contract 3.5',
).shownAs(examples.TOPIC);
export const TOPICS = component('MessagingTopics', { topics: [TOPIC], ...PAGE }, 'A page of topics, the newest first').shownAs({
  topics: [examples.TOPIC],
  ...examples.LAST_PAGE,
});

const RETRY_POLICY = component('MessagingRetryPolicy', {
  'type?': oneOf('linear', 'slowstart'),
  'period?': doc('integer', 'milliseconds between deliveries, of `linear`'),
});
const AUTHORIZATION_HEADER = component('MessagingAuthorizationHeader', {
  'type?': oneOf('autogen', 'disabled'),
  'value?': doc('text', 'what push requests carry in the header `Authorization`'),
});

export const PUSH_CONFIG = component(
  'MessagingPushConfig',
  {
    type: doc(oneOf('', 'http_endpoint', 'mattermost'), 'empty: the subscription is pulled'),
    pushEndpoint: 'text',
    maxMessages: doc('count', 'messages of one delivery'),
    authorizationHeader: AUTHORIZATION_HEADER,
    retryPolicy: RETRY_POLICY,
    verificationHash: doc('text', 'what the host of the endpoint must answer at `/ams_verification_hash`'),
    verified: doc('flag', 'whether messages are delivered'),
    mattermostUrl: 'text',
    mattermostUsername: 'text',
    mattermostChannel: 'text',
    base64Decode: doc('flag', 'whether `data` is delivered decoded'),
  },
  'messaging contract 4.9',
);

export const SUBSCRIPTION = component(
  'MessagingSubscription',
  {
    name: SUBSCRIPTION_NAME,
    topic: TOPIC_NAME,
    pushConfig: PUSH_CONFIG,
    ackDeadlineSeconds: doc('integer', 'how long a consumer has to acknowledge, in seconds'),
    'pushStatus?': doc('text', 'how the last push went; of one subscription that is pushed'),
    createdOn: 'instant',
    'ackMode?': oneOf('cursor', 'message'),
    'filter?': doc('text', 'messages that do not pass are not delivered'),
    'deadLetterPolicy?': { deadLetterTopic: doc('text', '`projects/{project}/topics/{topic}`'), maxDeliveryAttempts: 'integer' },
    'retryPolicy?': { minimumBackoff: DURATION, maximumBackoff: DURATION },
    'messageRetentionDuration?': doc(DURATION, 'older messages are not delivered'),
    'enableMessageOrdering?': 'flag',
    'labels?': LABELS,
    'enableExactlyOnceDelivery?': 'flag',
    'expirationPolicy?': { ttl: DURATION },
  },
  'messaging contract 3.7; from `ackMode` on 7.1, those that were given',
).shownAs(examples.SUBSCRIPTION);
export const SUBSCRIPTIONS = component(
  'MessagingSubscriptions',
  { subscriptions: [SUBSCRIPTION], ...PAGE },
  'A page of subscriptions, the newest first',
).shownAs({ subscriptions: [examples.SUBSCRIPTION], ...examples.LAST_PAGE });

export const SCHEMA_TYPE = oneOf('json', 'avro');
export const SCHEMA = component(
  'MessagingSchema',
  { uuid: 'uuid', name: SCHEMA_REFERENCE, type: SCHEMA_TYPE, schema: doc({ '*': 'any' }, 'JSON Schema (drafts 4, 6, 7) or Avro schema') },
  'messaging contract 3.10',
).shownAs(examples.SCHEMA);

const MESSAGE = component(
  'MessagingMessage',
  {
    messageId: doc('text', 'offset of the message in its topic', { pattern: '^\\d+$' }),
    'attributes?': { '*': 'text' },
    data: doc('text', 'base64, unless the server takes any text; empty where there are only attributes'),
    publishTime: 'instant',
    'orderingKey?': doc('text', 'as it was published (messaging contract 7.4)'),
  },
  'messaging contract 3.8',
);
export const RECEIVED_MESSAGES = component('MessagingReceivedMessages', {
  receivedMessages: [
    {
      ackId: doc('text', 'what the message is acknowledged with'),
      message: MESSAGE,
      'deliveryAttempt?': doc('count', 'from 1; where `ackMode` is `message`'),
    },
  ],
});

export const ACL = component('MessagingAcl', { authorized_users: doc(['text'], 'names of users') }).shownAs({ authorized_users: ['ada'] });

export const METRIC = component(
  'MessagingMetric',
  {
    metric: doc('text', 'such as `topic.number_of_messages`'),
    metric_type: oneOf('counter', 'rate', 'percentage'),
    value_type: oneOf('int64', 'float64'),
    resource_type: oneOf('project', 'project.user', 'topic', 'subscription', 'ams_node'),
    resource_name: 'text',
    timeseries: [{ timestamp: doc('text', 'an instant, or a day of daily counters'), value: 'number' }],
    description: 'text',
  },
  'messaging contract 3.9',
);
export const METRICS = component('MessagingMetrics', { metrics: [METRIC] });

export const USAGE_REPORT = component(
  'MessagingUsageReport',
  {
    projects_metrics: {
      projects: [
        {
          project: 'text',
          message_count: 'count',
          average_daily_messages: doc('number', 'rounded up to two decimals'),
          topics_count: doc('count', 'made in the period, and still there'),
          subscriptions_count: 'count',
          users_count: 'count',
        },
      ],
      total_message_count: 'count',
      average_daily_messages: 'number',
    },
    total_users_count: 'count',
    total_topics_count: 'count',
    total_subscriptions_count: 'count',
  },
  'Projects with messages in the period (messaging contract 3.9)',
);

/** Health of the service and of its push servers (messaging contract 3.9). */
export const HEALTH = {
  status: doc(oneOf('ok', 'warning'), '`warning`: messages cannot be pushed'),
  'push_servers?': [{ endpoint: 'text', status: doc('text', '`SERVING`, or what is wrong') }],
  'push_functionality?': oneOf('disabled'),
} as const;

export const VERSION = component('MessagingVersion', {
  build_time: 'instant',
  golang: doc('text', 'version of the runtime'),
  compiler: 'text',
  os: 'text',
  architecture: 'text',
  'release?': doc('text', 'for `admin_viewer` and `service_admin`'),
  'distro?': doc('text', 'name of the system that it runs on'),
  hostname: doc('text', 'host of `LOGBOOK_PUBLIC_URL`, else the one that the caller asked'),
});

/** An object without members. */
export const NOTHING = component('MessagingNothing', bounded({ '*': 'any' }, { maxProperties: 0 }), 'An empty object').shownAs({});
