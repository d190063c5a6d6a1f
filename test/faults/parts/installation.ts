import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '#test/faults/random.js';
import type { Cast, Fault } from '#test/faults/schedule.js';
import { setWrong, wrongClock } from '#test/support/clocks/wrong-clock.js';
import { ADMIN, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { realServerCommand } from '#test/support/eventstoredb/real-server.js';
import { freePorts } from '#test/support/processes/free-ports.js';
import { type Link, openLink } from '#test/support/processes/link.js';
import { KeptProcess, type Program, ROOT } from './process.js';
import { eventStoreServer, eventStoreTestServer, logbookNode, redisServer } from './programs.js';

/** Nodes that answer clients, and nodes that do everything else. */
export const API_NODES = ['a1', 'a2', 'a3'] as const;
export const PROJECTOR_NODES = ['p1', 'p2'] as const;
const rolesOf = (node: string): string => (API_NODES.some((one) => one === node) ? 'api' : 'projector,push,history');

const NODES = [...API_NODES, ...PROJECTOR_NODES];
/** The clock of Redis can be set where libfaketime is installed, that of the event store when it is the test server. */
const CLOCKED_STORES = [...(wrongClock('') ? ['redis'] : []), ...(realServerCommand() === undefined ? ['events'] : [])];

export const CAST: Cast = {
  nodes: NODES,
  redis: 'redis',
  events: 'events',
  clients: 'clients',
  clocks: [...NODES, ...CLOCKED_STORES],
};

/** Three API nodes and two projectors with their stores: a process each, and a wire between any two that speak to each other. */
export class Installation {
  private constructor(
    private readonly folder: string,
    private readonly parts: ReadonlyMap<string, KeptProcess>,
    private readonly links: ReadonlyMap<string, Link>,
    private readonly redisPort: number,
    private readonly builds: Builds,
  ) {}

  /**
   * Starts everything; resolves when all of it serves.
   * @param client that the nodes use for EventStoreDB
   * @param beside root of another build, for a rolling update: nodes start with it first, then in turns with this one
   */
  static async open(random: Random, client: string, beside?: string): Promise<Installation> {
    const folder = await mkdtemp(join(tmpdir(), 'logbook-faults-'));
    const links = new Map<string, Link>();
    const parts = new Map<string, KeptProcess>();
    const [redisPort = 0, ...eventPorts] = await freePorts(4);
    const builds = new Builds(beside);
    const installation = new Installation(folder, parts, links, redisPort, builds);
    for (const node of CAST.nodes)
      for (const wire of [`${node}>redis`, `${node}>events`, `clients>${node}`]) links.set(wire, await openLink(random.fork()));
    const keep = (program: Program): KeptProcess => {
      const part = new KeptProcess(program, (port) => installation.lead(program.name, port));
      parts.set(program.name, part);
      return part;
    };
    const clock = (name: string): string => join(folder, `${name}.clock`);
    await Promise.all(CAST.clocks.map((part) => setWrong(clock(part), 0)));
    await Promise.all([
      keep(redisServer('redis', redisPort, clock('redis'), folder)).up(),
      keep(eventStore(clock('events'), eventPorts, folder)).up(),
    ]);
    const common = commonEnvironment();
    for (const node of CAST.nodes) {
      const environment = {
        ...common,
        LOGBOOK_ROLES: rolesOf(node),
        LOGBOOK_DATA_DIR: join(folder, node),
        REDIS_URL: `redis://127.0.0.1:${installation.port(`${node}>redis`)}`,
        EVENTSTORE_URL: `esdb://127.0.0.1:${installation.port(`${node}>events`)}?tls=false`,
        LOGBOOK_EVENTSTORE_CLIENT: client,
      };
      keep(logbookNode(node, clock(node), environment, () => builds.next(node)));
    }
    await Promise.all(CAST.nodes.map((node) => parts.get(node)?.up()));
    return installation;
  }

  /** Where clients reach a node, through a wire that may fail. */
  port(wire: string): number {
    return this.link(wire).port;
  }

  async inflict({ kind, target, amount }: Fault): Promise<void> {
    if (kind === 'kill') await this.part(target).down('SIGKILL');
    else if (kind === 'stop') await this.part(target).down('SIGTERM');
    else if (kind === 'freeze') this.part(target).freeze();
    else if (kind === 'clock') await this.shiftClock(target, amount);
    else if (kind === 'flush') await this.flush();
    else if (kind === 'stall') this.link(target).hold('both');
    else if (kind === 'mute') this.link(target).hold('back');
    else if (kind === 'delay') this.link(target).delay(amount);
    else {
      this.link(target).refuse(true);
      this.link(target).reset();
    }
  }

  async mend({ kind, target }: Fault): Promise<void> {
    if (kind === 'kill' || kind === 'stop') await this.part(target).up();
    else if (kind === 'freeze') this.part(target).thaw();
    else if (kind === 'clock') await this.shiftClock(target, 0);
    else if (kind === 'stall' || kind === 'mute') this.link(target).hold('none');
    else if (kind === 'delay') this.link(target).delay(0);
    else if (kind === 'cut') this.link(target).refuse(false);
  }

  /** Restarts the nodes that run the other build, one after another: from here on all run this one. */
  async update(): Promise<void> {
    for (const node of this.builds.end()) {
      await this.part(node).down('SIGTERM');
      await this.part(node).up();
    }
  }

  /** What ended although nobody ended it, with its last lines. */
  ended(): readonly string[] {
    return [...this.parts.values()].flatMap(({ ended }) => ended);
  }

  /** The newest lines of each part. */
  lines(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries([...this.parts].map(([name, { lines }]) => [name, lines]));
  }

  async close(): Promise<void> {
    const stores = ['redis', 'events'];
    const nodes = [...this.parts.keys()].filter((name) => !stores.includes(name));
    for (const group of [nodes, stores]) await Promise.all(group.map((name) => this.parts.get(name)?.down('SIGKILL')));
    await Promise.all([...this.links.values()].map((link) => link.close()));
    await rm(this.folder, { recursive: true, force: true });
  }

  private lead(part: string, port: number): void {
    for (const [wire, link] of this.links) if (wire.endsWith(`>${part}`)) link.leadTo(port);
  }

  private part(name: string): KeptProcess {
    const part = this.parts.get(name);
    if (!part) throw new Error(`there is no ${name}`);
    return part;
  }

  private link(wire: string): Link {
    const link = this.links.get(wire);
    if (!link) throw new Error(`there is no wire ${wire}`);
    return link;
  }

  private shiftClock(part: string, by: number): Promise<void> {
    return setWrong(join(this.folder, `${part}.clock`), by);
  }

  /** Redis may be away or frozen itself; then it keeps what it has. */
  private async flush(): Promise<void> {
    const socket = connect(this.redisPort, '127.0.0.1');
    await new Promise<void>((resolve) => {
      socket.setTimeout(1_000, resolve).on('error', () => resolve());
      socket.on('data', () => resolve()).on('connect', () => socket.write('FLUSHALL\r\n'));
    });
    socket.destroy();
  }
}

/** Which build a node is started with. */
class Builds {
  private readonly running = new Map<string, string>();
  private over = false;

  constructor(private readonly other: string | undefined) {}

  next(node: string): string {
    const isOther = this.other !== undefined && !this.over && this.running.get(node) !== this.other;
    const root = isOther && this.other ? this.other : ROOT;
    this.running.set(node, root);
    return root;
  }

  /** Returns the nodes that run the other build. */
  end(): readonly string[] {
    this.over = true;
    return [...this.running].flatMap(([node, root]) => (root === this.other ? [node] : []));
  }
}

/** The test server, or a real one where the environment has a command for it. */
const eventStore = (clockFile: string, ports: readonly number[], folder: string): Program => {
  const command = realServerCommand();
  if (command === undefined) return eventStoreTestServer('events', clockFile, join(folder, 'events.ndjson'));
  return eventStoreServer('events', command, ports, join(folder, 'events'));
};

/** All nodes have the same keys. */
const commonEnvironment = (): Readonly<Record<string, string>> => ({
  LOGBOOK_MESSAGING_SERVICE_TOKEN: SERVICE_TOKEN,
  LOGBOOK_STATUS_ADMIN_KEY: ADMIN,
  LOGBOOK_ACCOUNTING_ADMIN_TOKEN: SYSTEM_ADMIN,
  LOGBOOK_OPS_KEY: OPERATOR,
  LOGBOOK_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  LOGBOOK_SIGNING_KEY: Buffer.alloc(32, 2).toString('base64'),
});
