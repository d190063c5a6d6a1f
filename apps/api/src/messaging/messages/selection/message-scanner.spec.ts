import { expect, it } from '@jest/globals';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { messageSample, unwanted } from '#test/support/messaging/delivery-samples.js';
import { MessageScanner } from './message-scanner.js';
import { SubscribedMessages } from './selected-messages.js';

const selection = { filter: 'attributes:wanted' };
const ref = { projectId: 'p', subscriptionId: 's', start: { topicId: 't', startOffset: 0 }, topicId: 't', selection };

/** Unwanted messages of a log of `head`, each page of which takes `pageMs` to read. */
const reading = (head: number, pageMs: number) => {
  const pass = stopClock();
  const log = {
    page: async (_topicId: string, from: number, limit: number): Promise<readonly StoredMessage[]> => {
      pass(pageMs);
      const count = Math.max(0, Math.min(limit, head - from));
      return Array.from({ length: count }, (_, index) => messageSample(from + index));
    },
    firstSince: unwanted,
  };
  const scanner = new MessageScanner(log, { endAfter: async () => head }, () => 0);
  return { scanner, source: new SubscribedMessages(scanner, log, { page: unwanted }).stored(ref) };
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

it('What is known to lie between messages that are far apart is not read again', async () => {
  const head = 5_000;
  let read = 0;
  const log = {
    page: async (_topicId: string, from: number, limit: number): Promise<readonly StoredMessage[]> => {
      const offsets = Array.from({ length: Math.max(0, Math.min(limit, head - from)) }, (_, index) => from + index);
      read += offsets.length;
      return offsets.map((offset) => messageSample(offset, { attributes: offset % 1_000 === 7 ? { wanted: '' } : {} }));
    },
    firstSince: unwanted,
  };
  const scanner = new MessageScanner(log, { endAfter: async () => head }, () => 0);
  const look = () => scanner.scan({ topicId: 't', selection, from: 0, limit: 10 });
  const first = await look();
  expect([first.found.map(({ offset }) => offset), first.looked, read]).toEqual([[7, 1_007, 2_007, 3_007, 4_007], head, head]);
  read = 0;
  expect(await look()).toEqual(first);
  expect(read).toBe(5);
});

it('A look ends with the message whose attributes reach the bytes wanted', async () => {
  const log = {
    page: async (_topicId: string, from: number): Promise<readonly StoredMessage[]> =>
      [0, 1, 2].slice(from).map((offset) => messageSample(offset, { attributes: { wanted: 'v'.repeat(600) } })),
    firstSince: unwanted,
  };
  const scanner = new MessageScanner(log, { endAfter: async () => 3 }, () => 0);
  const { found, looked } = await scanner.scan({ topicId: 't', selection, from: 0, limit: 10, maxBytes: 1_000 });
  expect([found.map(({ offset }) => offset), looked]).toEqual([[0, 1], 2]);
});

it.each([200, 100, 0])('Messages older than the retention are passed over, up to the first young one: counters at %d', async (counted) => {
  const now = Date.UTC(2026, 0, 1, 12);
  const publishTime = (age: number) => new Date(now - age * 1_000).toISOString();
  const log = Array.from({ length: 200 }, (_, offset) => messageSample(offset, { publishTime: publishTime(7_200) }));
  const source = {
    page: async (_topicId: string, from: number, limit: number) => log.slice(from, from + limit),
    firstSince: async () => undefined,
  };
  const scanner = new MessageScanner(source, { endAfter: async (_topicId, offset) => Math.max(offset, counted) }, () => now);
  const look = async (from: number): Promise<readonly number[]> => {
    const { found, looked } = await scanner.scan({ topicId: 't', selection: { messageRetentionSeconds: 600 }, from, limit: 1_000 });
    return found.length > 0 || looked === from ? found.map(({ offset }) => offset) : look(looked);
  };
  expect(await look(0)).toEqual([]);
  log.push(messageSample(200, { publishTime: publishTime(0) }));
  expect(await look(0)).toEqual([200]);
});
