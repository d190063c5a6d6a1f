import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startOf } from '#infra/platform/program/process-origin.js';
import { builtModule } from '#test/support/processes/built.js';
import { environmentOf } from '#test/support/processes/logbook-process.js';
import type { HostMessage, HostTask } from './messages.js';

const HOST = fileURLToPath(builtModule('test/support/server-host/host'));

/** The process of the run, as jest.config.js says: Jest replaces its workers, and a host goes on for the next one. */
const owner = Number(process.env.LOGBOOK_TEST_PROCESS ?? process.pid);

/** One for each worker of a run, and for each build. Process ids are reused, start times with them are not. */
const socketPath = (): string => {
  const build = readFileSync(fileURLToPath(new URL('../../../.built', builtModule('test/support/server-host/host'))), 'utf8');
  const { JEST_WORKER_ID: worker = '0' } = process.env;
  return join(tmpdir(), `logbook-host-${owner}-${startOf(owner)}-${worker}-${build.slice(0, 12)}.sock`);
};

/** `undefined` where nobody listens. */
export const connected = (path: string): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });

/** Standard error of the hosts of this worker. */
export const errorsOfHost = (): string => readFileSync(`${socketPath()}.log`, 'utf8');

/** A connection to the host of this worker, which is started unless it runs. */
export const connectToHost = async (task: HostTask): Promise<Socket> => {
  const path = socketPath();
  const socket = (await connected(path)) ?? (await startHost(path));
  socket.write(`${JSON.stringify(task)}\n`);
  return socket;
};

const startHost = async (path: string): Promise<Socket> => {
  const { LOGBOOK_EVENT_EXAMPLES: examples } = process.env;
  // Not the standard error of this process: Jest would wait for its end.
  const errors = openSync(`${path}.log`, 'a');
  const host = spawn(process.execPath, ['--enable-source-maps', '--max-semi-space-size=32', HOST, path, `${owner}`], {
    env: environmentOf(examples === undefined ? {} : { LOGBOOK_EVENT_EXAMPLES: examples }),
    stdio: ['ignore', 'ignore', errors],
  });
  closeSync(errors);
  host.unref();
  for (;;) {
    const end = host.exitCode ?? host.signalCode;
    const socket = await connected(path); // also of a host that another call has started meanwhile
    if (socket) return socket;
    if (end !== null) throw new Error(`the host of servers ended with ${end}: ${errorsOfHost()}`);
    await sleep(20);
  }
};

/** Has the host of this worker do something. What it makes is there until the connection ends. @throws the host has ended */
export const heldByHost = async (task: HostTask): Promise<Readonly<{ answer: HostMessage; release: () => void }>> => {
  const socket = await connectToHost(task);
  const [line] = await Promise.race([
    once(createInterface({ input: socket }), 'line') as Promise<[string]>,
    once(socket, 'close').then(() => []),
  ]);
  if (line === undefined) throw new Error(`the host of servers ended before it had done its task: ${errorsOfHost()}`);
  return { answer: JSON.parse(line) as HostMessage, release: () => socket.destroy() };
};

/** Likewise, for an answer alone. */
export const askHost = async (task: HostTask): Promise<HostMessage> => {
  const { answer, release } = await heldByHost(task);
  release();
  return answer;
};
