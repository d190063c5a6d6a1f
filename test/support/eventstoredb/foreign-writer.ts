import { binaryEvent, type EventData, EventStoreDBClient, jsonEvent, type StreamMetadata } from '@eventstore/db-client';

const BYTES = Buffer.from([0, 0xff, 0xfe, 7]);

/** Events as other programs write them, by stream: nothing in them is as Logbook writes it, or only a part. */
const foreign = (): readonly (readonly [stream: string, event: Parameters<EventStoreDBClient['appendToStream']>[1]])[] => [
  ['orders-1', binaryEvent({ type: 'order-placed', data: BYTES })],
  ['orders-1', binaryEvent({ type: 'nothing', data: Buffer.alloc(0) })],
  ['orders-2', binaryEvent({ type: 'huge', data: Buffer.alloc(1_000_000, 7), metadata: BYTES })],
  ['orders', jsonEvent({ type: 'no dash', data: { text: 'é' } })],
  ['orders-3', jsonEvent({ type: 'OrderPlaced', data: { n: 1 }, metadata: { $correlationId: 'c', actor: 'somebody', schemaVersion: 1 } })],
  ['orders-4', jsonEvent({ type: '\u001b[31mred\u202e\n', data: [1, 2] })],
  ['-', jsonEvent({ type: 'a', data: {} })],
  ['linked-1', binaryEvent({ type: '$>', data: Buffer.from('0@orders-1') })],
  ['$own-orders', binaryEvent({ type: 'system', data: BYTES })],
  ['payload-of-another', binaryEvent({ type: 'part', data: BYTES })],
  // Names much like ours.
  ['legacy.status.tenants-global', binaryEvent({ type: 'TenantRegistered', data: BYTES })],
  ['Status.tenants-global', jsonEvent({ type: 'TenantRegistered', data: {} })],
  ['status.tenants_old-global', jsonEvent({ type: 'TenantRegistered', data: {}, metadata: {} })],
  ['status.-global', binaryEvent({ type: 'TenantRegistered', data: BYTES })],
  ['statustenants-global', jsonEvent({ type: 'TenantRegistered', data: {}, metadata: null })],
];

/** How many of them are passed over, one by one: not those of the server's own kind, which nobody looks at. */
export const FOREIGN_COUNT = foreign().filter(
  ([stream, event]) => !/^(\$|payload-)/.test(stream) && !`${[event].flat()[0]?.type}`.startsWith('$'),
).length;

const withClient = async (connectionString: string, write: (client: EventStoreDBClient) => Promise<unknown>): Promise<void> => {
  const client = EventStoreDBClient.connectionString(connectionString);
  try {
    await write(client);
  } finally {
    await client.dispose();
  }
};

/** Writes as other programs do that share a server. */
export const writeForeign = (connectionString: string): Promise<void> =>
  withClient(connectionString, async (client) => {
    for (const [stream, event] of foreign()) await client.appendToStream(stream, event);
  });

/** Replaces the metadata of a stream. */
export const writeMetadata = (connectionString: string, stream: string, metadata: StreamMetadata): Promise<void> =>
  withClient(connectionString, (client) => client.setStreamMetadata(stream, metadata));

/** Writes events as they are into a stream, one after the other. */
export const writeEvents = (connectionString: string, stream: string, events: readonly EventData[]): Promise<void> =>
  withClient(connectionString, async (client) => {
    for (const event of events) await client.appendToStream(stream, event);
  });
