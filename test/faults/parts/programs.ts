import { wrongClock } from '#test/support/clocks/wrong-clock.js';
import { builtModule } from '#test/support/processes/built.js';
import { redisProgram } from '#test/support/redis/redis-server.js';
import type { Program } from './process.js';

const MODULES = 'test/faults/parts';

/** What a process needs so that its clock can be set wrong: see `shifted-clock.ts`. */
export const withClock = (file: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${builtModule(`${MODULES}/shifted-clock`).href}`,
  FAULTS_CLOCK: file,
});

const portIn = (pattern: RegExp, line: string): number | undefined => {
  const port = Number(pattern.exec(line)?.[1]);
  return Number.isNaN(port) ? undefined : port;
};

/** A Logbook server as `npm start` runs it. @param root of the checkout whose build it is, asked for at each start */
export const logbookNode = (
  name: string,
  clockFile: string,
  environment: Readonly<Record<string, string>>,
  root: () => string,
): Program => ({
  name,
  root,
  command: process.execPath,
  arguments: ['--enable-source-maps', 'dist/server/main.js'],
  environment: { LOGBOOK_PORT: '0', ...withClock(clockFile), ...environment },
  servingAt: (line) => (line.includes('"listening"') ? portIn(/"url":"http:\/\/[^"]*?:(\d+)"/, line) : undefined),
});

/**
 * Redis that keeps its data over a kill, but for what the operating system was not given yet. Its clock can be set wrong where libfaketime is
 * installed.
 */
export const redisServer = (name: string, port: number, clockFile: string, folder: string): Program => ({
  name,
  command: redisProgram(),
  called: 'redis-server',
  arguments: ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes', '--dir', folder],
  environment: wrongClock(clockFile) ?? {},
  servingAt: (line) => (line.includes('Ready to accept connections') ? port : undefined),
});

/** The repository's EventStoreDB test server; its data are in `file`. */
export const eventStoreTestServer = (name: string, clockFile: string, file: string): Program => ({
  name,
  command: process.execPath,
  arguments: ['--enable-source-maps', builtModule(`${MODULES}/event-store-server`).pathname, file],
  environment: withClock(clockFile),
  servingAt: (line) => portIn(/^serving at (\d+)$/, line),
});

/** A real EventStoreDB; see `realServerCommand` for the command. */
export const eventStoreServer = (name: string, command: string, ports: readonly number[], folder: string): Program => ({
  name,
  command: 'sh',
  arguments: ['-c', command, 'eventstore', ...ports.map(String), folder],
  servingAt: (line) => (line.includes('IS LEADER') ? ports[0] : undefined),
});
