/** The client that speaks with EventStoreDB: our own, or `@eventstore/db-client`, the vendor's. */
export const EVENT_STORE_CLIENTS = ['native', 'official'] as const;

export type EventStoreClient = (typeof EVENT_STORE_CLIENTS)[number];
