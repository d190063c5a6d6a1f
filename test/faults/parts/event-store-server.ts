import { startEventStoreDb } from '#test/support/eventstoredb/server.js';
import { JournaledLog } from './journaled-log.js';

/** The EventStoreDB test server as a process that may be killed: its data are in the file named by the only argument. */
const [path = ''] = process.argv.slice(2);
const { port } = await startEventStoreDb({ log: JournaledLog.open(path) });
console.log(`serving at ${port}`);
