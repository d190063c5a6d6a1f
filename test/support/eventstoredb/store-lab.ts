import { afterEach } from '@jest/globals';
import type { EventStore, InterruptedCalls } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { openEventStoreDb } from '#infra/stores/event-store/eventstoredb/event-store.js';
import type { EventStoreDbLimits } from '#infra/stores/event-store/eventstoredb/limits.js';
import { idsOf, follow as subscribed } from '#test/contracts/event-store/fixture.js';
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

/** A subscription until the end of the test. */
export const follow = (store: EventStore, after: Position = 0n, categories: readonly string[] = ['test.*']) => {
  const following = subscribed(store, { after, categories });
  cleanUps.push(() => following.stop());
  return { ...following, caughtUp: () => following.until(() => following.batches.some((batch) => batch.caughtUp)) };
};

export const stored = async (store: EventStore, stream: string) => idsOf(await store.readStream(stream, { limit: 10_000 }));
