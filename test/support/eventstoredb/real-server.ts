import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '#test/support/processes/free-ports.js';

/**
 * Command of the environment that runs a real EventStoreDB or KurrentDB in the foreground, without TLS; unset: the test server is used. The shell
 * passes as `$1` the port for gRPC and HTTP, as `$2` and `$3` ports that a server may need besides, as `$4` the directory of its data, and as `$5`
 * and following further options of the server. Fault runs await `IS LEADER` in its standard output. Example: `EVENTSTORE_COMMAND='exec ./node.sh "$@"'`.
 */
export const realServerCommand = (): string | undefined => process.env.EVENTSTORE_COMMAND || undefined;

/** Copy of the data of a real server. */
export type RealServerBackup = Readonly<{ directory: string }>;

export type RealServer = Readonly<{
  connectionString: string;
  port: number;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
  /** SIGKILL. */
  goDown(): Promise<void>;
  /** Starts again with the same data, with those of a backup, or without any (`null`). */
  comeUp(backup?: RealServerBackup | null): Promise<void>;
  /** Copies the data of the running server. They go with `stop`. */
  backup(): Promise<RealServerBackup>;
  restart(): Promise<void>;
  /** SIGSTOP. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
}>;

const START_MS = 90_000;
const ATTEMPTS = 3;

/** Ports and directory of one node; `options` go to the command as they are. */
export type NodePlace = Readonly<{ ports: readonly number[]; directory: string; options?: readonly string[] }>;

/** A server process at one place. It can be started again there after it has ended. */
export class RealNode {
  private child: ChildProcess | undefined;
  private exited: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly command: string,
    readonly place: NodePlace,
  ) {
    process.once('exit', () => this.signal('SIGKILL'));
  }

  get port(): number {
    return this.place.ports[0] ?? 0;
  }

  /** Returns at once; see {@link ready}. */
  start(): void {
    const { ports, directory, options = [] } = this.place;
    // The server would take variables of this name for options of its own.
    const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('EVENTSTORE')));
    const child = spawn('sh', ['-c', this.command, 'eventstore', ...ports.map(String), directory, ...options], {
      stdio: 'ignore',
      env: environment,
      detached: true, // a process group of its own, which signals reach as a whole
    });
    this.child = child;
    this.exited = once(child, 'exit');
  }

  /** Waits until it takes appends, in a cluster as leader or follower. @throws it ended, or is not ready in time */
  async ready(states: readonly string[] = ['Leader']): Promise<void> {
    for (const end = Date.now() + START_MS; ; await sleep(50)) {
      if (this.child?.exitCode !== null) throw new Error(`${this.command} ended with ${this.child?.exitCode}`);
      if (states.includes(await this.state())) return;
      if (Date.now() > end) throw new Error(`${this.command} is not ready after ${START_MS} ms`);
    }
  }

  /** What the node says about itself: `Leader`, `Follower`, `Unknown` …; empty: it does not answer. */
  async state(): Promise<string> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.port}/gossip`, { signal: AbortSignal.timeout(1_000) });
      const { members } = (await answer.json()) as Readonly<{ members: readonly Readonly<{ httpEndPointPort: number; state: string }>[] }>;
      return members.find(({ httpEndPointPort }) => httpEndPointPort === this.port)?.state ?? '';
    } catch {
      return '';
    }
  }

  async end(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
    this.child = undefined;
  }

  signal(name: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.child ?? {};
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, name);
  }
}

/** Starts a server of its own with an empty directory. */
export const startRealServer = async (command: string): Promise<RealServer> => {
  const root = await mkdtemp(join(tmpdir(), 'logbook-eventstore-'));
  const node = await startNode(command, join(root, 'data'));
  const { directory } = node.place;
  let backups = 0;
  const comeUp = async (backup?: RealServerBackup | null): Promise<void> => {
    if (backup !== undefined) await rm(directory, { recursive: true, force: true });
    if (backup) await restore(backup.directory, directory);
    node.start();
    await node.ready();
  };
  return {
    connectionString: `esdb://127.0.0.1:${node.port}?tls=false`,
    port: node.port,
    stop: async () => {
      await node.end();
      await rm(root, { recursive: true, force: true });
    },
    goDown: () => node.end(),
    comeUp,
    backup: async () => {
      const copy = join(root, `backup-${++backups}`);
      await copyRunning(directory, copy);
      return { directory: copy };
    },
    restart: async () => {
      await node.end();
      await comeUp();
    },
    freeze: () => node.signal('SIGSTOP'),
    thaw: () => node.signal('SIGCONT'),
  };
};

const startNode = async (command: string, directory: string): Promise<RealNode> => {
  for (let attempt = 1; ; attempt++) {
    const node = new RealNode(command, { ports: await freePorts(3), directory });
    node.start();
    try {
      await node.ready();
      return node;
    } catch (error) {
      await node.end();
      // Between the choice of free ports and their use another test may have taken one.
      if (attempt === ATTEMPTS) throw error;
      await rm(directory, { recursive: true, force: true });
    }
  }
};

/** In the order of the server's manual: what points to data is copied before the data. */
const copyRunning = async (from: string, to: string): Promise<void> => {
  await cp(join(from, 'index'), join(to, 'index'), { recursive: true });
  const files = (await readdir(from)).filter((name) => name !== 'index');
  const byKind = [...files].sort((one, other) => Number(other.endsWith('.chk')) - Number(one.endsWith('.chk')));
  for (const name of byKind) await cp(join(from, name), join(to, name), { recursive: true });
};

/** What was written after the position that the copy has for certain is cut off, as the manual says. */
const restore = async (from: string, to: string): Promise<void> => {
  await cp(from, to, { recursive: true });
  await cp(join(to, 'chaser.chk'), join(to, 'truncate.chk'));
};
