import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '#test/support/cleanup.js';
import { builtModule } from '#test/support/processes/built.js';
import { countSentBytes } from './sent-bytes.js';

/** A server in a process of its own. */
export type Child = Readonly<{
  url: string;
  pid: number;
  /** CPU time of the process since its start, user and system, in microseconds. */
  cpuMicros(): Promise<number>;
  /** Bytes that it has sent to its clients. */
  sentBytes(): Promise<number>;
}>;

type Served = Readonly<{ url: string; close(): Promise<unknown> }>;
type FromChild = Readonly<{ url: string } | Used>;

/** Since the start of a process. */
export type Used = Readonly<{ cpuMicros: number; sentBytes: number }>;

const STOP_MS = 20_000;

/** As `npm start` runs a server; references too, so that both sides have the same. */
const EXEC_ARGV = ['--enable-source-maps', '--max-semi-space-size=32'];

/** Starts a program that ends with the cleanup and also when this process dies. What it prints goes to standard error. */
export const forkProgram = (cleanup: Cleanup, path: string, { execArgv = [], ...options }: ForkOptions = {}): ChildProcess => {
  const child = fork(path, { stdio: ['ignore', 2, 2, 'ipc'], execArgv: [...EXEC_ARGV, ...execArgv], ...options });
  cleanup.defer(() => stop(child));
  return child;
};

/** Starts a module of `dist` whose code calls {@link serveParent}, and waits until it serves. `path` as of {@link builtModule}. */
export const startChild = async (cleanup: Cleanup, path: string, options: object): Promise<Child> => {
  const child = forkProgram(cleanup, fileURLToPath(builtModule(path)));
  const { url } = await ask(child, options, (message: FromChild) => 'url' in message && message);
  const used = () => ask(child, 'used', (message: FromChild) => 'cpuMicros' in message && message);
  return {
    url,
    pid: child.pid ?? 0,
    cpuMicros: async () => (await used()).cpuMicros,
    sentBytes: async () => (await used()).sentBytes,
  };
};

/** The answer of a program, which must be of the kind asked for. @throws when the program ends instead */
export const ask = async <Message, Picked>(
  child: ChildProcess,
  question: string | object,
  pick: (message: Message) => Picked | false,
): Promise<Picked> => {
  const abort = new AbortController();
  const { signal } = abort;
  try {
    const exited = once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`${child.spawnargs.at(-1)} ended with ${code}`);
    });
    const answered = once(child, 'message', { signal });
    child.send(question);
    const [message] = await Promise.race([answered, exited]);
    const picked = pick(message);
    if (picked === false) throw new Error(`unexpected message ${JSON.stringify(message)}`);
    return picked;
  } finally {
    abort.abort();
  }
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  child.disconnect();
  await exited;
  clearTimeout(timer);
};

/** In the child: takes the options from the parent, serves until the parent lets go, then closes and ends the process. */
export const serveParent = async <Options>(start: (options: Options) => Promise<Served>): Promise<void> => {
  process.on('SIGINT', () => {}); // of Ctrl-C in a terminal, which the parent gets too: it decides
  const sentBytes = countSentBytes();
  let served: Served | undefined;
  process.once('disconnect', () => {
    void (served?.close() ?? Promise.resolve()).finally(() => process.exit(0));
  });
  const [options] = await once(process, 'message');
  served = await start(options);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicros: user + system, sentBytes: sentBytes() } satisfies FromChild);
  });
  process.send?.({ url: served.url } satisfies FromChild);
};
