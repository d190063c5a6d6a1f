import { describe, expect, it } from '@jest/globals';
import { type AttachedSubscription, MessagesRefused, type StoredMessage } from '#api/shared/messaging-client.js';
import type { Message } from '#domain/messaging/messages/message-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { ChangeCounter } from '#infra/edges/push/change-counter.js';
import { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';
import { messageSample, subscriptionSample } from '#test/support/messaging/delivery-samples.js';
import { DeadLetters } from './dead-letters.js';
import { BATCH, MetricIngestion } from './metric-ingestion.js';
import { avroReadersOf, type MetricMessage } from './metric-message.js';
import { runSource } from './source-runner.js';

const POINT = { timestamp: '2024-01-01T00:00:00Z', service: 's', hostname: 'h', metric: 'm', status: 'OK' };
const sent = (offset: number, data: string, attributes: Readonly<Record<string, string>> = {}): StoredMessage =>
  messageSample(offset, { data: Buffer.from(data).toString('base64'), bytes: data.length, attributes });
const good = (offset: number, tenant: string): StoredMessage => sent(offset, JSON.stringify(POINT), { tenant });

const OPEN = { topicId: 't', from: 0, to: 9 };

/**
 * A source that was interrupted after it had taken these messages. `stored`: the messages of the dead letter topic, by offset in the source.
 * @param filter of its subscription; `null`: the subscription is deleted
 */
const interrupted = (messages: readonly StoredMessage[], filter?: string | null, progress: object = { open: OPEN, sequence: 1 }) => {
  const [recorded, stored, finished]: [number[], (string | undefined)[], object[]] = [[], [], []];
  const taken: object[] = [];
  const keys = new Set<string>();
  const messaging = {
    messages: async (_topicId: string, from: number) => messages.filter(({ offset }) => offset >= from).slice(0, 2),
    subscription: async (): Promise<AttachedSubscription> => {
      const { ref } = subscriptionSample();
      return { ref: { ...ref, topicId: 't', ...(typeof filter === 'string' && { selection: { filter } }) }, ackDeadlineSeconds: 10 };
    },
    pull: async () => messages,
    acknowledge: async () => undefined,
    publish: async ({ idempotency }: CommandContext, _topic: object, letters: readonly Message[]) => {
      if (letters.some(({ attributes }) => attributes?.refused)) throw new MessagesRefused('not of the schema');
      if (keys.has(`${idempotency?.key}`)) return;
      keys.add(`${idempotency?.key}`);
      stored.push(...letters.map(({ attributes }) => attributes?.['logbook-message-id']));
    },
  };
  const resources = {
    subscription: async () => (filter === null ? undefined : subscriptionSample().subscription),
    topic: async () => ({ topicId: 'dead', schemaId: null }),
  };
  const accounts = { project: async (id: string) => (id === 'p' ? { name: 'p' } : undefined) };
  const gateway = {
    execute: async ({ command }: { command: { outcome?: object } }) => {
      if (command.outcome) finished.push(command.outcome);
      else taken.push(command);
      return { events: [] };
    },
  };
  const ingestion = new MetricIngestion(
    gateway as never,
    messaging as never,
    accounts as never,
    resources as never,
    { place: async () => ({ next: 1, offset: 0 }) } as never,
    { progress: async () => progress } as never,
    { of: async () => avroReadersOf(undefined) } as never,
    { record: async (_: object, points: readonly MetricMessage[]) => void recorded.push(...points.map(({ offset }) => offset)) } as never,
    new DeadLetters(messaging as never, resources as never, accounts as never, Date.now, { warn: () => undefined } as never),
    { readStream: async () => [] },
    Date.now,
  );
  const resume = () => ingestion.next('tenant', { projectId: 'p', subscription: 'reader', deadLetterTopic: 'dead' });
  return { ingestion, resume, recorded, stored, finished, taken };
};

describe('a metric source that resumes a batch', () => {
  it('takes up only messages that its subscription selects', async () => {
    const messages = [good(0, 'a'), good(1, 'b'), good(2, 'b'), good(3, 'b'), sent(4, 'garbage', { tenant: 'b' }), good(5, 'a')];
    const { resume, recorded, stored, finished } = interrupted(messages, 'attributes.tenant = "a"');
    await resume();
    expect([recorded, stored]).toEqual([[0, 5], []]);
    expect(finished).toEqual([{ messages: 2, points: 2, deadLettered: 0, discarded: 0 }]);
  });

  it('says that its project was deleted, also where a later one has the name', async () => {
    const { ingestion } = interrupted([], null);
    const next = (projectId: string) => ingestion.next('tenant', { projectId, subscription: 'reader' });
    await expect(next('p')).rejects.toThrow('Subscription reader does not exist');
    await expect(next('deleted')).rejects.toThrow('Its project was deleted');
  });

  it('keeps the filter with which the batch was pulled when its subscription is replaced or deleted', async () => {
    const messages = [good(0, 'a'), good(1, 'b'), good(2, 'a')];
    const range = { topicId: 't', from: 0, to: 3 };
    for (const [filter, pulled, expected] of [
      ['attributes.tenant = "a"', [good(0, 'a'), good(2, 'a')], [0, 2]],
      [undefined, messages, [0, 1, 2]],
    ] as const) {
      const before = interrupted(pulled, filter, { open: null, done: [], sequence: 0 });
      await before.resume();
      expect(before.taken).toEqual([{ type: 'TakeMessages', tenantId: 'tenant', seen: 0, range, filter: filter ?? '' }]);
      for (const present of [undefined, 'attributes.tenant = "b"', null]) {
        const { resume, recorded } = interrupted(messages, present, { open: range, sequence: 1, filter: filter ?? '' });
        await resume();
        expect(recorded).toEqual(expected);
      }
    }
  });

  it.each([
    ['pulled', { open: null, done: [], sequence: 0 }],
    ['resumed', { open: OPEN, sequence: 1 }],
  ])('counts all messages of a large batch in the memory of sources until it is finished: %s', async (_case, progress) => {
    const messages = [9, 1, 7].map((size, offset) => ({ ...good(offset, 'a'), bytes: size * BATCH.bytes }));
    const { ingestion } = interrupted(messages, undefined, progress);
    const [room, ended] = [new MemoryBudget(32 * BATCH.bytes), new AbortController()];
    let used = 0;
    const next: MetricIngestion['next'] = async (...call) => {
      const found = await ingestion.next(...call);
      used = room.taken;
      ended.abort();
      return found;
    };
    const [changes, report, warn] = [new ChangeCounter(), () => undefined, () => undefined];
    await runSource(
      'tenant',
      { projectId: 'p', subscription: 'reader' },
      { ingestion: { next }, changes, room, report, warn },
      ended.signal,
    );
    expect([used, room.taken]).toEqual([8 * 17 * BATCH.bytes, 0]);
  });

  it('publishes each dead letter once, although others of the batch expire meanwhile', async () => {
    const messages = [sent(0, 'x'), sent(1, 'x'), good(2, 'a'), sent(3, 'x')];
    const { resume, stored, finished } = interrupted(messages);
    await resume();
    messages.shift();
    await resume();
    expect(stored).toEqual(['0', '1', '3']);
    expect(finished).toMatchObject([{ deadLettered: 3 }, { deadLettered: 2 }]);
  });

  it('discards only the messages that the dead letter topic refuses', async () => {
    const { resume, stored, finished } = interrupted([sent(0, 'x'), sent(1, 'x', { refused: 'yes' }), sent(2, 'x')]);
    await resume();
    expect(stored).toEqual(['0', '2']);
    expect(finished).toMatchObject([
      { deadLettered: 2, discarded: 1, setAside: [{ from: 0 }, { from: 1, fate: 'discarded' }, { from: 2 }] },
    ]);
  });
});
