/**
 * A process in which the servers of many suites run, one after the other or beside each other: loading and warming up the program is most of what a start
 * costs. Listens on the socket whose path it is given. A connection is a server: the client writes its environment as a line of JSON, then gets its log line
 * by line, as {@link HostMessage}s; ends it by any further line, and gets its exit code. It ends with a connection that closes, and all with the process that
 * started this one.
 */
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { HostMessage } from './messages.js';

/** What each server leaves behind in memory adds up: bytes. */
const MOST_MEMORY = 1 << 30;

/** As `npm start` runs it: in few files. */
const bundle = new URL('../../../server/server.js', import.meta.url);
const { serve } = (await import(bundle.href)) as typeof import('#api/hosting/server.js');

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

const serveOver = (socket: Socket): void => {
  const tell = (message: HostMessage): void => void socket.write(`${JSON.stringify(message)}\n`);
  const { promise: signalled, resolve: signal } = promiseWithResolve<string>();
  const output = linesTo(tell);
  let isStarted = false;
  socket.on('error', () => undefined); // `close` follows
  socket.on('close', () => signal('SIGTERM'));
  createInterface({ input: socket }).on('line', (line) => {
    if (isStarted) return signal('SIGTERM');
    isStarted = true;
    const environment = JSON.parse(line) as Record<string, string>;
    void serve(environment, {}, { signalled, output, errors: output, watch: () => undefined }).then((exit) => {
      tell({ exit });
      socket.end();
    });
  });
};

const promiseWithResolve = <Value>() => {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
};

const [, , path = ''] = process.argv;
const server = createServer((socket) => {
  // Ends after the last connection; clients start another process.
  if (server.listening && process.memoryUsage.rss() > MOST_MEMORY) server.close(() => process.exit());
  serveOver(socket);
});
server.listen(path);
const startedBy = process.ppid;
setInterval(() => {
  if (process.ppid === startedBy) return;
  rmSync(path, { force: true });
  process.exit();
}, 500);
