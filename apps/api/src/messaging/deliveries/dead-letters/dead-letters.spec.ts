import { expect, it, jest } from '@jest/globals';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { messageSample, SOME_CONTEXT, subscriptionSample } from '#test/support/messaging/delivery-samples.js';
import { DeadLetters, identityOf, publishOnce } from './dead-letters.js';

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

it('A dead letter is counted once, also where sending it is repeated', async () => {
  const [found, telemetry] = [subscriptionSample(), new Telemetry()];
  const resources = { topic: async () => ({ topicId: 'lost' }), subscriptionById: async () => found.subscription };
  const accounts = { projects: async () => [{ name: 'p' }] };
  const log = { page: async () => [messageSample(0)] };
  const nothing = {} as never;
  const letters = new DeadLetters(nothing, resources as never, accounts as never, log as never, nothing, nothing, telemetry);
  const letter = messageSample(0).cause;
  jest.spyOn(letters, 'publish').mockResolvedValueOnce({ isNew: true, letter }).mockResolvedValueOnce({ isNew: false, letter });
  const exhausted = {
    by: { subscription: found.ref, server: 'here' },
    options: { deadLetterPolicy: { topic: 'lost', maxDeliveryAttempts: 5 } },
    seeks: 0,
  };
  for (let sent = 0; sent < 2; sent++) expect(await letters.send(exhausted, { offset: 0, attempt: 5 })).toEqual(letter);
  expect((await telemetry.deadLetters.get()).values.map(({ value }) => value)).toEqual([1]);
});
