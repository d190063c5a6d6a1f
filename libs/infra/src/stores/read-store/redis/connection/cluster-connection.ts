import { setTimeout as sleep } from 'node:timers/promises';
import { backOff } from '#infra/platform/coordination/back-off.js';
import type { Argument, Script } from '#infra/stores/read-store/redis/script.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { Redirected, type RedisConnection } from './connection.js';
import { keySlot, SLOTS } from './key-slot.js';
import type { NodeUrl } from './redis-url.js';
import { ServerConnection, type ServerOptions } from './server-connection.js';

/** Interval in milliseconds between reads of the slot table. It is also read at once when a call is redirected or fails. */
const LOOK_MS = 1_000;
const LOOK_AGAIN_MS = 100;
const CONNECT_POLL_MS = 20;
const MAX_REDIRECTIONS = 12;
const redirectionPauseMs = backOff(10, 500);

/** Answer of `CLUSTER SLOTS`: first slot, last slot, master, replicas. */
type Slots = readonly (readonly [number, number, readonly [Buffer | string | null, number, ...unknown[]], ...unknown[]])[];

type ClusterOptions = Readonly<{ seeds: readonly string[]; urlOf: NodeUrl; onReady(connection: ClusterConnection): void }> &
  Pick<ServerOptions, 'name' | 'timeLimitMs'> &
  Readonly<{ onNodeReady(node: ServerConnection): void }>;

/**
 * Uses all masters of a Redis Cluster. The slot table is read from the nodes, and again when it changes. A redirected call is repeated at
 * the right node; a call to an unreachable node fails at once.
 */
export class ClusterConnection implements RedisConnection {
  /** By URL: masters, and the configured nodes. */
  private readonly nodes = new Map<string, ServerConnection>();
  /** URL of the master of each slot. */
  private owners: readonly string[] = [];
  private changes = 0;
  private looking: Promise<void> | undefined;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private asked = 0;
  private closed = false;
  private readonly watch: NodeJS.Timeout;

  constructor(private readonly options: ClusterOptions) {
    for (const url of options.seeds) this.nodeAt(url);
    this.watch = setInterval(() => this.lookSoon(0), LOOK_MS).unref();
  }

  get epoch(): number {
    return this.changes;
  }

  async untilReady(): Promise<void> {
    const end = performance.now() + this.options.timeLimitMs;
    let cause: unknown;
    while (performance.now() < end && !this.closed) {
      try {
        await this.look();
        await Promise.all(this.masters().map((node) => node.untilReady()));
        return;
      } catch (error) {
        cause = error;
        await sleep(CONNECT_POLL_MS);
      }
    }
    throw new ReadStoreUnavailable('no connection to the Redis Cluster', { cause });
  }

  run<Reply>(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    return this.redirecting(keys[0] ?? '', (node, asking) => node.run<Reply>(script, keys, args, asking));
  }

  command<Reply>(args: readonly [name: string, key: string, ...Argument[]]): Promise<Reply> {
    return this.redirecting(args[1], (node, asking) => node.command<Reply>(args, asking));
  }

  async commandEach<Reply>(args: readonly string[]): Promise<readonly Reply[]> {
    return Promise.all(this.masters().map((node) => node.command<Reply>(args)));
  }

  async subscribe(channel: string, listener: (message: string, channel: string) => void): Promise<void> {
    await this.ownerOf(keySlot(channel)).subscribe(channel, listener);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.watch);
    await Promise.all([...this.nodes.values()].map((node) => node.close()));
  }

  private async redirecting<Reply>(key: string, call: (node: ServerConnection, asking: boolean) => Promise<Reply>): Promise<Reply> {
    const slot = keySlot(key);
    let node = this.ownerOf(slot);
    let asking = false;
    for (let redirections = 1; ; redirections++) {
      try {
        return await call(node, asking);
      } catch (error) {
        if (error instanceof ReadStoreUnavailable) this.lookSoon(LOOK_AGAIN_MS);
        if (!(error instanceof Redirected) || redirections > MAX_REDIRECTIONS) throw error;
        if (redirections > 2) await sleep(redirectionPauseMs(redirections));
        node = this.destination(error, slot, node);
        asking = error.kind === 'ASK';
        await node.untilReady();
      }
    }
  }

  /** While keys are being moved, those of one call may be on two nodes: the call is retried until they are on one. */
  private destination({ kind, address }: Redirected, slot: number, teller: ServerConnection): ServerConnection {
    if (kind === 'TRYAGAIN') return teller;
    const url = this.urlOf(address, teller);
    if (kind === 'MOVED') this.owners = this.owners.with(slot, url);
    return this.nodeAt(url);
  }

  private ownerOf(slot: number): ServerConnection {
    const node = this.nodes.get(this.owners[slot] ?? '');
    if (node) return node;
    this.lookSoon(LOOK_AGAIN_MS);
    throw new ReadStoreUnavailable('no known node of the Redis Cluster holds the keys');
  }

  private masters(): readonly ServerConnection[] {
    return [...new Set(this.owners)].flatMap((url) => this.nodes.get(url) ?? []);
  }

  private urlOf(address: string, teller: ServerConnection): string {
    const colon = address.lastIndexOf(':');
    return this.options.urlOf(address.slice(0, colon) || this.hostOf(teller), Number(address.slice(colon + 1)));
  }

  /** A node may omit its own host; the host under which it was reached is used then. */
  private hostOf(node: ServerConnection): string {
    const known = [...this.nodes].find(([, one]) => one === node)?.[0];
    return known === undefined ? '' : new URL(known).hostname;
  }

  private nodeAt(url: string): ServerConnection {
    const known = this.nodes.get(url);
    if (known) return known;
    const { name, timeLimitMs, onNodeReady } = this.options;
    const onReady = (node: ServerConnection): void => {
      onNodeReady(node);
      this.changed();
    };
    const node = new ServerConnection({ server: url, name, timeLimitMs, onReady });
    this.nodes.set(url, node);
    return node;
  }

  private changed(): void {
    this.changes++;
    if (this.owners.length > 0) this.options.onReady(this);
  }

  private lookSoon(leastMs: number): void {
    if (!this.closed && performance.now() - this.lookedAt >= leastMs) this.look().catch(() => undefined);
  }

  /** @throws ReadStoreUnavailable no node answers */
  private look(): Promise<void> {
    this.lookedAt = performance.now();
    this.looking ??= this.askNodes().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  /** Asks another node each time, because one that was away for a while may still consider itself a master. */
  private async askNodes(): Promise<void> {
    const nodes = [...this.nodes.values()].filter(({ isReady }) => isReady);
    const first = this.asked++;
    let cause = [...this.nodes.values()].find(({ failure }) => failure !== undefined)?.failure;
    for (let n = 0; n < nodes.length; n++) {
      const node = nodes[(first + n) % nodes.length];
      if (!node) continue;
      try {
        const slots = await node.command<Slots>(['CLUSTER', 'SLOTS']);
        if (!this.closed && slots.length > 0) this.adopt(slots, node);
        return;
      } catch (error) {
        cause = error;
      }
    }
    throw new ReadStoreUnavailable('no node of the Redis Cluster answers', { cause });
  }

  private adopt(slots: Slots, teller: ServerConnection): void {
    const owners: string[] = Array.from({ length: SLOTS }, () => '');
    for (const [from, to, [host, port]] of slots)
      owners.fill(this.options.urlOf(host === null || `${host}` === '' ? this.hostOf(teller) : `${host}`, port), from, to + 1);
    const before = this.owners;
    this.owners = owners;
    if (before.length === owners.length && before.every((url, slot) => url === owners[slot])) return;
    this.leave(new Set(before));
    this.changed();
  }

  /** Connects to the current masters, and fails calls to former ones. */
  private leave(before: ReadonlySet<string>): void {
    const masters = new Set(this.owners.filter((url) => url !== ''));
    for (const url of masters) this.nodeAt(url);
    for (const [url, node] of this.nodes) {
      if (masters.has(url)) continue;
      if (!this.options.seeds.includes(url)) {
        this.nodes.delete(url);
        node.abandon();
      } else if (before.has(url)) node.renew();
    }
  }
}
