import { describe, expect, it } from '@jest/globals';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import { messageSample } from '#test/support/messaging/delivery-samples.js';
import { wireMessage } from './message-texts.js';
import { WireMessageCache } from './wire-message-cache.js';

type Asked = Readonly<{ from: number; limit: number }>;

/** A topic's log of `count` messages that records its reads. `first`: the oldest stored message. */
const logOf = (count: number, dataOf: (offset: number) => string = (offset) => `data${offset}`) => {
  const asked: Asked[] = [];
  const log = {
    first: 0,
    count,
    asked,
    page: async (topicId: string, from: number, limit: number, maxBytes = Number.POSITIVE_INFINITY): Promise<readonly StoredMessage[]> => {
      asked.push({ from, limit });
      const page: StoredMessage[] = [];
      let bytes = 0;
      for (let offset = Math.max(from, log.first); offset < log.count && page.length < limit && bytes < maxBytes; offset++) {
        const data = dataOf(offset);
        page.push(messageSample(offset, { data, bytes: data.length, projectId: topicId }));
        bytes += data.length;
      }
      return page;
    },
  };
  return log;
};

/** Expects the page to equal the log. Returns the reads of the log. */
const expectPage = async (
  log: ReturnType<typeof logOf>,
  messages: WireMessageCache,
  from: number,
  limit: number,
  maxBytes?: number,
): Promise<readonly Asked[]> => {
  log.asked.length = 0;
  const page = await messages.page('t', from, limit, maxBytes);
  const asked = [...log.asked];
  expect(page).toEqual((await log.page('t', from, limit, maxBytes)).map(wireMessage));
  return asked;
};

describe('Messages that were pulled before', () => {
  it('are only checked for whether they may still be read', async () => {
    const log = logOf(1_000);
    const messages = new WireMessageCache(log);
    expect(await expectPage(log, messages, 100, 200)).toEqual([{ from: 100, limit: 200 }]);
    expect(await expectPage(log, messages, 100, 200)).toEqual([{ from: 100, limit: 1 }]);
    expect(await expectPage(log, messages, 163, 2)).toEqual([{ from: 163, limit: 1 }]);
    expect(await expectPage(log, messages, 99, 2)).toEqual([{ from: 99, limit: 2 }]);
    expect(await messages.page('u', 100, 1)).toEqual((await log.page('u', 100, 1)).map(wireMessage));
  });

  it('are followed by messages that were not', async () => {
    const log = logOf(150);
    const messages = new WireMessageCache(log);
    await expectPage(log, messages, 0, 200);
    log.count = 400;
    expect(await expectPage(log, messages, 10, 200)).toEqual([
      { from: 10, limit: 1 },
      { from: 150, limit: 60 },
    ]);
    expect(await expectPage(log, messages, 10, 200)).toEqual([{ from: 10, limit: 1 }]);
  });

  it('are not delivered once they have expired', async () => {
    const log = logOf(100);
    const messages = new WireMessageCache(log);
    await expectPage(log, messages, 0, 50);
    for (const first of [1, 49, 50, 70, 100]) {
      log.first = first;
      for (const limit of [1, 50, 100]) await expectPage(log, messages, 0, limit);
    }
  });

  it('do not hide that messages after them expire while they are read', async () => {
    const log = logOf(100);
    const messages = new WireMessageCache(log);
    await messages.page('t', 0, 50);
    const { page } = log;
    log.page = (topicId, from, ...rest) => {
      if (from === 50) log.first = 60;
      return page(topicId, from, ...rest);
    };
    expect((await messages.page('t', 0, 100)).map(({ offset }) => offset)).toEqual(Array.from({ length: 40 }, (_, index) => index + 60));
  });

  it('end with the message with which the log ends a page', async () => {
    const log = logOf(100, () => 'x'.repeat(1_000));
    const messages = new WireMessageCache(log);
    for (const maxBytes of [1, 1_000, 1_001, 50_000, 99_999, 200_000, undefined])
      for (const from of [0, 30]) await expectPage(log, messages, from, 100, maxBytes);
  });

  it('take limited memory, and large ones do not drive out others', async () => {
    const log = logOf(300, (offset) => 'x'.repeat(offset === 0 ? 10_000_000 : 250_000));
    const messages = new WireMessageCache(log);
    await expectPage(log, messages, 290, 10);
    for (let round = 0; round < 5; round++) expect(await expectPage(log, messages, 0, 1)).toEqual([{ from: 0, limit: 1 }]);
    expect(await expectPage(log, messages, 290, 10)).toEqual([{ from: 290, limit: 1 }]);
    for (let from = 1; from < 280; from += 20) await expectPage(log, messages, from, 20);
    expect(await expectPage(log, messages, 290, 10)).toEqual([{ from: 290, limit: 10 }]);
  });
});
