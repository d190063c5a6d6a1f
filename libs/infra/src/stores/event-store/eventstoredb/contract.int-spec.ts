import { afterAll, beforeAll } from '@jest/globals';
import type { EventStore } from '#domain/shared/event-store.js';
import { EVENT_STORE_CLIENTS, type EventStoreClient } from '#infra/platform/config/event-store-clients.js';
import type { EventStoreHarness } from '#test/contracts/event-store/fixture.js';
import { eventStoreContract } from '#test/contracts/event-store.contract.js';
import { type LogServer, startLogServer } from '#test/support/eventstoredb/log-server.js';
import { isFullRun } from '#test/support/test-runs.js';
import { openEventStoreDb } from './event-store.js';

const harness = (connectionString: string, client: EventStoreClient): EventStoreHarness => {
  const opened: EventStore[] = [];
  const open = (): EventStore => {
    const store = openEventStoreDb({ connectionString, client });
    opened.push(store);
    return store;
  };
  let store = open();
  return {
    store,
    reopen: async () => {
      await store.close();
      store = open();
      return store;
    },
    secondProcess: async () => open(),
    dispose: async () => {
      await Promise.all(opened.map((each) => each.close()));
    },
  };
};

let server: LogServer;

beforeAll(async () => {
  server = await startLogServer();
});

afterAll(() => server.stop());

const url = process.env.EVENTSTORE_URL;
/** Tests the vendor's client only in full runs: it implements the same port, and is slower. */
for (const client of EVENT_STORE_CLIENTS.slice(0, isFullRun ? undefined : 1)) {
  eventStoreContract(`EventStoreDB, ${client} client`, async () => harness(server.connectionString, client));
  if (url) eventStoreContract(`EventStoreDB at EVENTSTORE_URL, ${client} client`, async () => harness(url, client));
}
