import { afterAll, beforeAll } from '@jest/globals';
import type { EventStore } from '#domain/shared/event-store.js';
import type { EventStoreHarness } from '#test/contracts/event-store/fixture.js';
import { eventStoreContract } from '#test/contracts/event-store.contract.js';
import { type EventStoreDbTestServer, startEventStoreDb } from '#test/support/eventstoredb/server.js';
import { openEventStoreDb } from './event-store.js';

const harness = (connectionString: string): EventStoreHarness => {
  const opened: EventStore[] = [];
  const open = (): EventStore => {
    const store = openEventStoreDb({ connectionString });
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

let server: EventStoreDbTestServer;

beforeAll(async () => {
  server = await startEventStoreDb();
});

afterAll(() => server.stop());

eventStoreContract('EventStoreDB, test server', async () => harness(server.connectionString));

const url = process.env.EVENTSTORE_URL;
if (url) eventStoreContract('EventStoreDB, real server', async () => harness(url));
