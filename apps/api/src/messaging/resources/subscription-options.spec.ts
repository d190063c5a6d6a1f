import { describe, expect, it } from '@jest/globals';
import { MessagingError } from '#api/messaging/errors.js';
import { readBody, struct } from '#api/shared/bodies/body-shape.js';
import { DomainError } from '#domain/shared/decider.js';
import { optionMembers, optionsView, requestedOptions } from './subscription-options.js';

const project = { projectId: 'id', name: 'p' };
const shape = struct(optionMembers);

const optionsOf = (body: object) => requestedOptions(readBody(shape, Buffer.from(JSON.stringify(body))))('t', project);
const shown = (body: object): string => JSON.stringify(optionsView(project, optionsOf(body)));
const refusal = (body: object): unknown => {
  try {
    return optionsOf(body);
  } catch (error) {
    return error instanceof MessagingError || error instanceof DomainError ? error.message : error;
  }
};

const deadLetterPolicy = (changes: object = {}) => ({ deadLetterTopic: 'projects/p/topics/dead', ...changes });
const message = { ackMode: 'message' };

describe('The options of a subscription', () => {
  it('are shown in the order of the contract, as they were given', () => {
    const given = {
      expirationPolicy: { ttl: '86400s' },
      enableExactlyOnceDelivery: true,
      labels: { b: 'x', a: '' },
      enableMessageOrdering: false,
      messageRetentionDuration: '600s',
      retryPolicy: { maximumBackoff: '600s', minimumBackoff: '0s' },
      deadLetterPolicy: deadLetterPolicy({ maxDeliveryAttempts: 100 }),
      filter: 'attributes:a',
      ackMode: 'message',
    };
    const { labels, ...others } = given;
    const inOrder = Object.fromEntries(
      [...'ackMode filter deadLetterPolicy retryPolicy messageRetentionDuration enableMessageOrdering'.split(' '), 'labels']
        .concat('enableExactlyOnceDelivery', 'expirationPolicy')
        .map((name) => [name, { ...others, labels: { a: '', b: 'x' } }[name as keyof typeof given]]),
    );
    const retryPolicy = { minimumBackoff: '0s', maximumBackoff: '600s' };
    expect(shown(given)).toBe(JSON.stringify({ ...inOrder, retryPolicy }));
  });

  it.each<[object, object]>([
    [{}, {}],
    [{ ackMode: null, filter: '', labels: {}, expirationPolicy: {}, deadLetterPolicy: null, retryPolicy: null }, {}],
    [{ ackMode: 'cursor' }, { ackMode: 'cursor' }],
    [{ enableMessageOrdering: false }, { enableMessageOrdering: false }],
    [
      { ...message, deadLetterPolicy: deadLetterPolicy() },
      { ...message, deadLetterPolicy: deadLetterPolicy({ maxDeliveryAttempts: 5 }) },
    ],
    [
      { ...message, retryPolicy: {} },
      { ...message, retryPolicy: { minimumBackoff: '10s', maximumBackoff: '600s' } },
    ],
    [
      { ...message, retryPolicy: { maximumBackoff: '3s' } },
      { ...message, retryPolicy: { minimumBackoff: '3s', maximumBackoff: '3s' } },
    ],
    [{ messageRetentionDuration: '31536000s' }, { messageRetentionDuration: '31536000s' }],
  ])('of %j are %j', (body, expected) => expect(shown(body)).toBe(JSON.stringify(expected)));

  it('are none where none are given', () => expect(optionsOf({})).toBeUndefined());

  it.each<object>([
    { ackMode: '' },
    { ackMode: 'Message' },
    { ackMode: 'lease' },
    { deadLetterPolicy: deadLetterPolicy() },
    { ackMode: 'cursor', deadLetterPolicy: deadLetterPolicy() },
    { retryPolicy: {} },
    { enableMessageOrdering: true },
    { enableExactlyOnceDelivery: true },
    { ...message, deadLetterPolicy: deadLetterPolicy({ maxDeliveryAttempts: 4 }) },
    { ...message, deadLetterPolicy: deadLetterPolicy({ maxDeliveryAttempts: 101 }) },
    { ...message, deadLetterPolicy: deadLetterPolicy({ maxDeliveryAttempts: 0 }) },
    { ...message, deadLetterPolicy: { deadLetterTopic: 'projects/p/topics/t' } },
    { ...message, retryPolicy: { minimumBackoff: '601s' } },
    { ...message, retryPolicy: { minimumBackoff: '5s', maximumBackoff: '4s' } },
    ...['', '1', 's', '-1s', '1.5s', '1e2s', ' 1s', '1S', '٣s', '99999999999999999999s'].map((maximumBackoff) => ({
      ...message,
      retryPolicy: { maximumBackoff },
    })),
    { messageRetentionDuration: '599s' },
    { messageRetentionDuration: '31536001s' },
    { expirationPolicy: { ttl: '86399s' } },
    { expirationPolicy: { ttl: '1d' } },
    { labels: { A: '' } },
    { labels: { '': '' } },
    { labels: { '1a': '' } },
    { labels: { __proto__x: '' } },
    { labels: { ['a'.repeat(64)]: '' } },
    { labels: { a: 'x'.repeat(64) } },
    { labels: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, ''])) },
  ])('cannot be %j', (body) => expect(refusal(body)).toBe('Invalid Subscription Arguments'));

  it('may have 64 labels with keys of 63 characters', () => {
    const labels = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`k${index}`.padEnd(63, '-'), 'é'.repeat(63)]));
    expect(Object.keys(optionsOf({ labels })?.labels ?? {})).toEqual(Object.keys(labels).sort());
  });

  it.each(['', 'dead', '/projects/p/topics/dead', 'projects/q/topics/dead'])('have no dead letter topic %j', (deadLetterTopic) =>
    expect(refusal({ ...message, deadLetterPolicy: { deadLetterTopic } })).toBe('Invalid Topic name'),
  );

  it('have a filter that can be read', () => expect(refusal({ filter: 'attributes:' })).toBe('FILTER_INVALID'));
});
