import { EVENT_STORE_CLIENTS, type EventStoreClient } from '#infra/platform/config/event-store-clients.js';

/** The client that suites of the adapter use: by the same variable as a server. Default `native`. */
export const chosenClient = (): EventStoreClient =>
  EVENT_STORE_CLIENTS.find((name) => name === process.env.LOGBOOK_EVENTSTORE_CLIENT) ?? 'native';
