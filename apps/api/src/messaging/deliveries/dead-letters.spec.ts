import { expect, it } from '@jest/globals';
import { SOME_CONTEXT } from '#test/support/messaging/delivery-samples.js';
import { identityOf, publishOnce } from './dead-letters.js';

it('A dead letter is stored as long as its topic says, and once', () => {
  const context = { ...SOME_CONTEXT, idempotency: { key: 'k', body: 'k' } };
  const letter = { data: 'YQ==' };
  const { data, context: given } = publishOnce(context, 'p', { topicId: 't', settings: { messageRetentionSeconds: 600 } }, letter);
  expect(data.topic).toEqual({ projectId: 'p', topicId: 't', schemaId: null, settings: { messageRetentionSeconds: 600 } });
  expect(given.idempotency).toEqual({ key: 'k', body: 'k' });
  expect(publishOnce(context, 'p', { topicId: 't' }, letter).data.topic).toEqual({ projectId: 'p', topicId: 't', schemaId: null });
});

it('What a call has moved a subscription back to is sent again, under another identity', () => {
  const from = { subscriptionId: 's', topicId: 't', offset: 0 };
  expect(identityOf('dead letter', from, 0)).toEqual(['dead letter', 's', 't', '0']);
  expect(identityOf('dead letter', from, 2)).toEqual(['dead letter', 's', 't', '0', '2']);
});
