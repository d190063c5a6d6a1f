import type { Clock } from '#domain/shared/clock.js';
import type { NodeRole } from '#infra/platform/config/configuration.js';
import { atomically } from '#infra/platform/coordination/own-namespace.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { build } from '#infra/platform/program/build.js';
import { nodeName } from '#infra/platform/program/node-name.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Own namespace of the read store. */
const NAME = 'ops.nodes';
const COLLECTION = 'nodes';
const BEAT_MS = 15_000;
/** Three heartbeats, plus the difference between clocks of two nodes. */
const SILENCE_MS = 60_000;

/** A process of the installation, according to its clock. `seenAt`: UTC. */
type SeenNode = Readonly<{ node: string; roles: readonly NodeRole[]; version: string; seenAt: string }>;

/** Shows to other processes that this one runs, and its roles. For display only; no decision depends on it. */
export class Nodes {
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: ReadStore,
    private readonly roles: readonly NodeRole[],
    private readonly clock: Clock,
    private readonly log: Pick<Logger, 'debug'>,
  ) {}

  /** Does nothing for a node that works alone. */
  start(): void {
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
    if (this.store.isAlone) return [this.own()];
    const documents = await this.store.view(NAME).range(COLLECTION, {});
    return documents.map(({ value }) => JSON.parse(value.toString('utf8')) as SeenNode).filter((node) => !this.isGone(node));
  }

  private beat(): void {
    this.beating = this.beating.then(() => this.write(this.own()));
  }

  private own(): SeenNode {
    return { node: nodeName(), roles: this.roles, version: build.version, seenAt: new Date(this.clock()).toISOString() };
  }

  private isGone({ seenAt }: SeenNode): boolean {
    return Date.parse(seenAt) < this.clock() - SILENCE_MS;
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
