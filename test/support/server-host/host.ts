/**
 * A process in which the servers of many suites run, one after the other or beside each other, with a browser for all of them: loading and warming up the
 * program is most of what a start costs. It looks at the logs of those suites, too, which would each load a store and compile schemas for it. Listens on the
 * socket whose path it is given. The first line of a connection is a {@link HostTask}, answers are {@link HostMessage}s. A server ends by any further line, or
 * with its connection, and all with the process whose id is given. With more memory than given (default: 1 GiB) the host ends after its last connection, so
 * that whoever uses the browser keeps one.
 */
import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { startOf } from '#infra/platform/program/process-origin.js';
import type { HostMessage, HostTask } from './messages.js';

/** As `npm start` runs it: in few files. */
const bundle = new URL('../../../server/server.js', import.meta.url);
const loadServer = () => import(bundle.href) as Promise<typeof import('#api/hosting/server.js')>;

/** Whole lines, as messages. */
const linesTo = (tell: (message: HostMessage) => void): Writable => {
  let begun = '';
  return new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      const lines = `${begun}${chunk}`.split('\n');
      begun = lines.pop() ?? '';
      for (const line of lines) tell({ line });
      done();
    },
  });
};

type Tell = (message: HostMessage) => void;

const serve = async (environment: Readonly<Record<string, string>>, tell: Tell, signalled: Promise<string>): Promise<void> => {
  const output = linesTo(tell);
  const { serve: serveLogbook } = await loadServer();
  tell({ exit: await serveLogbook(environment, {}, { signalled, output, errors: output, watch: () => undefined }) });
};

/** A browser that is started when it is first asked for, and again after its end. */
class SharedBrowser {
  private endpoint: Promise<string> | undefined;

  /** @returns where clients connect to it */
  open(executablePath: string): Promise<string> {
    this.endpoint ??= this.start(executablePath);
    return this.endpoint;
  }

  private async start(executablePath: string): Promise<string> {
    const { chromium } = await import('playwright-core');
    const server = await chromium.launchServer({ executablePath, args: ['--no-sandbox'] });
    server.on('close', () => {
      this.endpoint = undefined;
    });
    return server.wsEndpoint();
  }
}

const browser = new SharedBrowser();

const flawsOf = async (log: string, answered: readonly (readonly [string, string | null])[]): Promise<readonly string[]> => {
  const { flawsOfLog } = await import('#test/support/events/logged-events.js');
  return flawsOfLog(log, new Map(answered.map(([requestId, position]) => [requestId, position === null ? null : BigInt(position)])));
};

const perform = async (task: HostTask, tell: Tell, signalled: Promise<string>): Promise<void> => {
  if ('serve' in task) return serve(task.serve, tell, signalled);
  if ('log' in task) return tell({ flaws: await flawsOf(task.log, task.answered) });
  tell({ endpoint: await browser.open(task.browser) });
  await signalled;
};

const accept = (socket: Socket): void => {
  const tell = (message: HostMessage): void => {
    if (socket.writable) socket.write(`${JSON.stringify(message)}\n`); // a server may still log after its end
  };
  const { promise: signalled, resolve: signal } = promiseWithResolve<string>();
  let isBegun = false;
  socket.on('error', () => undefined); // `close` follows
  socket.on('close', () => signal('SIGTERM'));
  createInterface({ input: socket }).on('line', (line) => {
    if (isBegun) return signal('SIGTERM');
    isBegun = true;
    void perform(JSON.parse(line) as HostTask, tell, signalled).then(() => socket.end());
  });
};

const promiseWithResolve = <Value>() => {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
};

const [, , path = '', owner = '', mostBytes = 1 << 30] = process.argv;
const server = createServer((socket) => {
  // Memory of ended servers adds up. Clients start another process.
  if (server.listening && process.memoryUsage.rss() > Number(mostBytes)) server.close(() => process.exit());
  accept(socket);
});
server.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') throw error;
  // Of a host that another call has started meanwhile, or of one that a signal has ended: then nobody listens.
  connect(path)
    .once('connect', () => process.exit())
    .once('error', () => {
      rmSync(path, { force: true });
      server.listen(path);
    });
});
server.listen(path);
const start = startOf(Number(owner));
setInterval(() => {
  if (startOf(Number(owner)) === start) return;
  for (const file of [path, `${path}.log`]) rmSync(file, { force: true });
  process.exit();
}, 500);
