import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePorts } from '#test/support/processes/free-ports.js';

/** A process of redis-server that belongs to a test. */
export type RedisServer = Readonly<{
  url: string;
  port: number;
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  stop(): Promise<void>;
}>;

export const ATTEMPTS = 5;

/** Mostly because another program has taken its port since it was chosen. */
export class EndedEarly extends Error {}

/**
 * Starts a redis-server without persistence on a port of its own.
 * @param optionsOf further options, once the port and the directory are known; asked again for another port when that one was taken meanwhile
 * @throws when there is no redis-server to start; the message says what to do
 */
export const startRedisServer = async (
  optionsOf: (port: number, directory: string) => Promise<readonly string[]>,
  port?: number,
): Promise<RedisServer> => {
  for (let attempt = 1; ; attempt++) {
    try {
      const [free = 0] = port === undefined ? await freePorts(1) : [port];
      return await startOnce(free, optionsOf);
    } catch (error) {
      // Between the choice of a free port and its use another test may have taken it.
      if (port !== undefined || attempt === ATTEMPTS || !(error instanceof EndedEarly)) throw error;
    }
  }
};

const startOnce = async (
  port: number,
  optionsOf: (port: number, directory: string) => Promise<readonly string[]>,
): Promise<RedisServer> => {
  const directory = mkdtempSync(join(tmpdir(), 'logbook-redis-'));
  const options = await optionsOf(port, directory);
  const fixed = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', directory];
  // Options that begin with a file, or are for a Sentinel, come first.
  const server = spawn(redisProgram(), options[0]?.startsWith('--') === false ? [...options] : [...fixed, ...options], {
    argv0: 'redis-server',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(server, 'exit').catch(() => undefined);
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    await untilReady(server);
  } catch (error) {
    server.kill();
    remove();
    throw error;
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    signal: (name) => server.kill(name),
    stop: async () => {
      server.kill('SIGKILL');
      await exited;
      remove();
    },
  };
};

/** One program does everything and goes by the name it is called by; without the package of the server Debian has it as `redis-check-rdb`. */
export const redisProgram = (): string => {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const isThere = (name: string): boolean => folders.some((folder) => existsSync(join(folder, name)));
  return ['redis-server', 'redis-check-rdb'].find(isThere) ?? 'redis-server';
};

const untilReady = async (server: ChildProcess): Promise<void> => {
  const failed = new Promise<never>((_, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ENOENT' ? missing(error) : error));
    server.once('exit', (code) => reject(new EndedEarly(`redis-server ended with code ${code} before it was ready`)));
  });
  const ready = new Promise<void>((resolve) => {
    if (!server.stdout) return;
    createInterface(server.stdout).on('line', (line) => {
      if (line.includes('Ready to accept connections') || line.includes('Sentinel ID is')) resolve();
    });
  });
  await Promise.race([ready, failed]);
};

const missing = (cause: Error): Error =>
  new Error('Redis is not installed: apt-get install redis-tools, or set REDIS_URL to a Redis that the tests may use', { cause });
