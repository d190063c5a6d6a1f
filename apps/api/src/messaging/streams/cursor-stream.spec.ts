import { expect, it } from '@jest/globals';
import { wireMessage } from '#api/messaging/messages/message-texts.js';
import { startingCursor } from '#domain/messaging/cursors/cursor.js';
import { DomainError } from '#domain/shared/decider.js';
import { messageSample, SOME_CONTEXT } from '#test/support/messaging/delivery-samples.js';
import { CursorStream, type CursorStreamParts } from './cursor-stream.js';

const start = { topicId: 't', startOffset: 0 };
const cursor = startingCursor(start);
const message = wireMessage(messageSample(0));

/** A stream of one message. */
const streaming = (execute: CursorStreamParts['cursors']['execute']): CursorStream => {
  const parts: CursorStreamParts = {
    cursors: { moved: async () => undefined, execute },
    context: SOME_CONTEXT,
    offsets: { cursor: async () => cursor },
    arrivals: { wait: async () => undefined },
    source: { page: async (_topicId: string, from: number) => [message].slice(from) },
  };
  const subscription = { projectId: 'p', subscriptionId: 's', start, topicId: 't' };
  return new CursorStream(parts, { subscription, ackDeadlineSeconds: 10, most: 10, signal: new AbortController().signal });
};

it('Messages that are out are not sent again while reads do not show the delivery yet', async () => {
  const delivered = {
    ...{
      id: 'e',
      stream: 'messaging.cursors-s',
      revision: 0n,
      metadata: { ...SOME_CONTEXT, schemaVersion: 1 },
      type: 'BatchDelivered' as const,
    },
    data: { projectId: 'p', subscriptionId: 's', cursor: { ...cursor, nextOffset: 1, messages: 1 } },
  };
  const stream = streaming(async () => ({ events: [delivered], readable: false }));
  expect(await stream.take()).toEqual([message]);
  expect(await stream.take()).toEqual([]);
});

it('Messages of a topic that was recreated meanwhile are not sent', async () => {
  const refusing = async () => {
    throw new DomainError('TOPIC_REPLACED');
  };
  expect(await streaming(refusing).take()).toEqual([]);
});
