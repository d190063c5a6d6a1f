import { expect, it } from '@jest/globals';
import { wireMessage } from '#api/messaging/messages/message-texts.js';
import { startingCursor } from '#domain/messaging/cursors/cursor.js';
import { messageSample, SOME_CONTEXT } from '#test/support/messaging/delivery-samples.js';
import { CursorStream, type CursorStreamOptions, type CursorStreamParts } from './cursor-stream.js';

it('Messages that are out are not sent again while reads do not show the delivery yet', async () => {
  const start = { topicId: 't', startOffset: 0 };
  const cursor = startingCursor(start);
  const [gone, message] = [new AbortController(), wireMessage(messageSample(0))];
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
  const parts: CursorStreamParts = {
    cursors: { moved: async () => undefined, execute: async () => ({ events: [delivered], readable: false }) },
    context: SOME_CONTEXT,
    offsets: { cursor: async () => cursor },
    arrivals: { wait: async () => undefined },
    source: { page: async (_topicId: string, from: number) => [message].slice(from) },
  };
  const subscription = { projectId: 'p', subscriptionId: 's', start, topicId: 't' };
  const options: CursorStreamOptions = { subscription, ackDeadlineSeconds: 10, most: 10, signal: gone.signal };
  const stream = new CursorStream(parts, options);
  expect(await stream.take()).toEqual([message]);
  expect(await stream.take()).toEqual([]);
});
