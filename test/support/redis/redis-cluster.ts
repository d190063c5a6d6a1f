import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { freePorts } from '#test/support/processes/free-ports.js';
import { ATTEMPTS, EndedEarly, type RedisServer, startRedisServer } from './redis-server.js';

/** Long enough for a busy machine: no failover happens unless a test asks for one. */
const NODE_TIMEOUT_MS = 120_000;
const POLL_MS = 20;
const SLOTS = 16_384;
const MASTERS = 3;

export type TestCluster = Readonly<{
  /** For `REDIS_URL`. */
  url: string;
  /** New for every call. */
  newPrefix(): string;
  /** In the order of their slots. */
  masters: readonly RedisServer[];
  /** Each of the master with the same index. */
  replicas: readonly RedisServer[];
  /** Sends a command to one server. */
  ask(server: RedisServer, ...command: readonly string[]): Promise<unknown>;
  stop(): Promise<void>;
}>;

type Node = Readonly<{ id: string; port: number; bus: number }>;

/**
 * A Redis Cluster of three masters, each with a replica, as six processes. They start from files that name all of them: to introduce them to each
 * other one by one takes longer.
 */
export const startRedisCluster = async (): Promise<TestCluster> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce();
    } catch (error) {
      // Between the choice of twelve free ports and their use another test may have taken one.
      if (attempt === ATTEMPTS || !(error instanceof EndedEarly)) throw error;
    }
  }
};

const startOnce = async (): Promise<TestCluster> => {
  const ports = await freePorts(4 * MASTERS);
  const nodes = Array.from({ length: 2 * MASTERS }, (_, n): Node => {
    const [port = 0, bus = 0] = ports.slice(2 * n);
    return { id: randomBytes(20).toString('hex'), port, bus };
  });
  const started = await Promise.allSettled(nodes.map((node) => startNode(node, nodes)));
  const servers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  for (const one of started) {
    if (one.status === 'fulfilled') continue;
    await stop();
    throw one.reason;
  }
  const [masters, replicas] = [servers.slice(0, MASTERS), servers.slice(MASTERS)];
  for (const server of servers) await untilSays(server, ['CLUSTER', 'INFO'], 'cluster_state:ok');
  for (const server of replicas) await untilSays(server, ['INFO', 'replication'], 'master_link_status:up');
  // Two are enough to find all of them, and every seed is one more connection.
  const seeds = masters
    .slice(0, 2)
    .map(({ port }) => `127.0.0.1:${port}`)
    .join();
  return {
    url: `redis+cluster://${seeds}`,
    newPrefix: () => `logbook-test-${randomUUID()}`,
    masters,
    replicas,
    ask: askServer,
    stop,
  };
};

const startNode = (node: Node, nodes: readonly Node[]): Promise<RedisServer> =>
  startRedisServer(async (_port, directory) => {
    await writeFile(join(directory, 'nodes.conf'), nodesFile(node, nodes));
    const timeout = ['--cluster-node-timeout', `${NODE_TIMEOUT_MS}`];
    return ['--cluster-enabled', 'yes', '--cluster-port', `${node.bus}`, ...timeout, '--repl-diskless-sync-delay', '0'];
  }, node.port);

const nodesFile = (myself: Node, nodes: readonly Node[]): string => {
  const firstSlot = (n: number): number => Math.floor((n * SLOTS) / MASTERS);
  const lines = nodes.map((node, n) => {
    const isMaster = n < MASTERS;
    const flags = `${node === myself ? 'myself,' : ''}${isMaster ? 'master' : 'slave'}`;
    const master = isMaster ? '-' : nodes[n - MASTERS]?.id;
    const slots = isMaster ? ` ${firstSlot(n)}-${firstSlot(n + 1) - 1}` : '';
    return `${node.id} 127.0.0.1:${node.port}@${node.bus} ${flags} ${master} 0 0 ${(n % MASTERS) + 1} connected${slots}`;
  });
  return `${[...lines, `vars currentEpoch ${MASTERS} lastVoteEpoch 0`].join('\n')}\n`;
};

export const askServer = async ({ url }: RedisServer, ...command: readonly string[]): Promise<unknown> => {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => undefined); // whoever asks is told
  try {
    await client.connect();
    return await client.sendCommand(command);
  } finally {
    client.destroy();
  }
};

/** Asks until the answer contains the text, also over lost connections. */
export const untilSays = async (server: RedisServer, command: readonly string[], text: string): Promise<void> => {
  const answer = async (): Promise<string> => JSON.stringify(await askServer(server, ...command).catch(String));
  while (!(await answer()).includes(text)) await sleep(POLL_MS);
};
