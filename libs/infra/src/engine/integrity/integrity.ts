import { join } from 'node:path';
import type { SigningKeys } from '#domain/integrity/signing-keys.js';
import { type EventStore, EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { AnchorNotes } from './anchor-notes.js';
import { Chain } from './chain.js';
import { ChainFollower, type FollowerDependencies } from './chain-follower.js';
import { knownSigningKeys } from './known-keys.js';
import { LeafHasher } from './leaf-hasher.js';
import { type SignedAnchor, Signer } from './signer.js';
import { SigningKeyFile } from './signing-key.js';
import { TreeStore, treeIn } from './tree-store.js';

type IntegrityOptions = Readonly<{
  /** Contains the signing key in `keys`. */
  dataDirectory: string;
  /** Contains the tree in `audit/tree`. Default: the data directory. */
  derived?: string;
  /** Open the existing tree read-only. Default: no. */
  readOnly?: boolean;
  /** 32 bytes in base64, instead of the file. */
  signingKey?: string | undefined;
  /** Directory for anchors as signed notes. */
  anchorDirectory?: string | undefined;
  /** Chain events on this node. It reads the chain in any case. */
  chains: boolean;
  /** Set if other nodes may work on this log. */
  isShared: boolean;
}>;

export type IntegrityDependencies = Readonly<{
  events: EventStore;
  store: ReadStore;
  processor: StreamProcessor;
  log: Logger;
  now: () => number;
  /** Default: leaves are made in this thread. */
  source?: FollowerDependencies['source'];
  /** Timing of the lease for chaining. Default: see there. */
  timing?: FollowerDependencies['timing'];
}>;

/** State of the chain for `/health` and `/metrics`. Ages in seconds. */
type ChainStatus = Readonly<{
  status: 'live' | 'catching-up' | 'behind' | 'off';
  size: number;
  position: Position;
  /** Age of the oldest event that is not chained; 0 if there is none. */
  lagSeconds: number;
  /** Age of the newest anchor; null if there is none. */
  anchorAgeSeconds: number | null;
  /** Time since the oldest event that no anchor covers was chained; 0 if there is none. */
  unanchoredSeconds: number;
}>;

/** Interval between anchors, if there are events that none covers. */
const ANCHOR_EVERY_MS = 3_600_000;
const CHECK_MS = 30_000;
/** Time that a caller waits for earlier events to be chained. */
const WAIT_MS = 30_000;
const CATCH_UP_MS = 5_000;
const SHUTDOWN_WAIT_MS = 3_000;
/** Delay promised by the contract. */
const LATE_SECONDS = 5;

/** The chain cannot answer yet; the message says why. */
export class ChainBehind extends Error {
  override readonly name = 'ChainBehind';
}

/** Maintains and proves the chain of an installation. */
export class Integrity {
  readonly chain: Chain;
  private readonly tree: TreeStore;
  private readonly follower: ChainFollower | undefined;
  private readonly signer: Signer;
  private readonly notes: AnchorNotes | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStarted = false;
  /** Failures in a row to sign an anchor. */
  private unsigned = 0;
  private readonly startedAt: number;
  /** The last anchor, or the start, by the monotonic clock. */
  private anchoredAt = performance.now();
  /** The oldest leaf that no anchor covers, when it was appended, and when that was seen, by the monotonic clock. */
  private uncovered: Readonly<{ index: number; since: number; seenAt: number }> | undefined;

  constructor(
    private readonly dependencies: IntegrityDependencies,
    private readonly options: IntegrityOptions,
  ) {
    const { events, store, processor, log, now, timing } = dependencies;
    const { dataDirectory, derived = dataDirectory, readOnly = false, signingKey, anchorDirectory, chains, isShared } = options;
    this.startedAt = now();
    const path = treeIn(derived);
    this.tree = TreeStore.open(path, { readOnly, report: (message) => log.warn({ path }, message) });
    this.chain = new Chain({ events, tree: this.tree, log });
    const file = new SigningKeyFile(join(dataDirectory, 'keys'), signingKey);
    this.signer = new Signer({ events, processor, chain: this.chain, file, now, log, isShared });
    const source = dependencies.source ?? ((resume, signal) => new LeafHasher(events, resume, signal));
    const anchor = (size: number) => this.tryToSign(size);
    if (chains) this.follower = new ChainFollower({ events, store, chain: this.chain, anchor, source, log, now, timing });
    const keys = () => this.keys();
    if (anchorDirectory) this.notes = new AnchorNotes({ directory: anchorDirectory, anchors: this.chain.anchors, keys, log });
  }

  /** The public keys, including former ones. @throws EventStoreUnavailable */
  keys(): Promise<SigningKeys> {
    return knownSigningKeys(this.dependencies.events);
  }

  start(): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.chain.onAnchor(({ size }) => {
      this.anchoredAt = performance.now();
      this.notes?.write(size);
    });
    this.notes?.write();
    this.chain.start();
    this.follower?.start();
    if (this.follower) void this.announce();
    this.timer = setInterval(() => void this.anchorWhenDue(), CHECK_MS).unref();
  }

  /** Chains and signs the events in the log, as far as that takes no more than a few seconds, then stops. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    if (this.isStarted && this.follower) await this.lastAnchor();
    await this.follower?.stop();
    await this.chain.stop();
    await this.notes?.stop();
    await this.tree.close();
  }

  /**
   * An anchor that covers everything appended before the call: a new one, or the newest if nothing was chained since.
   * @throws ChainBehind, CannotSign, EventStoreUnavailable
   */
  async anchor(context: CommandContext): Promise<SignedAnchor> {
    await this.chainAll(WAIT_MS);
    return this.signer.sign(this.chain.size, context);
  }

  /** If this node chains, waits until all earlier appends are chained, at most a few seconds. @throws EventStoreUnavailable */
  async catchUp(): Promise<void> {
    if (!this.isStarted || !this.follower) return;
    await this.chainAll(CATCH_UP_MS).catch((error: unknown) => {
      if (!(error instanceof ChainBehind)) throw error;
    });
  }

  /** Reads the chain of a log that no server follows at the moment. @throws ChainBehind it cannot be read to its end */
  async readChain(): Promise<void> {
    this.chain.start();
    for (let size = -1; !(await this.chain.tookUpAll(WAIT_MS)); size = this.chain.size)
      if (this.chain.size === size) throw new ChainBehind('the chain of this log cannot be read to its end: logbook audit verify says why');
  }

  /** @throws ChainBehind, CannotSign, EventStoreUnavailable */
  async rotate(context: CommandContext): Promise<Readonly<{ keyId: string; position: Position }>> {
    await this.chainAll(WAIT_MS);
    return this.signer.rotate(context);
  }

  /** @throws EventStoreUnavailable */
  async status(): Promise<ChainStatus> {
    const { chain, dependencies } = this;
    if (!this.isStarted && !this.options.chains)
      return { status: 'off', size: 0, position: 0n, lagSeconds: 0, anchorAgeSeconds: null, unanchoredSeconds: 0 };
    const [pending, newest] = [await chain.oldestPending(), chain.anchors.newest()];
    const now = dependencies.now();
    const lagSeconds = pending ? Math.max(0, (now - pending.recordedAt) / 1_000) : 0;
    return {
      status: this.statusOf(lagSeconds),
      size: chain.size,
      position: chain.position,
      lagSeconds,
      anchorAgeSeconds: newest && Math.max(0, (now - Date.parse(newest.signedAt)) / 1_000),
      unanchoredSeconds: await this.unanchoredSeconds(newest?.size ?? 0, now),
    };
  }

  private async unanchoredSeconds(index: number, now: number): Promise<number> {
    if (index >= this.chain.size) return 0;
    if (this.uncovered?.index !== index) this.uncovered = { index, since: await this.chain.chainedAt(index), seenAt: performance.now() };
    const { since, seenAt } = this.uncovered;
    return Math.max(performance.now() - seenAt, now - since) / 1_000;
  }

  private statusOf(lagSeconds: number): ChainStatus['status'] {
    if (!this.options.chains) return 'off';
    if (!this.chain.caughtUp) return 'catching-up';
    return lagSeconds > LATE_SECONDS ? 'behind' : 'live';
  }

  private async chainAll(waitMs: number): Promise<void> {
    const head = await this.dependencies.events.end();
    this.follower?.hurry(head);
    if (!(await this.chain.reached(head, waitMs))) throw new ChainBehind('the chain has not reached the head of the log yet');
  }

  private async announce(): Promise<void> {
    try {
      await this.signer.announce();
    } catch (error) {
      this.dependencies.log.warn({ err: error }, 'anchors cannot be signed on this node now');
    }
  }

  private async tryToSign(size: number): Promise<void> {
    try {
      await this.signer.sign(size);
      this.unsigned = 0;
    } catch (error) {
      if (isLogged(++this.unsigned)) this.dependencies.log.warn({ err: error, size }, 'an anchor cannot be signed now');
    }
  }

  private async lastAnchor(): Promise<void> {
    try {
      await this.chainAll(SHUTDOWN_WAIT_MS);
      if (this.chain.size > 0) await this.signer.sign(this.chain.size);
    } catch (error) {
      const { log } = this.dependencies;
      if (error instanceof ChainBehind || error instanceof EventStoreUnavailable) log.warn({ err: error }, 'no anchor at this shutdown');
      else log.error({ err: error }, 'no anchor at this shutdown');
    }
  }

  private async anchorWhenDue(): Promise<void> {
    if (!this.follower?.isLeading) return;
    const newest = this.chain.anchors.newest();
    if (this.chain.size === (newest?.size ?? 0)) return;
    const since = newest ? Date.parse(newest.signedAt) : this.startedAt;
    const age = Math.max(performance.now() - this.anchoredAt, this.dependencies.now() - since); // a clock that was ahead may have signed
    if (!(age < ANCHOR_EVERY_MS)) await this.tryToSign(this.chain.size);
  }
}
