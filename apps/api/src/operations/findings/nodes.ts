import { LRUCache } from 'lru-cache';
import type { Finding } from '#domain/operations/findings.js';
import type { Clock } from '#domain/shared/clock.js';
import { NODE_ROLES, type NodeRole } from '#infra/platform/config/configuration.js';
import { atomically } from '#infra/platform/coordination/own-namespace.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { build } from '#infra/platform/program/build.js';
import { nodeName } from '#infra/platform/program/node-name.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Own namespace of the read store. */
const NAME = 'ops.nodes';
const COLLECTION = 'nodes';
const BEAT_MS = 15_000;
/** A node without a heartbeat for so long is gone. */
const SILENCE_MS = 60_000;
/** A node first seen with a heartbeat further than this from now is gone until its next one. */
const OLD_MS = 3_600_000;
const MOST_SEEN = 1_000;

/** A process of the installation, according to its clock. `seenAt`: UTC. `findings`: about the node itself; absent in earlier releases. */
type SeenNode = Readonly<{ node: string; roles: readonly NodeRole[]; version: string; seenAt: string; findings?: readonly Finding[] }>;

/** Shows to other processes that this one runs, its roles and what is wrong with it. For display only; no decision depends on it. */
export class Nodes {
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> = Promise.resolve();
  /** Last heartbeat of each node, and when this process first saw it: clocks of two nodes may differ. */
  private readonly seen = new LRUCache<string, Readonly<{ seenAt: string; since: number }>>({ max: MOST_SEEN });
  private findings: () => Promise<readonly Finding[]> = async () => [];

  constructor(
    private readonly store: ReadStore,
    private readonly roles: readonly NodeRole[],
    private readonly clock: Clock,
    private readonly log: Pick<Logger, 'debug'>,
  ) {}

  /** Does nothing for a node that works alone. @param findings about this node; must not throw */
  start(findings: () => Promise<readonly Finding[]>): void {
    this.findings = findings;
    if (this.store.isAlone) return;
    this.beat();
    this.timer = setInterval(() => this.beat(), BEAT_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
    if (this.timer) await this.write(null);
  }

  /** Recently seen nodes, by name. @throws ReadStoreUnavailable */
  async list(): Promise<readonly SeenNode[]> {
    if (this.store.isAlone) return [this.own([])];
    const documents = await this.store.view(NAME).range(COLLECTION, {});
    return documents.map(({ value }) => JSON.parse(value.toString('utf8')) as SeenNode).filter((node) => !this.isGone(node));
  }

  /** Other nodes, and the roles that no node has. A node that works alone leaves roles out on purpose. @throws ReadStoreUnavailable */
  async others(): Promise<Readonly<{ nodes: readonly SeenNode[]; missing: readonly NodeRole[] }>> {
    if (this.store.isAlone) return { nodes: [], missing: [] };
    const nodes = (await this.list()).filter(({ node }) => node !== nodeName());
    const held = new Set([...this.roles, ...nodes.flatMap(({ roles }) => roles)]);
    return { nodes, missing: NODE_ROLES.filter((role) => !held.has(role)) };
  }

  private beat(): void {
    this.beating = this.beating.then(async () => this.write(this.own(await this.findings())));
  }

  private own(findings: readonly Finding[]): SeenNode {
    return { node: nodeName(), roles: this.roles, version: build.version, seenAt: new Date(this.clock()).toISOString(), findings };
  }

  private isGone({ node, seenAt }: SeenNode): boolean {
    const known = this.seen.get(node);
    if (known?.seenAt === seenAt) return performance.now() - known.since > SILENCE_MS;
    const isOld = !known && Math.abs(this.clock() - Date.parse(seenAt)) > OLD_MS;
    this.seen.set(node, { seenAt, since: isOld ? Number.NEGATIVE_INFINITY : performance.now() });
    return isOld;
  }

  /** Never throws: a failed write is repeated with the next heartbeat. */
  private async write(seen: SeenNode | null): Promise<void> {
    try {
      await atomically(this.store, NAME, async (namespace, changes) => {
        const stored = await this.store.documents(namespace).range(COLLECTION, {});
        const gone = stored.filter(({ value }) => this.isGone(JSON.parse(value.toString('utf8')) as SeenNode)).map(({ key }) => key);
        const removed = seen ? gone : [...gone, nodeName()];
        const removals = removed.map((key) => ({ kind: 'delete', collection: COLLECTION, key }) as const);
        const put = seen ? [{ kind: 'put', collection: COLLECTION, key: seen.node, value: JSON.stringify(seen) } as const] : [];
        await this.store.commit(namespace, [...removals, ...put], changes, changes + 1n);
      });
    } catch (error) {
      this.log.debug({ err: error }, 'this node cannot be shown to others now');
    }
  }
}
