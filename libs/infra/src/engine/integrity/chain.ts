import { isChained } from '#domain/integrity/chained.js';
import { mayExpire } from '#domain/integrity/expiring.js';
import {
  ANCHORS_CATEGORY,
  type Anchor,
  LEAVES_CATEGORY,
  LEAVES_STREAM,
  type LeafPlace,
  type LeavesChained,
  leavesOf,
  placeInRuns,
} from '#domain/integrity/integrity-events.js';
import { storedForm } from '#domain/integrity/leaf.js';
import type { StoredForm } from '#domain/integrity/leaf-text.js';
import { EMPTY_ROOT, Frontier, HASH_BYTES, type Hash, joinPeaks } from '#domain/integrity/merkle.js';
import { consistencyRanges, inclusionRanges, type LeafRange, nodesOf } from '#domain/integrity/merkle-ranges.js';
import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { type Continuation, type Following, followLog } from '#infra/engine/followers/follow-log.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { Waiters } from '#infra/platform/scheduling/waiters.js';
import { isMarkedLog } from '#infra/stores/log-identity/log-mark.js';
import type { Anchors } from './anchors.js';
import { additionOf, chainEvents } from './chain-events.js';
import { LeavesReader } from './leaves-reader.js';
import { nodeFromTiles } from './tiles.js';
import type { TreeState, TreeStore } from './tree-store.js';

type ChainDependencies = Readonly<{
  events: EventStore;
  tree: TreeStore;
  log: Pick<Logger, 'warn' | 'error'>;
}>;

/** An event of the chain as shown to auditors. If it has expired or is missing, only the leaf is left. */
type ChainedEvent =
  | (StoredForm & Readonly<{ index: number; position: string; hash: string }>)
  | Readonly<{ index: number; hash: string; expired: true }>
  | Readonly<{ index: number; hash: string; missing: true }>;

const CATEGORIES = [LEAVES_CATEGORY, ANCHORS_CATEGORY];
const BATCH_EVENTS = 64; // events of leaves are large
const PROBE_EVENTS = 256; // to find one that is not chained yet

/**
 * The chain as known to this node: it follows the events of the chain in the log, whichever node appends them, and stores their tree.
 * Started once; its state survives a restart.
 */
export class Chain {
  readonly anchors: Anchors;
  private readonly reader: LeavesReader;
  private hasEnded = false;
  private readonly changes = new Waiters<void>();
  /** Positions of last leaves just read by the follower of this process, by size. */
  private readonly hints = new Map<number, Position>();
  private readonly anchorListeners = new Set<(anchor: Anchor) => void>();
  private state: TreeState;
  private following: Following | undefined;
  /** Whether this node has read all events of the chain in the log. */
  caughtUp = false;
  /** True once the tree was compared with the log since the log could have been replaced. */
  private isOfThisLog = false;

  constructor(private readonly dependencies: ChainDependencies) {
    const { events, tree } = dependencies;
    this.reader = new LeavesReader(events, tree);
    this.state = tree.state();
    this.anchors = tree.anchors;
  }

  /** Number of leaves. */
  get size(): number {
    return this.state.size;
  }

  /** Position of the last leaf's event in this log; `0n` if there is none. */
  get position(): Position {
    return BigInt(this.state.position);
  }

  start(): void {
    const { events, log } = this.dependencies;
    this.following ??= followLog({
      events,
      subscription: { categories: CATEGORIES, maxBatch: BATCH_EVENTS },
      begin: (signal) => this.begin(signal),
      trouble: (error, failures) => {
        if (isLogged(failures)) log.warn({ err: error }, 'the chain cannot be followed now');
      },
    });
  }

  async stop(): Promise<void> {
    this.hasEnded = true;
    this.changes.wakeAll();
    await this.following?.stop();
  }

  /** Calls `listener` with each new anchor. */
  onAnchor(listener: (anchor: Anchor) => void): void {
    this.anchorListeners.add(listener);
  }

  /** Passes the position of the last leaf's event for a chain of this size, so that it need not be searched. */
  expect(size: number, position: Position): void {
    if (size > this.size) this.hints.set(size, position);
    else if (size === this.size && position > this.position) this.state = { ...this.state, position: `${position}` };
  }

  /** @throws RangeError the chain has no such leaf */
  async leafAt(index: number): Promise<Hash> {
    const [leaf] = index >= 0 && index < this.size ? await this.reader.leaves(index, index + 1) : [];
    if (!leaf) throw new RangeError(`the chain has no leaf ${index}`);
    return leaf;
  }

  /** Leaves from `from` on, at most `count`, fewer at the end of the chain. */
  async leaves(from: number, count: number): Promise<readonly Hash[]> {
    return this.reader.leaves(from, Math.min(this.size, from + count));
  }

  /** Place of the event of a leaf, even if it has expired. @throws RangeError the chain has no such leaf */
  async placeOf(index: number): Promise<LeafPlace> {
    if (!(index >= 0 && index < this.size)) throw new RangeError(`the chain has no leaf ${index}`);
    return this.reader.placeOf(index);
  }

  /** When a leaf was appended to the log: milliseconds since 1970-01-01 UTC. @throws RangeError the chain has no such leaf */
  chainedAt(index: number): Promise<number> {
    return this.reader.chainedAt(index);
  }

  /** The event of a leaf in its stored form. @throws RangeError the chain has no such leaf */
  async eventAt(index: number): Promise<ChainedEvent> {
    const { stream, revision } = await this.placeOf(index);
    const hash = (await this.leafAt(index)).toString('hex');
    const { events } = this.dependencies;
    const [event] = await events.readStream(stream, { from: BigInt(revision), limit: 1 });
    if (event && Number(event.revision) === revision) return { index, position: `${event.position}`, ...storedForm(event), hash };
    if (!mayExpire(stream)) return { index, hash, missing: true };
    const [oldest] = await events.readStream(stream, { limit: 1 });
    return oldest && Number(oldest.revision) < revision ? { index, hash, missing: true } : { index, hash, expired: true };
  }

  /** Root of the tree over the first `size` leaves. @throws RangeError the chain is shorter */
  async root(size: number): Promise<Hash> {
    if (!(size >= 0 && size <= this.size)) throw new RangeError(`the chain has no size ${size}`);
    const { state } = this;
    if (size === state.size) return size === 0 ? EMPTY_ROOT : Frontier.decode(size, state.frontier).root();
    return this.hashOf({ start: 0, end: size });
  }

  /** RFC 9162 2.1.3. @throws RangeError the chain is shorter, or the leaf is not in it */
  async inclusionPath(index: number, size: number): Promise<readonly Hash[]> {
    if (!(index >= 0 && index < size && size <= this.size)) throw new RangeError(`leaf ${index} is not in a chain of size ${size}`);
    return this.hashesOf(inclusionRanges(index, size));
  }

  /** RFC 9162 2.1.4. @throws RangeError the chain is shorter, or `from` is not between 1 and `to` */
  async consistencyPath(from: number, to: number): Promise<readonly Hash[]> {
    if (!(from >= 1 && from <= to && to <= this.size)) throw new RangeError(`no chain of size ${to} begins with one of size ${from}`);
    return this.hashesOf(consistencyRanges(from, to));
  }

  /** Waits until all earlier appends up to a position are chained. Returns false on timeout. */
  reached(position: Position, timeoutMs: number): Promise<boolean> {
    return this.until(async () => !(await this.isPending(position)), timeoutMs);
  }

  /** Log time and position of the last leaf of the chain when it had this size. @throws RangeError no event of leaves ends there */
  async endOf(size: number): Promise<Readonly<{ time: string; position: string }>> {
    const { time, position } = this.state;
    if (size === this.size && time !== null) return { time, position };
    const { event } = await this.reader.endingAt(size);
    return { time: event.time, position: await this.positionAfter(size, event) };
  }

  /** Resolves when the chain has changed, or after this time. */
  async change(timeoutMs: number): Promise<void> {
    await this.changes.wait(timeoutMs);
  }

  /** Returns whether this node reads the event of the chain at this position within the time limit. */
  tookUp(position: Position, timeoutMs: number): Promise<boolean> {
    return this.until(() => BigInt(this.state.last?.position ?? '0') >= position, timeoutMs);
  }

  /** Returns whether this node has read all events of the chain within the time limit. */
  tookUpAll(timeoutMs: number): Promise<boolean> {
    return this.until(() => this.caughtUp, timeoutMs);
  }

  /** The oldest event that is not chained; `null` if one read finds none. @throws EventStoreUnavailable */
  async oldestPending(): Promise<RecordedEvent | null> {
    for (let after = this.position; ; ) {
      const page = await this.dependencies.events.readAll({ after, limit: PROBE_EVENTS });
      const found = page.events.find(({ stream, position }) => isChained(stream) && position > this.position);
      if (found) return found;
      if (page.caughtUp) return null;
      after = page.position;
    }
  }

  /** Waits for a change of the chain after which `isSo` holds. Returns false on timeout. */
  private async until(isSo: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
    const end = performance.now() + timeoutMs;
    while (!(await isSo())) {
      const rest = end - performance.now();
      if (rest <= 0 || this.hasEnded) return false;
      await this.change(rest);
    }
    return true;
  }

  private async isPending(position: Position): Promise<boolean> {
    if (this.following && !this.isOfThisLog) return true;
    if (this.position >= position) return false;
    const pending = await this.oldestPending();
    return pending !== null && pending.position <= position;
  }

  private hashesOf(ranges: readonly LeafRange[]): Promise<readonly Hash[]> {
    return Promise.all(ranges.map((range) => this.hashOf(range)));
  }

  private async hashOf({ start, end }: LeafRange): Promise<Hash> {
    const { tree } = this.dependencies;
    const leavesOf = (from: number, count: number) => this.reader.leaves(from, from + count);
    return joinPeaks(await Promise.all(nodesOf(start, end).map((node) => nodeFromTiles(tree, node, leavesOf))));
  }

  /** Compares the tree with the log and adds the events of the chain's streams: searching a long log for them would take minutes. */
  private async begin(signal: AbortSignal): Promise<Continuation> {
    const { events } = this.dependencies;
    signal.addEventListener('abort', () => {
      this.caughtUp = false;
      this.isOfThisLog = false;
    });
    await this.compare();
    this.isOfThisLog = !signal.aborted;
    this.changes.wakeAll();
    const after = await events.end();
    for await (const batch of chainEvents(events, BigInt(this.state.last?.position ?? '0'), after)) {
      if (signal.aborted) break;
      await this.takeUp(batch);
      this.changes.wakeAll();
    }
    const take = async (batch: EventBatch): Promise<void> => {
      if (batch.events.length > 0) await this.takeUp(batch.events);
      this.caughtUp = batch.caughtUp && !signal.aborted;
      this.changes.wakeAll();
    };
    return { after, take };
  }

  /** Starts again if the log does not contain the last event added: then it is another log, or an older copy. */
  private async compare(): Promise<void> {
    const { events, tree, log } = this.dependencies;
    this.state = tree.state();
    const { last } = this.state;
    if (await isMarkedLog(events, last, BigInt(last?.position ?? 0))) return;
    log.warn({}, 'the tree of the chain comes from another log: it is rebuilt');
    this.reset(await tree.clear());
  }

  private reset(state: TreeState): void {
    this.reader.reset();
    this.hints.clear();
    this.state = state;
    this.changes.wakeAll();
  }

  private async takeUp(batch: readonly RecordedEvent[]): Promise<void> {
    const additions = batch.map(additionOf);
    let { size } = this.state;
    for (const event of batch) {
      if (event.stream !== LEAVES_STREAM) continue;
      const { from, count, leaves } = leavesOf(event);
      if (from !== size || Buffer.byteLength(leaves, 'base64') !== count * HASH_BYTES)
        throw new RangeError(`leaves from ${from} on do not continue a chain of size ${size}`);
      size += count;
    }
    const newest = batch.findLast(({ stream }) => stream === LEAVES_STREAM);
    const position = newest ? await this.positionAfter(size, leavesOf(newest)) : this.state.position;
    this.state = await this.dependencies.tree.add(additions, position);
    for (const { anchor } of additions) if (anchor) for (const listener of this.anchorListeners) listener(anchor.anchor);
  }

  /** Place of the last leaf's event. If the event has expired, the last known place is used. */
  private async positionAfter(size: number, newest: LeavesChained): Promise<string> {
    const hint = this.hints.get(size);
    for (const known of this.hints.keys()) if (known < size) this.hints.delete(known);
    if (hint !== undefined) return `${hint}`;
    const place = placeInRuns(newest, newest.count - 1);
    const [event] = place ? await this.dependencies.events.readStream(place.stream, { from: BigInt(place.revision), limit: 1 }) : [];
    return event && Number(event.revision) === place?.revision ? `${event.position}` : this.state.position;
  }
}
