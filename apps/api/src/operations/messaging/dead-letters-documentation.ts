import { answerOf } from '#api/ops-kit/answers-documentation.js';
import { doc, nullable } from '#domain/shared/shape.js';
import { AT, LETTER_COUNT } from './documentation.js';

const LETTER_EXAMPLE = {
  id: '12',
  from: 'alarm-desk',
  attributes: { 'logbook-source-subscription': 'projects/monitoring/subscriptions/alarm-desk', 'logbook-delivery-attempts': '5' },
  otherAttributes: ['severity'],
  bytes: 120,
  reason: 'not acknowledged in 5 attempts',
  attempts: 5,
  at: AT,
};

export const DEAD_LETTERS = answerOf(
  'a page; `next` is null at the end; it may be short where a call has looked at many messages',
  'DeadLetterPage',
  {
    topic: doc(nullable('text'), 'name of the topic of dead letters; null: the subscription has none'),
    exists: doc('flag', 'false: that topic is gone'),
    items: [
      {
        id: doc('text', 'id of the message in the topic of dead letters'),
        from: doc(nullable('text'), 'name of the subscription that it comes from'),
        attributes: doc({ '*': 'text' }, 'those that Logbook gave it'),
        otherAttributes: doc(['text'], 'names of all others'),
        bytes: 'count',
        reason: 'text',
        attempts: nullable('count'),
        at: 'instant',
      },
    ],
    next: nullable('text'),
    total: LETTER_COUNT,
  },
  { topic: 'not-taken', exists: true, items: [LETTER_EXAMPLE], next: null, total: { count: 1, exact: true } },
);

export const REDRIVEN = answerOf(
  'what became of them',
  'RedrivenDeadLetters',
  {
    redriven: doc('count', 'messages that this call has sent back to the topic that they came from'),
    kept: doc('count', 'messages that stay, because their topic or subscription is gone'),
    next: doc(nullable('text'), 'for `after` of the next call, with the same `messages`; null at the end'),
  },
  { redriven: 3, kept: 0, next: null },
);

export const MESSAGE = answerOf(
  'the message',
  'DeadLetterData',
  { id: 'text', data: doc('text', 'as it was published: base64'), attributes: { '*': 'text' } },
  { id: '12', data: 'YWxhcm0=', attributes: { severity: 'high' } },
);
