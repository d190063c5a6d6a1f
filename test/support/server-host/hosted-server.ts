import { createInterface } from 'node:readline';
import { addressIn, environmentOf, type LogbookProcess, startLogbook } from '../logbook-process.js';
import { isFullRun } from '../test-runs.js';
import { connectToHost } from './host-connection.js';
import type { HostMessage } from './messages.js';

const ofAProcess = (what: string) => (): never => {
  throw new Error(`${what}: this server shares its process with others. See \`servingAlone\``);
};

/**
 * Starts a server with these environment variables, on a free port, in a process that it shares with others of these suites.
 * @throws with all output when it ends instead
 */
const startHosted = async (environment: Readonly<Record<string, string>>): Promise<LogbookProcess> => {
  const socket = await connectToHost({ serve: environmentOf(environment) });
  const lines: string[] = [];
  const told = createInterface({ input: socket });
  let exit: number | null = null;
  const exited = new Promise<number | null>((resolve) => told.once('close', () => resolve(exit)));
  const url = new Promise<string>((resolve, reject) => {
    told.on('line', (text) => {
      const message = JSON.parse(text) as HostMessage;
      if ('exit' in message) exit = message.exit;
      if ('line' in message) {
        lines.push(message.line);
        const address = addressIn(message.line);
        if (address !== undefined) resolve(address);
      }
    });
    void exited.then((code) => reject(new Error(`the server ended with ${code}: ${lines.join('\n')}`)));
  });
  return {
    url: await url,
    lines,
    stop: () => {
      socket.write('end\n');
      return exited;
    },
    kill: ofAProcess('kill'),
    get pid() {
      return ofAProcess('pid')();
    },
  };
};

/** A server for tests that neither kill it nor look at its process: in a process of its own in full runs only. */
export const startServer: (environment: Readonly<Record<string, string>>) => Promise<LogbookProcess> = isFullRun
  ? startLogbook
  : startHosted;
