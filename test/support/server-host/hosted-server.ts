import { createInterface } from 'node:readline';
import { addressIn, environmentOf, type LogbookProcess, runLogbook, watchEnd } from '#test/support/processes/logbook-process.js';
import { connectToHost, errorsOfHost } from './host-connection.js';
import type { HostMessage } from './messages.js';

const ofAProcess = (what: string) => (): never => {
  throw new Error(`${what}: this server shares its process with others. See \`servingAlone\``);
};

type Environment = Readonly<Record<string, string>>;

/** A server that may end before it listens: then `url` rejects with all output. */
const launchHosted = async (environment: Environment) => {
  const socket = await connectToHost({ serve: environmentOf(environment) });
  const lines: string[] = [];
  const told = createInterface({ input: socket });
  let exit: number | null = null;
  const exited = new Promise<number | null>((resolve) =>
    told.once('close', () => {
      if (exit === null) lines.push(`the host of servers ended: ${errorsOfHost()}`);
      resolve(exit);
    }),
  );
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
  url.catch(() => undefined); // whoever expects the end does not wait for the address
  const end = watchEnd(exited, lines);
  const stop = (): Promise<number | null> => {
    end.isAsked = true;
    socket.write('end\n');
    return exited;
  };
  return { url, lines, exited, end, stop };
};

/**
 * Starts a server with these environment variables, on a free port, in a process that it shares with others of these suites: for tests that neither kill it
 * nor look at its process.
 * @throws with all output when it ends instead
 */
export const startServer = async (environment: Environment): Promise<LogbookProcess> => {
  const { url, lines, end, stop } = await launchHosted(environment);
  return {
    url: await url,
    lines,
    get unexpectedEnd() {
      return end.unexpected;
    },
    stop,
    kill: ofAProcess('kill'),
    get pid() {
      return ofAProcess('pid')();
    },
  };
};

/** The end of a server that cannot start: its exit code and its lines of errors. */
export type FailedStart = Readonly<{ code: number | null; errors: readonly string[] }>;

/** As `logbook serve`. */
export const failToStartAlone = async (environment: Environment): Promise<FailedStart> => {
  const { code, stderr } = await runLogbook(['serve'], environment);
  return { code, errors: stderr.trim().split('\n') };
};

/** In a process that it shares with others. */
export const failToStart = async (environment: Environment): Promise<FailedStart> => {
  const { exited, lines } = await launchHosted(environment);
  return { code: await exited, errors: lines.filter((line) => line.includes('"level":"error"')) };
};
