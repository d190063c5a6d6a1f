import { randomUUID } from 'node:crypto';
import { it } from '@jest/globals';
import type { EventBatch, EventStore, SubscribeOptions } from '#domain/shared/event-store.js';
import type { JsonObject, NewEvent, RecordedEvent } from '#domain/shared/events.js';

/** One adapter, opened for one test. */
export type EventStoreHarness = Readonly<{
  store: EventStore;
  /** Closes `store` (or what the last call returned) and opens the same log again. */
  reopen(): Promise<EventStore>;
  /** The same log as another process, or thread, would open it. */
  secondProcess(): Promise<EventStore>;
  /** Closes all that was opened and removes what the test left. */
  dispose(): Promise<void>;
}>;

export type OpenEventStore = () => Promise<EventStoreHarness>;

/** Names that no other test uses: the log may be shared and hold other events. */
export type Names = Readonly<{
  service: string;
  /** Passes every stream of this test. */
  all: readonly string[];
  /** A stream name, new unless `id` is given. */
  stream(category?: string, id?: string): string;
}>;

const newNames = (): Names => {
  const service = `t${randomUUID().slice(0, 13)}`.replaceAll('-', '');
  return { service, all: [`${service}.*`], stream: (category = 'orders', id = randomUUID()) => `${service}.${category}-${id}` };
};

/** Declares a test with a store of its own. */
export const storeTests =
  (open: OpenEventStore) =>
  (title: string, body: (given: EventStoreHarness & Names) => Promise<void>): void => {
    it(title, async () => {
      const harness = await open();
      try {
        await body({ ...harness, ...newNames() });
      } finally {
        await harness.dispose();
      }
    });
  };

export const newEvent = (data: JsonObject = {}, type = 'OrderPlaced'): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: {
    time: '2024-02-29T12:00:00.000Z',
    actor: { kind: 'user', id: 'u-1' },
    service: 'ops',
    requestId: 'r-1',
    correlationId: 'c-1',
    causationId: 'r-1',
    schemaVersion: 1,
  },
});

/** `count` events with data `{ n: from }`, `{ n: from + 1 }`, … */
export const newEvents = (count: number, from = 0): readonly NewEvent[] =>
  Array.from({ length: count }, (_, n) => newEvent({ n: from + n }));

export const idsOf = (events: readonly Readonly<{ id: string }>[]): readonly string[] => events.map(({ id }) => id);
export const revisionsOf = (events: readonly RecordedEvent[]): readonly number[] => events.map(({ revision }) => Number(revision));

/** What the log was given, without what it added. */
export const givenPartOf = (events: readonly RecordedEvent[]): readonly NewEvent[] =>
  events.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }));

export const isIncreasing = (positions: readonly bigint[]): boolean =>
  positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? 0n));

export const readWhole = (store: EventStore, stream: string): Promise<readonly RecordedEvent[]> =>
  store.readStream(stream, { limit: 10_000 });

/** Pages through the log until it is caught up. */
export const readLog = async (
  store: EventStore,
  categories: readonly string[],
  limit = 1_000,
  after = 0n,
): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for (let batch: EventBatch = { events: [], position: after, caughtUp: false }; !batch.caughtUp; events.push(...batch.events)) {
    batch = await store.readAll({ after: batch.position, categories, limit });
  }
  return events;
};

/** A subscription consumed in the background. */
export type Following = Readonly<{
  batches: readonly EventBatch[];
  events: readonly RecordedEvent[];
  /** Resolves once the condition holds, asked after each batch; rejects when the subscription fails or ends before. */
  until(condition: () => boolean): Promise<void>;
  /** Aborts it and waits for the iteration to finish. */
  stop(): Promise<void>;
}>;

export const follow = (store: EventStore, options: Omit<SubscribeOptions, 'signal'>): Following => {
  const abort = new AbortController();
  const batches: EventBatch[] = [];
  const events: RecordedEvent[] = [];
  const waiting = new Set<() => void>();
  let ended = false;
  const wake = (): void => {
    for (const look of waiting) look();
  };
  const consume = async (): Promise<void> => {
    try {
      for await (const batch of store.subscribeAll({ ...options, signal: abort.signal })) {
        batches.push(batch);
        events.push(...batch.events);
        wake();
      }
    } finally {
      ended = true;
      wake();
    }
  };
  const consumed = consume();
  consumed.catch(() => {}); // reported by `until` and `stop`
  const until = async (condition: () => boolean): Promise<void> => {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!ended && !condition()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
    if (condition()) return;
    await consumed;
    throw new Error('the subscription ended before the condition held');
  };
  const stop = (): Promise<void> => {
    abort.abort();
    return consumed;
  };
  return { batches, events, until, stop };
};
