import { expect, it } from '@jest/globals';
import { startingCursor } from '#domain/messaging/cursors/cursor.js';
import { CursorStream, type CursorStreamOptions, type CursorStreamParts } from './cursor-stream.js';

it('Messages that are out are not sent again while reads do not show the delivery yet', async () => {
  const start = { topicId: 't', startOffset: 0 };
  const cursor = startingCursor(start);
  const [gone, message] = [new AbortController(), { offset: 0, bytes: 1 }];
  const parts = {
    cursors: {
      moved: async () => undefined,
      execute: async () => ({ events: [{ data: { cursor: { ...cursor, nextOffset: 1, messages: 1 } } }], readable: false }),
    },
    offsets: { cursor: async () => cursor },
    arrivals: { wait: async () => undefined },
    source: { page: async (_topicId: string, from: number) => [message].slice(from) },
  };
  const subscription = { projectId: 'p', subscriptionId: 's', start, topicId: 't' };
  const options: CursorStreamOptions = { subscription, ackDeadlineSeconds: 10, most: 10, signal: gone.signal };
  const stream = new CursorStream(parts as unknown as CursorStreamParts, options);
  expect(await stream.take()).toEqual([message]);
  expect(await stream.take()).toEqual([]);
});
