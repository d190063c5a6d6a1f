import { EventStoreDBClient, START, streamNameFilter } from '@eventstore/db-client';
import { expect, it } from '@jest/globals';
import { newEvent, startServer } from '#test/support/eventstoredb/store-lab.js';
import { openEventStoreDbLog } from './foreign-streams.js';

const DAY = 86_400;

it.each([
  [7 * DAY, 366 * DAY],
  [400 * DAY, 401 * DAY],
])('with a retention of %s s large messages are kept for as long as a topic may keep them, %s s', async (retention, kept) => {
  const { connectionString } = await startServer();
  const log = await openEventStoreDbLog({ eventStoreUrl: connectionString, messagingRetentionSeconds: retention });
  const client = EventStoreDBClient.connectionString(connectionString);
  try {
    for (const stream of ['messaging.messages-1', 'accounting.metrics-1'])
      await log.append(stream, [newEvent({ text: 'x'.repeat(1_500_000) })], 'no-stream');
    const ages: unknown[] = [];
    const metadata = client.subscribeToAll({ fromPosition: START, filter: streamNameFilter({ prefixes: ['$$payload-', 'accounting.'] }) });
    for await (const { event } of metadata) {
      if (event?.streamId === 'accounting.metrics-1') break;
      ages.push(event?.data);
    }
    expect(ages).toEqual([{ $maxAge: kept }]);
  } finally {
    await client.dispose();
    await log.close();
  }
});
