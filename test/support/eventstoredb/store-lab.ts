import { randomUUID } from 'node:crypto';
import { afterEach } from '@jest/globals';
import type { EventBatch, EventStore, InterruptedCalls } from '#domain/shared/event-store.js';
import type { NewEvent, Position, RecordedEvent } from '#domain/shared/events.js';
import { openEventStoreDb } from '#infra/stores/event-store/eventstoredb/event-store.js';
import type { EventStoreDbLimits } from '#infra/stores/event-store/eventstoredb/limits.js';
import { LONGEST_MS } from '#test/support/eventually.js';
import { chosenClient } from './chosen-client.js';
import { type LogServer, startLogServer } from './log-server.js';
import { realServerCommand } from './real-server.js';
import { type EventStoreDbOptions, type EventStoreDbTestServer, startEventStoreDb } from './server.js';

/** No limit is reached because the machine is busy. */
const PATIENT: Partial<EventStoreDbLimits> = {
  appendMs: LONGEST_MS,
  silenceMs: LONGEST_MS,
  retryMs: LONGEST_MS,
  unknownOutcomes: 1_000,
  idleMs: 300,
};

/** For tests that wait for a limit; a real server needs some seconds for a restart. */
export const SHORT = (({ limitMs }) => ({ appendMs: limitMs, silenceMs: limitMs, retryMs: limitMs, unknownOutcomes: 3 }))(
  realServerCommand() === undefined ? { limitMs: 600 } : { limitMs: 2_000 },
);

export const newEvent = (data: NewEvent['data'] = {}): NewEvent => ({
  id: randomUUID(),
  type: 'Happened',
  data,
  metadata: {
    time: '2026-01-01T00:00:00.000Z',
    actor: { kind: 'system', id: 'test' },
    service: 'ops',
    requestId: 'request',
    correlationId: 'conversation',
    causationId: 'request',
    schemaVersion: 1,
  },
});

export const numbered = (count: number, from = 0): readonly NewEvent[] =>
  Array.from({ length: count }, (_, n) => newEvent({ n: from + n }));

const cleanUps: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A real server where the environment has a command for it, else the test server. */
export const startServer = async (): Promise<LogServer> => {
  const server = await startLogServer();
  cleanUps.push(() => server.stop());
  return server;
};

/** For faults that can only be simulated. */
export const startTestServer = async (options?: EventStoreDbOptions): Promise<EventStoreDbTestServer> => {
  const server = await startEventStoreDb(options);
  cleanUps.push(() => server.stop());
  return server;
};

export const openStore = (
  { connectionString }: Pick<LogServer, 'connectionString'>,
  more: Partial<EventStoreDbLimits> = {},
): EventStore => {
  const store = openEventStoreDb({ connectionString, client: chosenClient(), limits: { ...PATIENT, ...more } });
  cleanUps.push(() => store.close());
  return store;
};

export const start = async (more?: Partial<EventStoreDbLimits>) => {
  const server = await startServer();
  return { server, store: openStore(server, more) };
};

export const startSimulated = async (options?: EventStoreDbOptions, more?: Partial<EventStoreDbLimits>) => {
  const server = await startTestServer(options);
  return { server, store: openStore(server, more) };
};

/** Resolves when calls to the server, or reads alone, are interrupted the next time. */
export const interruption = (store: EventStore, of?: InterruptedCalls): Promise<void> =>
  new Promise((resolve) => {
    const stop = store.onInterruption(() => {
      stop();
      resolve();
    }, of);
  });

/** A subscription whose batches are collected as they come. */
export const follow = (store: EventStore, after: Position = 0n, categories: readonly string[] = ['test.*']) => {
  const abort = new AbortController();
  const batches: EventBatch[] = [];
  const waiting = new Set<() => void>();
  const events = () => batches.flatMap((batch) => batch.events);
  const ended = (async () => {
    for await (const batch of store.subscribeAll({ after, categories, signal: abort.signal })) {
      batches.push(batch);
      for (const look of waiting) look();
    }
  })();
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = () => {
        if (!condition()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  cleanUps.push(async () => {
    abort.abort();
    await ended;
  });
  return { batches, events, until, ended, abort, caughtUp: () => until(() => batches.some((batch) => batch.caughtUp)) };
};

export const idsOf = (events: readonly (NewEvent | RecordedEvent)[]): readonly string[] => events.map((event) => event.id);

export const stored = async (store: EventStore, stream: string) => idsOf(await store.readStream(stream, { limit: 10_000 }));
