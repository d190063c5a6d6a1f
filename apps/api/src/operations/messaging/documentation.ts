import { answerOf } from '#api/ops-kit/answers-documentation.js';
import { PUSH_STATES } from '#domain/messaging/push/push-state.js';
import { doc, nullable, oneOf, type Shape, type Static } from '#domain/shared/shape.js';

export const AT = '2026-03-01T12:00:00.000Z';

const EVER = doc('count', 'ever published, those that have expired included');
const LAST_HOUR = doc(nullable('count'), 'in the last hour; null where this node has no history of it');

const pageOf = <const S extends Shape>(title: string, item: S, example: Static<S>) =>
  answerOf('a page; `next` is null at the end', title, { items: [item], next: nullable('text') }, { items: [example], next: null });

export const TOPIC_ROW = {
  name: 'text',
  messages: EVER,
  messagesLastHour: LAST_HOUR,
  bytes: 'count',
  publishedAt: nullable('instant'),
} as const;
const TOPIC_EXAMPLE = { name: 'alerts', messages: 4_711, messagesLastHour: 12, bytes: 1_048_576, publishedAt: AT };

export const TOPICS = pageOf('TopicTraffic', TOPIC_ROW, TOPIC_EXAMPLE);

export const LETTER_COUNT = {
  count: 'count',
  exact: doc('flag', 'false: there may be more; they are counted up to 10,000 of a topic'),
} as const;
const PUSH_ERROR = {
  at: nullable('instant'),
  message: 'text',
  since: doc(nullable('instant'), 'every push since then has failed, as far as the node knows that pushes; null after a success'),
} as const;
const PUSH_STATE = oneOf(...PUSH_STATES);
const IN_BINS = 'messages of each span, the oldest first; null where this node has no history of the hour';

export const TOPIC = answerOf(
  'the topic',
  'TopicLastHour',
  {
    name: 'text',
    messages: EVER,
    bytes: 'count',
    publishedAt: nullable('instant'),
    lastHour: {
      from: 'instant',
      secondsEach: 'count',
      counts: doc(nullable(['count']), IN_BINS),
    },
    subscriptions: doc(['text'], 'names, 100 at most'),
    deadLetters: doc(nullable(LETTER_COUNT), 'null: it is no topic of dead letters'),
  },
  {
    name: 'alerts',
    messages: 4_711,
    bytes: 1_048_576,
    publishedAt: AT,
    lastHour: { from: '2026-03-01T11:00:00.000Z', secondsEach: 300, counts: [0, 0, 3, 1, 0, 0, 2, 0, 0, 4, 1, 1] },
    subscriptions: ['alarm-desk'],
    deadLetters: null,
  },
);

export const SUBSCRIPTION_ROW = {
  name: 'text',
  topic: 'text',
  ackMode: oneOf('cursor', 'message'),
  push: 'flag',
  pushState: doc(nullable(PUSH_STATE), 'null: it is pulled'),
  pushError: doc(nullable(PUSH_ERROR), 'why the last push failed; null once one has not'),
  backlog: doc('count', 'messages that are not acknowledged'),
  oldestPublishedAt: doc(nullable('instant'), 'when the oldest of them was published; null too where the call had read enough'),
  exact: doc('flag', 'false: at most so many messages wait, and the oldest of them is not older'),
  outstanding: doc(nullable('count'), 'leased to consumers; null if another node holds the leases'),
  delivered: doc('count', 'ever handed out'),
  deliveredLastHour: LAST_HOUR,
  pulledAt: nullable('instant'),
  deadLetterTopic: nullable('text'),
  deadLetters: doc(nullable(LETTER_COUNT), 'null: there is no dead letter topic'),
  deadLettersKept: doc(nullable('flag'), 'whether messages stay because the dead letter topic is gone; null if this node holds no leases'),
} as const;
const SUBSCRIPTION_EXAMPLE = {
  name: 'alarm-desk',
  topic: 'alerts',
  ackMode: 'message' as const,
  push: false,
  pushState: null,
  pushError: null,
  backlog: 12,
  oldestPublishedAt: AT,
  exact: false,
  outstanding: 3,
  delivered: 4_699,
  deliveredLastHour: 12,
  pulledAt: AT,
  deadLetterTopic: 'not-taken',
  deadLetters: { count: 2, exact: true },
  deadLettersKept: false,
};

export const SUBSCRIPTIONS = pageOf('SubscriptionBacklogs', SUBSCRIPTION_ROW, SUBSCRIPTION_EXAMPLE);

const { name, topic, ackMode, pushState, pushError, backlog, oldestPublishedAt, exact, deadLetters } = SUBSCRIPTION_ROW;

export const ALL_SUBSCRIPTIONS = answerOf(
  'the first of this order',
  'SubscriptionsOfAllProjects',
  {
    items: [{ project: 'text', name, topic, ackMode, pushState, pushError, backlog, oldestPublishedAt, exact, deadLetters }],
    total: doc('count', 'subscriptions in this order'),
    all: doc('count', 'subscriptions of all projects'),
    countedAt: doc(nullable('instant'), 'when the last pass over all subscriptions began; null while the first one goes on'),
  },
  {
    items: [
      {
        ...{ project: 'monitoring', name: 'alarm-desk', topic: 'alerts', ackMode: 'cursor', pushState: 'failing' },
        pushError: { at: AT, message: 'Could not send message, the endpoint answered 500', since: AT },
        ...{ backlog: 12, oldestPublishedAt: AT, exact: true, deadLetters: null },
      },
    ],
    total: 1,
    all: 17,
    countedAt: AT,
  },
);

export const METRIC_SOURCE = {
  tenant: { id: 'text', name: nullable('text') },
  subscription: 'text',
  deadLetterTopic: nullable('text'),
  deadLettered: doc('count', 'messages that are set aside now'),
  lastError: nullable({ messageId: 'text', reason: 'text', at: 'instant' }),
} as const;

export const PROJECTS = answerOf(
  'the newest 1,000 projects',
  'ProjectTrafficList',
  {
    items: [{ name: 'text', description: 'text', createdAt: 'instant', topics: 'count', subscriptions: 'count' }],
    total: 'count',
  },
  { items: [{ name: 'monitoring', description: 'alerts of the grid', createdAt: AT, topics: 4, subscriptions: 7 }], total: 1 },
);

export const PROJECT = answerOf(
  'the project',
  'ProjectTraffic',
  {
    name: 'text',
    topics: [TOPIC_ROW],
    subscriptions: [SUBSCRIPTION_ROW],
    more: doc('flag', 'whether there are other topics or subscriptions'),
    metricSources: [METRIC_SOURCE],
  },
  {
    name: 'monitoring',
    topics: [TOPIC_EXAMPLE],
    subscriptions: [SUBSCRIPTION_EXAMPLE],
    more: false,
    metricSources: [
      {
        tenant: { id: 'e9a1f1b2-6a0e-4e8c-9d53-4c1f4c0c7a10', name: 'Alpine Grid' },
        subscription: 'metric-data',
        deadLetterTopic: 'refused',
        deadLettered: 1,
        lastError: { messageId: '41', reason: 'there is no timestamp', at: '2026-03-01T12:00:00Z' },
      },
    ],
  },
);

const PER_SECOND = doc(nullable('number'), 'messages a second in the last minute; null where this node has no history of it');

export const PUSH_SETTINGS = {
  type: oneOf('http_endpoint', 'mattermost'),
  endpoint: doc('text', 'URL without what may be a credential: user info, query; of Mattermost its channel and host'),
  maxMessages: 'count',
  authorization: oneOf('autogen', 'disabled', 'none'),
  retryPolicy: { type: oneOf('linear', 'slowstart'), period: doc('count', 'milliseconds between attempts; 0: none') },
  verified: 'flag',
  base64Decode: 'flag',
} as const;

export const SETTINGS = {
  createdAt: 'instant',
  ackDeadlineSeconds: 'count',
  filter: nullable('text'),
  messageRetentionSeconds: doc(nullable('count'), 'null: that of the topic'),
  enableMessageOrdering: 'flag',
  enableExactlyOnceDelivery: 'flag',
  deadLetterPolicy: nullable({ topic: 'text', maxDeliveryAttempts: 'count' }),
  retryPolicy: nullable({ minimumSeconds: 'number', maximumSeconds: 'number' }),
  expiresAfterSeconds: doc(nullable('count'), 'deleted when it has not been pulled for so long; null: never'),
  labels: { '*': 'text' },
  push: doc(nullable(PUSH_SETTINGS), 'null: it is pulled'),
} as const;

export const SUBSCRIPTION = answerOf(
  'the subscription',
  'SubscriptionState',
  {
    name: 'text',
    topic: { name: 'text', exists: 'flag' },
    ackMode: oneOf('cursor', 'message'),
    backlog: doc(
      [
        {
          from: doc('count', 'age in seconds'),
          to: doc(nullable('count'), 'exclusive; null: any age'),
          messages: 'count',
          exact: doc('flag', 'false: at most so many'),
        },
      ],
      'messages that are not acknowledged by age, the youngest first',
    ),
    lastHour: {
      from: 'instant',
      secondsEach: 'count',
      published: doc(nullable(['count']), IN_BINS),
      delivered: doc(nullable(['count']), IN_BINS),
    },
    inNow: PER_SECOND,
    outNow: PER_SECOND,
    consumers: doc(
      { streams: 'count', waiting: nullable('count') },
      'streams that are open here; consumers that wait for messages, and workers that push, null unless this node holds the leases',
    ),
    outstanding: doc(nullable('count'), 'leased to consumers; null if another node holds the leases'),
    pulledAt: nullable('instant'),
    push: doc(
      nullable({
        state: PUSH_STATE,
        error: nullable(PUSH_ERROR),
        lastError: doc(nullable(PUSH_ERROR), 'the same, whatever came after it'),
      }),
      'null: it is pulled',
    ),
    settings: SETTINGS,
    users: doc(['text'], 'names of the users in its ACL'),
    acknowledgedUpTo: doc(
      nullable('text'),
      'id of the newest message up to which all are acknowledged; null: none since the subscription was created',
    ),
    deadLetterTopic: nullable('text'),
    deadLetters: doc(nullable(LETTER_COUNT), 'null: there is no dead letter topic'),
    deadLettersKept: doc(
      nullable('flag'),
      'whether messages stay because the dead letter topic is gone; null if this node holds no leases',
    ),
  },
  {
    name: 'alarm-desk',
    topic: { name: 'alerts', exists: true },
    ackMode: 'message',
    backlog: [
      { from: 0, to: 60, messages: 2, exact: true },
      { from: 60, to: 600, messages: 1, exact: true },
      { from: 600, to: 3_600, messages: 0, exact: true },
      { from: 3_600, to: 86_400, messages: 9, exact: true },
      { from: 86_400, to: null, messages: 0, exact: true },
    ],
    lastHour: {
      from: '2026-03-01T11:05:00.000Z',
      secondsEach: 300,
      published: [0, 0, 3, 1, 0, 0, 2, 0, 0, 4, 1, 1],
      delivered: [0, 0, 3, 1, 0, 0, 2, 0, 0, 4, 1, 0],
    },
    inNow: 0.2,
    outNow: 0.1,
    consumers: { streams: 0, waiting: 1 },
    outstanding: 3,
    pulledAt: AT,
    push: null,
    settings: {
      ...{ createdAt: AT, ackDeadlineSeconds: 60, filter: 'attributes:severity', messageRetentionSeconds: null },
      ...{ enableMessageOrdering: false, enableExactlyOnceDelivery: false, expiresAfterSeconds: null, labels: { team: 'desk' } },
      deadLetterPolicy: { topic: 'not-taken', maxDeliveryAttempts: 5 },
      retryPolicy: { minimumSeconds: 10, maximumSeconds: 600 },
      push: null,
    },
    users: ['alarm-desk'],
    acknowledgedUpTo: '4698',
    deadLetterTopic: 'not-taken',
    deadLetters: { count: 2, exact: true },
    deadLettersKept: false,
  },
);
