import type { ApiResponseOptions } from '@nestjs/swagger';
import { titled } from '#api/ops-kit/answers-documentation.js';
import { doc, nullable, oneOf, type Shape } from '#api/shared/openapi/shape.js';

const AT = '2026-03-01T12:00:00.000Z';

const EVER = doc('count', 'ever published, those that have expired included');
const LAST_HOUR = doc(nullable('count'), 'in the last hour; null where this node has no history of it');

const answerOf = (description: string, title: string, shape: Shape, example: object): ApiResponseOptions => ({
  description,
  content: { 'application/json': { schema: titled(title, shape).schema, example } },
});

const pageOf = (title: string, item: Shape, example: object): ApiResponseOptions =>
  answerOf('a page; `next` is null at the end', title, { items: [item], next: nullable('text') }, { items: [example], next: null });

export const TOPICS = pageOf(
  'TopicTraffic',
  {
    name: 'text',
    messages: EVER,
    messagesLastHour: LAST_HOUR,
    bytes: 'count',
    publishedAt: nullable('instant'),
  },
  { name: 'alerts', messages: 4_711, messagesLastHour: 12, bytes: 1_048_576, publishedAt: AT },
);

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
      counts: doc(nullable(['count']), 'messages of each span, the oldest first; null where this node has no history of the hour'),
    },
  },
  {
    name: 'alerts',
    messages: 4_711,
    bytes: 1_048_576,
    publishedAt: AT,
    lastHour: { from: '2026-03-01T11:00:00.000Z', secondsEach: 300, counts: [0, 0, 3, 1, 0, 0, 2, 0, 0, 4, 1, 1] },
  },
);

export const SUBSCRIPTIONS = pageOf(
  'SubscriptionBacklogs',
  {
    name: 'text',
    topic: 'text',
    ackMode: oneOf('cursor', 'message'),
    push: 'flag',
    backlog: doc('count', 'messages that are not acknowledged'),
    oldestPublishedAt: doc(nullable('instant'), 'when the oldest of them was published; null too where the call had read enough'),
    exact: doc('flag', 'false: at most so many messages wait, and the oldest of them is not older'),
    outstanding: doc(nullable('count'), 'leased to consumers; null unless this node leases messages of the subscription'),
    delivered: doc('count', 'ever handed out'),
    deliveredLastHour: LAST_HOUR,
    pulledAt: nullable('instant'),
    deadLetterTopic: nullable('text'),
    deadLettersKept: doc(nullable('flag'), 'whether messages stay because the dead letter topic is gone; null as `outstanding`'),
  },
  {
    name: 'alarm-desk',
    topic: 'alerts',
    ackMode: 'message',
    push: false,
    backlog: 12,
    oldestPublishedAt: AT,
    exact: false,
    outstanding: 3,
    delivered: 4_699,
    deliveredLastHour: 12,
    pulledAt: AT,
    deadLetterTopic: 'not-taken',
    deadLettersKept: false,
  },
);

export const NO_TOPIC = { description: 'there is no messaging project or topic of this name' };
export const NO_PROJECT = { description: 'there is no messaging project of this name' };
