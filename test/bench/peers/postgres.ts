import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from '#test/support/cleanup.js';
import { freePorts } from '#test/support/processes/free-ports.js';

/** A PostgreSQL server of its own. `pid`: of the process whose children are all others. `sentBytes`: none, as it sends by other calls than `write`. */
export type Postgres = Readonly<{ url: string; pid: number; sentBytes(): Promise<number> }>;

/** Where Debian's packages put the programs of each major version. */
const VERSIONS = '/usr/lib/postgresql';
const START_MS = 30_000;

/** Directory of the programs of the newest version; `undefined` if the server is not installed. */
const programs = (): string | undefined => {
  if (!existsSync(VERSIONS)) return undefined;
  const versions = readdirSync(VERSIONS).sort((left, right) => Number(right) - Number(left));
  return versions.map((version) => join(VERSIONS, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
};

/** The server refuses to run as root, which becomes the user of Debian's package. */
const otherThanRoot = (): Readonly<{ uid: number; gid: number }> | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string): number => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
};

/** Starts a server with its defaults (durable commits) on an empty data directory. Returns `undefined` if there is none to start. */
export const startPostgres = async (cleanup: Cleanup): Promise<Postgres | undefined> => {
  const bin = programs();
  if (bin === undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'logbook-bench-postgres-'));
  cleanup.defer(() => rmSync(directory, { recursive: true, force: true }));
  const user = otherThanRoot();
  if (user) chownSync(directory, user.uid, user.gid);
  const options = { ...user, cwd: directory };
  const data = join(directory, 'data');
  const initdb = ['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8', '--no-locale'];
  execFileSync(join(bin, 'initdb'), initdb, { ...options, stdio: ['ignore', 'ignore', 'inherit'] });
  const [port] = await freePorts(1);
  const place = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='].flatMap((setting) => ['-c', setting]);
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...place], { ...options, stdio: 'ignore', detached: true });
  const exited = once(server, 'exit');
  cleanup.defer(async () => {
    server.kill('SIGINT'); // ends its sessions
    await exited;
  });
  const isReady = () => spawnSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', `${port}`, '-q'], options).status === 0;
  for (const end = Date.now() + START_MS; !isReady(); await sleep(50)) {
    if (server.exitCode !== null || Date.now() > end) throw new Error(`${bin}/postgres does not start on ${data}`);
  }
  return { url: `postgresql://postgres@127.0.0.1:${port}/postgres`, pid: server.pid ?? 0, sentBytes: async () => 0 };
};
