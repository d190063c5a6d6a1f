import { type RealServerBackup, realServerCommand, startRealServer } from './real-server.js';
import { type EventStoreDbBackup, type EventStoreDbTestServer, emptyBackup, startEventStoreDb } from './server.js';

/** Data of a server, which may be put into any of the same kind, any number of times. */
export type LogBackup = EventStoreDbBackup | RealServerBackup;

/** What tests need of an EventStoreDB server, and a real one can do as well as the test server. */
export type LogServer = Readonly<{
  connectionString: string;
  port: number;
  /** Ends everything. The data are gone. */
  stop(): Promise<void>;
  /** Cuts all connections and refuses new ones; what was written stays. */
  goDown(): Promise<void>;
  /** Listens again on the same port, with the data of a backup if one is given, or without any (`null`). */
  comeUp(backup?: LogBackup | null): Promise<void>;
  backup(): Promise<LogBackup>;
  restart(): Promise<void>;
  /** Accepts no bytes and sends none; connections stay open. */
  freeze(): void;
  thaw(): void;
  isReal?: true;
  /** The test server with all its faults; absent: this is a real server. */
  simulated?: EventStoreDbTestServer;
}>;

/** An empty server of its own: a real one where the environment has a command for it, else the test server. */
export const startLogServer = async (): Promise<LogServer> => {
  const command = realServerCommand();
  if (command !== undefined) return real(await startRealServer(command));
  const server = await startEventStoreDb();
  return {
    ...server,
    simulated: server,
    backup: async () => server.backup(),
    comeUp: (backup) => {
      if (backup === null) return server.comeUp(emptyBackup());
      if (backup && !('log' in backup)) throw new Error('a backup of a real server');
      return server.comeUp(backup);
    },
  };
};

const real = (server: Awaited<ReturnType<typeof startRealServer>>): LogServer => ({
  ...server,
  isReal: true,
  comeUp: async (backup) => {
    if (backup && !('directory' in backup)) throw new Error('a backup of the test server');
    await server.comeUp(backup);
  },
});
