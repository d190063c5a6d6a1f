import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { builtModule } from '../built.js';
import { addressIn, environmentOf, type LogbookProcess, startLogbook } from '../logbook-process.js';
import { isFullRun } from '../test-runs.js';
import type { HostMessage } from './messages.js';

const HOST = fileURLToPath(builtModule('test/support/server-host/host'));

/** One for each process that runs suites, and for each build. */
const socketPath = (): string => {
  const build = readFileSync(fileURLToPath(new URL('../../../.built', builtModule('test/support/server-host/host'))), 'utf8');
  return join(tmpdir(), `logbook-host-${process.pid}-${build.slice(0, 12)}.sock`);
};

const connected = (path: string): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined)); // nobody listens
  });

/** A connection to the host of this process, which is started unless it runs. */
const connectToHost = async (): Promise<Socket> => {
  const path = socketPath();
  let socket = await connected(path);
  if (socket) return socket;
  const host = spawn(process.execPath, ['--enable-source-maps', '--max-semi-space-size=32', HOST, path], {
    env: environmentOf({}),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  host.unref();
  while (!socket) {
    if (host.exitCode !== null) throw new Error(`the host of servers ended with ${host.exitCode}`);
    await sleep(20);
    socket = await connected(path);
  }
  return socket;
};

const ofAProcess = (what: string) => (): never => {
  throw new Error(`${what}: this server shares its process with others. See \`servingAlone\``);
};

/**
 * Starts a server with these environment variables, on a free port, in a process that it shares with others of these suites.
 * @throws with all output when it ends instead
 */
const startHosted = async (environment: Readonly<Record<string, string>>): Promise<LogbookProcess> => {
  const socket = await connectToHost();
  const lines: string[] = [];
  const told = createInterface({ input: socket });
  let exit: number | null = null;
  const exited = new Promise<number | null>((resolve) => told.once('close', () => resolve(exit)));
  const url = new Promise<string>((resolve, reject) => {
    told.on('line', (text) => {
      const message = JSON.parse(text) as HostMessage;
      if ('exit' in message) exit = message.exit;
      else {
        lines.push(message.line);
        const address = addressIn(message.line);
        if (address !== undefined) resolve(address);
      }
    });
    void exited.then((code) => reject(new Error(`the server ended with ${code}: ${lines.join('\n')}`)));
  });
  socket.write(`${JSON.stringify(environmentOf(environment))}\n`);
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
