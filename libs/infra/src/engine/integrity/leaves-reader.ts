import { LRUCache } from 'lru-cache';
import {
  LEAVES_STREAM,
  type LeafPlace,
  type LeavesChained,
  leavesOf,
  MAX_LEAVES,
  placeInRuns,
} from '#domain/integrity/integrity-events.js';
import { HASH_BYTES, type Hash, splitHashes } from '#domain/integrity/merkle.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { LeafRun, TreeStore } from './tree-store.js';

/** Decoded leaves of one event of the log. */
type Leaves = Readonly<{ hashes: readonly Hash[]; event: LeavesChained }>;

/** Bytes of leaves kept in memory, including the places of their events. */
const CACHE_BYTES = 16 * 2 ** 20;
const EVENTS_PER_PAGE = 256;

/** Decodes the leaves in an event of the log. */
const decodeLeaves = (event: Pick<LeavesChained, 'leaves'>): readonly Hash[] => splitHashes(Buffer.from(event.leaves, 'base64'));

/** Reads leaves, and the places of their events, from the log. The tree knows which events contain them. */
export class LeavesReader {
  private readonly cache = new LRUCache<number, Leaves>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ hashes, event }) => 500 + hashes.length * (HASH_BYTES + 100) + 16 * event.runs.length + 100 * event.streams.length,
  });

  constructor(
    private readonly events: Pick<EventStore, 'readStream'>,
    private readonly tree: TreeStore,
  ) {}

  /** Drops the cache, because the log may be another one. */
  reset(): void {
    this.cache.clear();
  }

  /** Leaves from `from` up to `end`, exclusive; fewer if the tree ends earlier. @throws EventStoreUnavailable */
  async leaves(from: number, end: number): Promise<readonly Hash[]> {
    const found: Hash[] = [];
    for (let at = from; at < end; ) {
      const runs = this.tree.runsOf(at, Math.min(end, at + MAX_LEAVES)).filter((run) => run.from + run.count > at);
      if (runs.length === 0) break;
      await this.load(runs);
      for (const run of runs) {
        const { hashes } = await this.one(run);
        found.push(...hashes.slice(Math.max(0, from - run.from), end - run.from));
        at = run.from + run.count;
      }
    }
    return found;
  }

  /** @throws RangeError there is no such leaf; EventStoreUnavailable */
  async placeOf(index: number): Promise<LeafPlace> {
    const run = this.runWith(index);
    const place = run && placeInRuns((await this.one(run)).event, index - run.from);
    if (!place) throw new RangeError(`the chain has no leaf ${index}`);
    return place;
  }

  /** When this leaf was appended to the log: milliseconds since 1970-01-01 UTC. @throws RangeError the chain has no such leaf */
  async chainedAt(index: number): Promise<number> {
    const run = this.runWith(index);
    const [event] = run ? await this.events.readStream(LEAVES_STREAM, { from: BigInt(run.revision), limit: 1 }) : [];
    if (!event) throw new RangeError(`the chain has no leaf ${index}`);
    return event.recordedAt;
  }

  /** The event of leaves that ends at this size of the chain. @throws RangeError none does */
  async endingAt(size: number): Promise<Readonly<{ event: LeavesChained }>> {
    const run = this.tree.runsOf(size - 1, size).find(({ from, count }) => from + count === size);
    if (!run) throw new RangeError(`no leaves end at size ${size}`);
    return this.one(run);
  }

  private runWith(index: number): LeafRun | undefined {
    return this.tree.runsOf(index, index + 1).find(({ from, count }) => from <= index && index < from + count);
  }

  /** Reads small neighbouring events together. */
  private async load(runs: readonly LeafRun[]): Promise<void> {
    const missing = runs.filter(({ revision }) => !this.cache.has(revision));
    const [first, last] = [missing[0], missing.at(-1)];
    if (!first || !last || first === last) return;
    for (let from = first.revision; from <= last.revision; ) {
      const limit = Math.min(EVENTS_PER_PAGE, last.revision - from + 1);
      const page = await this.events.readStream(LEAVES_STREAM, { from: BigInt(from), limit });
      if (page.length === 0) return;
      for (const event of page) this.keep(Number(event.revision), leavesOf(event));
      from = Number(page.at(-1)?.revision) + 1;
    }
  }

  private async one({ revision, count }: LeafRun): Promise<Leaves> {
    const cached = this.cache.get(revision);
    if (cached) return cached;
    const [event] = await this.events.readStream(LEAVES_STREAM, { from: BigInt(revision), limit: 1 });
    if (Number(event?.revision) !== revision || !event) throw new RangeError(`the log has lost the leaves of revision ${revision}`);
    const leaves = this.keep(revision, leavesOf(event));
    if (leaves.hashes.length !== count) throw new RangeError(`the log has other leaves in revision ${revision}`);
    return leaves;
  }

  private keep(revision: number, event: LeavesChained): Leaves {
    const leaves = { hashes: decodeLeaves(event), event: { ...event, leaves: '' } };
    this.cache.set(revision, leaves);
    return leaves;
  }
}
