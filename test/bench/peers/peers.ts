import { createClient } from 'redis';
import { operationsProfile } from '#test/bench/inputs/status-data.js';
import { httpLoad, type LoadRequest } from '#test/bench/load.js';
import { type Cost, costOf } from '#test/bench/profile/cost.js';
import type { ProfileRow } from '#test/bench/profile/row.js';
import { readTreeUsage, rests, type UsagePerCall } from '#test/bench/profile/usage.js';
import type { Effort, Sample } from '#test/bench/scenario.js';
import { bodyOf } from '#test/bench/scenarios/messaging-traffic.js';
import { bodies } from '#test/bench/scenarios/status-creations.js';
import { type Child, startChild } from '#test/bench/servers/child.js';
import { Cleanup } from '#test/support/cleanup.js';
import { startRedisServer } from '#test/support/redis/redis-server.js';
import { installPackages } from './packages.js';
import type { PeerServerOptions } from './peer-server.js';
import { startPostgres } from './postgres.js';

/** What an operation costs one of those compared. Threads of `usage`: `program` and `database`. */
export type PeerCost = Readonly<{ system: string; cost: Cost }>;

/** Logbook first. */
export type PeerRow = Readonly<{ operation: string; costs: readonly PeerCost[] }>;

/** `sentBytes`: what it has sent by write calls. */
type Database = Readonly<{ url: string; pid: number; sentBytes(): Promise<number> }>;

/** Beside Logbook. `start` returns `undefined` if the server is not installed. */
type Peer = Readonly<{
  name: string;
  kind: PeerServerOptions['kind'];
  server: string;
  start(cleanup: Cleanup): Promise<Database | undefined>;
}>;

const startRedis = async (cleanup: Cleanup): Promise<Database | undefined> => {
  try {
    const { url, stop } = await startRedisServer(async () => ['--appendonly', 'yes', '--appendfsync', 'always']);
    cleanup.defer(stop);
    const client = await createClient({ url }).connect();
    cleanup.defer(() => client.close());
    const pid = Number(/process_id:(\d+)/.exec(await client.info('server'))?.[1]);
    const sentBytes = async () => Number(/total_net_output_bytes:(\d+)/.exec(await client.info('stats'))?.[1]);
    return { url, pid, sentBytes };
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('Redis is not installed')) return undefined;
    throw error;
  }
};

const PEERS: readonly Peer[] = [
  { name: 'Emmett on PostgreSQL', kind: 'emmett', server: 'PostgreSQL (package postgresql)', start: startPostgres },
  { name: 'Nest with PostgreSQL', kind: 'crud', server: 'PostgreSQL (package postgresql)', start: startPostgres },
  { name: 'Redis Streams', kind: 'streams', server: 'Redis (package redis-server)', start: startRedis },
];

type Requests = (connection: number) => readonly LoadRequest[];
type Operation = Readonly<{ row: string; requestsTo(server: Child): Promise<Requests> }>;

const headers = { 'content-type': 'application/json' };

const post = async ({ url }: Child, path: string, body = '{}'): Promise<string> => {
  const answer = await fetch(url + path, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.text();
};

/** Rows of the profile that mean something without Logbook's rules. */
const OPERATIONS: readonly Operation[] = [
  {
    row: 'command, new records of 64 tenants',
    requestsTo: async () => () => {
      const next = bodies();
      return [{ method: 'POST', path: '/records', headers, body: next(), vary: () => ({ body: next() }) }];
    },
  },
  {
    row: 'publish 1 x 1 KiB, 64 topics',
    requestsTo: async () => (connection) => [{ method: 'POST', path: `/topics/n${connection}`, headers, body: bodyOf(1) }],
  },
  {
    row: 'read one',
    requestsTo: async (server) => {
      const record = operationsProfile('record 0');
      const { id } = JSON.parse(await post(server, '/records', JSON.stringify(record))) as Readonly<{ id: string }>;
      const accepts = (body: string): boolean => body.includes(record.name);
      return () => [{ method: 'GET', path: `/records/${id}`, accepts }];
    },
  },
];

/** Both count: what the program uses, and what the database does, which alone writes to files. */
const usageOf = async (server: Child, { pid, sentBytes }: Database) => {
  const sent = await sentBytes();
  const { micros, writtenBytes } = readTreeUsage(pid);
  return { program: readTreeUsage(server.pid).micros, database: micros, writtenBytes: writtenBytes - sent };
};

/** Over all rounds at once, with the checkpoint that follows them: one after each round would cost the database more than it does in use. */
const measureOperation = async (server: Child, database: Database, { requestsTo }: Operation, effort: Effort): Promise<Cost> => {
  const side = httpLoad(server, effort, await requestsTo(server));
  const run = async (count: number): Promise<readonly Sample[]> => {
    const samples: Sample[] = [];
    while (samples.length < count) samples.push(await side());
    await post(server, '/settle');
    await rests(() => readTreeUsage(server.pid).micros + readTreeUsage(database.pid).micros);
    return samples;
  };
  await run(effort.warmUps);
  const before = await usageOf(server, database);
  const samples = await run(effort.rounds);
  const after = await usageOf(server, database);
  const calls = samples.reduce((sum, { calls = 0 }) => sum + calls, 0);
  const each = (figure: keyof typeof before) => (after[figure] - before[figure]) / calls;
  const [program, databaseMicros] = [each('program'), each('database')];
  const threads = new Map(Object.entries({ program, database: databaseMicros }));
  const usage: UsagePerCall = { micros: program + databaseMicros, threads, writtenBytes: each('writtenBytes') };
  return costOf(samples.map((sample) => ({ sample, calls: sample.calls ?? 0, usage })));
};

const measurePeer = async (peer: Peer, operations: readonly Operation[], effort: Effort, signal: AbortSignal) => {
  const cleanup = new Cleanup();
  const costs = new Map<string, Cost>();
  try {
    const database = await peer.start(cleanup);
    if (!database) {
      console.log(`${peer.name} is left out: ${peer.server} is not installed`);
      return costs;
    }
    const manifest = peer.kind === 'streams' ? '' : installPackages(); // the client of Redis is Logbook's own
    const options: PeerServerOptions = { kind: peer.kind, manifest, database: database.url };
    const server = await startChild(cleanup, 'test/bench/peers/peer-server', options);
    for (const operation of operations) {
      signal.throwIfAborted();
      const cost = await measureOperation(server, database, operation, effort);
      console.log(`${peer.name}: ${operation.row}: ${Math.round(cost.usage.micros)} µs, ${Math.round(cost.perSecond)}/s`);
      costs.set(operation.row, cost);
    }
    return costs;
  } catch (error) {
    signal.throwIfAborted();
    console.error(`${peer.name} failed, the rest of it is left out:`, error);
    return costs;
  } finally {
    await cleanup.run();
  }
};

/** Measures, of rows that were measured, those that peers can do too. Peers whose database is not installed are left out, which is printed. */
export const measurePeers = async (rows: readonly ProfileRow[], effort: Effort, signal: AbortSignal): Promise<readonly PeerRow[]> => {
  const operations = OPERATIONS.filter(({ row }) => rows.some(({ name }) => name === row));
  if (operations.length === 0) return [];
  const measured: (readonly [Peer, ReadonlyMap<string, Cost>])[] = [];
  for (const peer of PEERS) measured.push([peer, await measurePeer(peer, operations, effort, signal)]);
  return operations.map(({ row }) => {
    const logbook = rows.filter(({ name }) => name === row).map((found) => ({ system: 'Logbook', cost: found.logbook }));
    const peers = measured.flatMap(([{ name: system }, costs]) => {
      const cost = costs.get(row);
      return cost ? [{ system, cost }] : [];
    });
    return { operation: row, costs: [...logbook, ...peers] };
  });
};
