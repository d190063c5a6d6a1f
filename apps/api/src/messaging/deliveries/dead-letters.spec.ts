import { expect, it } from '@jest/globals';
import type { PublishMessages } from '#api/messaging/messages/publish-messages.js';
import { DeadLetters, identityOf } from './dead-letters.js';

/** The command that is given to the bus. */
const published = async (settings?: object): Promise<PublishMessages> => {
  let given: unknown;
  const bus = { execute: async (command: unknown) => (given = command) };
  const hashes = { of: (text: string) => `hash of ${text}` };
  const gateway = { ownContext: () => ({ time: 'now' }) };
  const parts = [bus, {}, {}, {}, gateway, hashes, {}] as unknown as ConstructorParameters<typeof DeadLetters>;
  const topic = { topicId: 't', ...(settings && { settings }) };
  await new DeadLetters(...parts).publish('p', topic, { data: 'YQ==' }, ['dead letter', 's', 't', '0']);
  return given as PublishMessages;
};

it('A dead letter is stored as long as its topic says, and once', async () => {
  const { data, context } = await published({ messageRetentionSeconds: 600 });
  expect(data.topic).toEqual({ projectId: 'p', topicId: 't', schemaId: null, settings: { messageRetentionSeconds: 600 } });
  const key = 'hash of ["dead letter","s","t","0"]';
  expect(context.idempotency).toEqual({ key, body: key });
  expect((await published()).data.topic).toEqual({ projectId: 'p', topicId: 't', schemaId: null });
});

it('What a call has moved a subscription back to is sent again, under another identity', () => {
  const from = { subscriptionId: 's', topicId: 't' };
  expect(identityOf('dead letter', from, 0, 0)).toEqual(['dead letter', 's', 't', '0']);
  expect(identityOf('dead letter', from, 0, 2)).toEqual(['dead letter', 's', 't', '0', '2']);
});
