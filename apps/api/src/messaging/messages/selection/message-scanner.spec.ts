import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import { MessageScanner } from './message-scanner.js';
import { SubscribedMessages } from './selected-messages.js';

const selection = { filter: 'attributes:wanted' };
const ref = { projectId: 'p', subscriptionId: 's', start: { topicId: 't', startOffset: 0 }, topicId: 't', selection };

/** The messages that nobody wants of a log of so many, which is so slow to read. */
const reading = (head: number, pageMs: number) => {
  const log = {
    page: async (_topicId: string, from: number, limit: number): Promise<readonly StoredMessage[]> => {
      await sleep(pageMs);
      const count = Math.max(0, Math.min(limit, head - from));
      return Array.from({ length: count }, (_, index) => ({ offset: from + index, bytes: 1 }) as unknown as StoredMessage);
    },
  };
  const parts = [log, { nextOffset: async () => head }, () => 0] as unknown as ConstructorParameters<typeof MessageScanner>;
  const scanner = new MessageScanner(...parts);
  const others = [log, {}] as unknown as [never, never];
  return { scanner, source: new SubscribedMessages(scanner, ...others).stored(ref) };
};

it('A look that takes too long tells how far it came; the next one goes on from there', async () => {
  const { source } = reading(70, 620);
  expect(await source.page('t', 0, 10)).toEqual([]);
  expect(source.passed?.('t', 0)).toBe(64);
  expect(await source.page('t', 64, 10)).toEqual([]);
  expect(source.passed?.('t', 64)).toBe(70);
});

it('What the last look passed over is known to its source, also where it is not remembered for others', async () => {
  const { scanner, source } = reading(70, 1);
  expect(await source.page('t', 0, 10)).toEqual([]);
  scanner.clear();
  expect(source.passed?.('t', 3)).toBe(70);
  expect(source.passed?.('other', 3)).toBe(3);
});
