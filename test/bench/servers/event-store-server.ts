import { startEventStoreDb } from '#test/support/eventstoredb/server.js';
import { serveParent } from './child.js';

/** The EventStoreDB test server. */
await serveParent(async () => {
  const { connectionString, stop } = await startEventStoreDb();
  return { url: connectionString, close: stop };
});
