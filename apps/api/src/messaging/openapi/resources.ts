import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { doc } from '#api/shared/openapi/shape.js';
import { ACL, NOTHING, RECEIVED_MESSAGES, SCHEMA, SUBSCRIPTION, SUBSCRIPTION_NAME, SUBSCRIPTIONS, TOPIC, TOPICS } from './components.js';
import { DONE } from './done.js';
import * as examples from './examples.js';
import * as requests from './requests.js';

const PROJECT = '/v1/projects/{project}';
const TOPIC_PATH = `${PROJECT}/topics/{topic}`;
const SUBSCRIPTION_PATH = `${PROJECT}/subscriptions/{subscription}`;
const SCHEMA_PATH = `${PROJECT}/schemas/{schema}`;

const topic = { 200: answer(TOPIC, examples.TOPIC) };
const subscription = { 200: answer(SUBSCRIPTION, examples.SUBSCRIPTION) };
const schema = { 200: answer(SCHEMA, examples.SCHEMA) };
const acl = { 200: answer(ACL, { authorized_users: ['ada'] }) };
const lastPage = { nextPageToken: '', totalSize: 1 };

const TOPIC_ANSWERS: Catalogue = {
  [`get ${PROJECT}/topics`]: { answers: { 200: answer(TOPICS, { topics: [examples.TOPIC], ...lastPage }) } },
  [`get ${TOPIC_PATH}`]: { answers: topic },
  [`put ${TOPIC_PATH}`]: { answers: topic, request: requests.NEW_TOPIC, body: { schema: examples.TOPIC.schema } },
  [`delete ${TOPIC_PATH}`]: { answers: DONE },
  [`get ${TOPIC_PATH}/subscriptions`]: {
    answers: { 200: answer({ subscriptions: [SUBSCRIPTION_NAME] }, { subscriptions: [examples.SUBSCRIPTION.name] }) },
  },
  [`post ${TOPIC_PATH}:attachSchema`]: { answers: DONE, request: requests.SCHEMA_OF_TOPIC, body: { schema: examples.TOPIC.schema } },
  [`post ${TOPIC_PATH}:detachSchema`]: { answers: DONE },
  [`get ${TOPIC_PATH}:acl`]: { answers: acl },
  [`post ${TOPIC_PATH}:modifyAcl`]: { answers: DONE, request: requests.ACL, body: { authorized_users: ['ada'] } },
  [`post ${TOPIC_PATH}:publish`]: {
    answers: { 200: answer({ messageIds: doc(['text'], 'offsets of the messages, in their order') }, { messageIds: ['0'] }) },
    request: requests.PUBLISH,
    ignores: ['messageId', 'publishTime'],
    body: { messages: [{ data: 'aGVsbG8=', attributes: { site: 'A' } }] },
  },
};

const SUBSCRIPTION_ANSWERS: Catalogue = {
  [`get ${PROJECT}/subscriptions`]: {
    answers: { 200: answer(SUBSCRIPTIONS, { subscriptions: [examples.SUBSCRIPTION], ...lastPage }) },
  },
  [`get ${SUBSCRIPTION_PATH}`]: { answers: { 200: answer(SUBSCRIPTION, examples.PUSHED_SUBSCRIPTION) } },
  [`put ${SUBSCRIPTION_PATH}`]: {
    answers: subscription,
    request: requests.NEW_SUBSCRIPTION,
    ignores: requests.PUSH_ANSWERED,
    body: { topic: 'projects/EGI/topics/news', ackDeadlineSeconds: 10 },
  },
  [`delete ${SUBSCRIPTION_PATH}`]: {
    answers: {
      200: {
        ...answer({ message: 'text' }, { message: 'Subscription /projects/EGI/subscriptions/reader deactivated' }),
        description: 'deleted; the body is empty unless messages were pushed',
      },
    },
  },
  [`get ${SUBSCRIPTION_PATH}:offsets`]: {
    answers: {
      200: answer(
        {
          max: doc('count', 'offset of the next message that comes'),
          min: doc('count', 'offset of the oldest message kept'),
          current: doc('count', 'offset of the subscription'),
        },
        { max: 12, min: 0, current: 7 },
      ),
    },
  },
  [`post ${SUBSCRIPTION_PATH}:modifyOffset`]: { answers: DONE, request: requests.OFFSET, body: { offset: 0 } },
  [`get ${SUBSCRIPTION_PATH}:timeToOffset`]: { answers: { 200: answer({ offset: 'count' }, { offset: 12 }) } },
  [`post ${SUBSCRIPTION_PATH}:modifyAckDeadline`]: { answers: DONE, request: requests.ACK_DEADLINE, body: { ackDeadlineSeconds: 30 } },
  [`post ${SUBSCRIPTION_PATH}:modifyPushConfig`]: {
    answers: DONE,
    request: requests.PUSH_CONFIG,
    ignores: requests.PUSH_ANSWERED,
    body: {
      pushConfig: { type: 'http_endpoint', pushEndpoint: 'https://receiver.example.org/in', retryPolicy: { type: 'linear', period: 3000 } },
    },
  },
  [`post ${SUBSCRIPTION_PATH}:verifyPushEndpoint`]: { answers: DONE },
  [`get ${SUBSCRIPTION_PATH}:acl`]: { answers: acl },
  [`post ${SUBSCRIPTION_PATH}:modifyAcl`]: { answers: DONE, request: requests.ACL, body: { authorized_users: ['ada'] } },
  [`post ${SUBSCRIPTION_PATH}:pull`]: {
    answers: {
      200: answer(RECEIVED_MESSAGES, {
        receivedMessages: [
          {
            ackId: 'projects/EGI/subscriptions/reader:0',
            message: { messageId: '0', attributes: { site: 'A' }, data: 'aGVsbG8=', publishTime: '2026-03-01T12:00:00.343Z' },
          },
        ],
      }),
    },
    request: requests.PULL,
    body: { maxMessages: '10', returnImmediately: 'true' },
  },
  [`post ${SUBSCRIPTION_PATH}:acknowledge`]: {
    answers: { 200: answer(NOTHING, {}) },
    request: requests.ACKNOWLEDGE,
    body: { ackIds: ['projects/EGI/subscriptions/reader:0'] },
  },
};

const SCHEMA_ANSWERS: Catalogue = {
  [`get ${PROJECT}/schemas`]: { answers: { 200: answer({ schemas: [SCHEMA] }, { schemas: [examples.SCHEMA] }) } },
  [`get ${SCHEMA_PATH}`]: { answers: schema },
  [`post ${SCHEMA_PATH}`]: { answers: schema, request: requests.NEW_SCHEMA, ignores: ['name'], body: examples.NEW_SCHEMA },
  [`put ${SCHEMA_PATH}`]: { answers: schema, request: requests.SCHEMA_CHANGE, body: { name: examples.SCHEMA.name } },
  [`delete ${SCHEMA_PATH}`]: { answers: DONE },
  [`post ${SCHEMA_PATH}:validate`]: {
    answers: { 200: answer({ message: 'text' }, { message: 'Message validated successfully' }) },
    request: requests.JUDGED,
    body: { site: 'A' },
  },
};

export const RESOURCES: Catalogue = { ...TOPIC_ANSWERS, ...SUBSCRIPTION_ANSWERS, ...SCHEMA_ANSWERS };
