import { type Leaf, leavesIn } from '#domain/integrity/integrity-events.js';
import { leafOf } from '#domain/integrity/leaf.js';
import { Frontier } from '#domain/integrity/merkle.js';
import type { PublicKey } from '#domain/integrity/proof.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { AnchorSignatures, dueAnchorProblem } from './anchor-check.js';
import { AnchorFeed, type DueAnchor, type KeptAnchor } from './anchor-feed.js';
import { Expiry } from './expiry.js';
import { type LeafEntry, type LeafRecord, leafEntries, revisionWithLeaf } from './leaf-records.js';
import { LogCursor } from './log-cursor.js';
import { scanOf } from './log-scan.js';
import { explain } from './mismatch.js';
import type { ChainProblem } from './problem.js';
import { positionBefore, type VerificationState } from './state.js';

type VerificationOptions = Readonly<{
  /** The log's own store, not a wrapper. */
  store: EventStore;
  keys: readonly PublicKey[];
  /** Anchors kept by the auditor. */
  anchors: readonly KeptAnchor[];
  /** State from which to begin or continue. */
  state: VerificationState;
  /** Of the beginning in this process. Default: it is looked for again. */
  gone?: ReadonlyMap<string, number> | undefined;
  signal: AbortSignal;
  /** Called often, between two events, with a state from which the verification can continue. */
  report?: (state: VerificationState) => void;
}>;

/** Reads the log and its leaves side by side. Memory is constant, and the event loop is used in slices. */
export class LogVerification {
  private readonly anchors: AnchorFeed;
  private readonly signatures: AnchorSignatures;
  private readonly expiry: Expiry;
  /** Until an event is found: by stream, the highest revision of events before the start that have expired but may still be in the log. */
  private readonly gone: Map<string, number>;
  private readonly cursor: LogCursor;
  private readonly slice = new TimeSlice();
  /** `null` if leaves are lost: the tree is unknown until the next record of leaves states it. */
  private frontier: Frontier | null;
  private size: number;
  private after: string;
  private expired: number;
  private problem: ChainProblem | null;
  /** Log time; `null` if unknown. */
  private time: string | null;
  /** Set after an unreadable record until the next readable event. */
  private isBehindDamage: boolean;

  constructor(private readonly options: VerificationOptions) {
    const { store, keys, anchors, state, gone } = options;
    this.gone = new Map(gone);
    this.anchors = new AnchorFeed(store, anchors);
    this.signatures = new AnchorSignatures(keys);
    this.expiry = new Expiry(store);
    this.cursor = new LogCursor(scanOf(store), BigInt(state.after));
    this.frontier = state.frontier === null ? null : Frontier.decode(state.size, state.frontier);
    this.size = state.size;
    this.after = state.after;
    this.expired = state.expired;
    this.problem = state.problem;
    this.time = state.time;
    this.isBehindDamage = state.isBehindDamage;
  }

  get state(): VerificationState {
    const { size, after, expired, problem, time, isBehindDamage, frontier } = this;
    return { ...this.options.state, size, after, expired, problem, time, isBehindDamage, frontier: frontier?.encode() ?? null };
  }

  /** @throws EventStoreUnavailable; the reason of the signal */
  async run(): Promise<VerificationState> {
    const { store, state, gone, signal } = this.options;
    if (!gone && state.from > 0 && state.expired === state.size - state.from)
      await positionBefore(store, state.from, { gone: this.gone, signal });
    await this.anchors.fill();
    await this.passOver(state.size);
    await this.compareAnchors();
    const revision = await revisionWithLeaf(store, this.size);
    let lost: LeafEntry | undefined;
    for await (const entry of leafEntries(store, revision)) {
      if (this.size >= state.end) break;
      if ('damaged' in entry) lost ??= entry;
      else if (await this.isNext(entry, lost)) {
        await this.walk(entry);
        lost = undefined;
      }
    }
    if (this.size < state.end) this.loseRest(lost);
    this.noteAnchorsBeyond();
    await this.lookForDamage();
    return this.state;
  }

  private note(problem: ChainProblem): void {
    this.problem ??= problem;
  }

  private async turn(): Promise<void> {
    this.options.report?.(this.state);
    await this.slice.next();
    this.options.signal.throwIfAborted();
  }

  /** Returns whether a record continues the chain, possibly after a gap. Records problems with its place. */
  private async isNext({ data, position, revision }: LeafRecord, lost: LeafEntry | undefined): Promise<boolean> {
    const { size: start } = this.options.state;
    const end = data.from + data.count;
    if (data.from < this.size) {
      if (end <= start) return false;
      if (this.size === start) return true; // continues within the record
      this.noteLeaves('inserted', position, `leaves from ${data.from} on stand in the log twice`);
      return false;
    }
    if (data.from > this.size) {
      if (lost) this.noteLost(lost);
      else if (await this.hasLater(revision)) this.noteLeaves('reordered', position, 'leaves are out of order');
      else this.noteLeaves('missing', null, `the leaves up to ${data.from} are no longer in the log`);
      await this.leap(data.from);
    }
    return true;
  }

  private noteLeaves(kind: ChainProblem['kind'], position: string | null, detail: string): void {
    this.note({ index: this.size, position, kind, detail: `leaf ${this.size}: ${detail}` });
  }

  private noteLost(lost: LeafEntry): void {
    if (!('damaged' in lost)) return;
    this.noteLeaves(lost.damaged, lost.position, `its record of leaves (revision ${lost.revision}) is ${lost.damaged}`);
  }

  private async hasLater(revision: number): Promise<boolean> {
    for await (const entry of leafEntries(this.options.store, revision + 1)) {
      if ('data' in entry && entry.data.from === this.size) return true;
      if (this.slice.isOver) await this.turn();
    }
    return false;
  }

  /** Skips the events of lost leaves, as many as there were. */
  private async leap(to: number): Promise<void> {
    this.frontier = null;
    this.time = null;
    this.isBehindDamage = true;
    for (; this.size < to; this.size++) {
      const record = await this.cursor.peek();
      if (record && 'unreadable' in record) this.passUnreadable(record.unreadable);
      else this.pass();
      if (this.slice.isOver) await this.turn();
    }
  }

  private loseRest(lost: LeafEntry | undefined): void {
    if (lost) this.noteLost(lost);
    else this.noteLeaves('missing', null, `the leaves up to ${this.options.state.end} are no longer in the log`);
  }

  private async walk(record: LeafRecord): Promise<void> {
    const isWhole = record.data.from === this.size;
    const expiredBefore = this.expired;
    let leaf: Leaf | undefined;
    for (const next of leavesIn(record.data, this.size)) {
      if (leaf) await this.step(leaf, next);
      leaf = next;
    }
    if (leaf) await this.step(leaf, undefined);
    this.compareRecord(record, isWhole && this.expired === expiredBefore);
  }

  /** Compares everything that a record of leaves states besides the leaves. */
  private compareRecord({ data, position }: LeafRecord, isComplete: boolean): void {
    const { from, count, frontier, time } = data;
    const of = (what: string) =>
      ({ index: from, position, kind: 'altered', detail: `leaves ${from} to ${from + count - 1}: ${what}` }) as const;
    if (this.frontier === null) this.frontier = decoded(this.size, frontier);
    else if (this.frontier.encode() !== frontier) this.note(of('they do not give the tree that their record states'));
    if (this.time !== null && (isComplete ? this.time !== time : this.time > time)) this.note(of('their record states another log time'));
    this.time = time;
  }

  private async step(leaf: Leaf, next: Leaf | undefined): Promise<void> {
    if (this.slice.isOver) await this.turn();
    const record = this.cursor.buffered;
    if (record && 'event' in record && isEventOf(record.event, leaf)) await this.passEvent(record.event);
    else await this.match(leaf, next);
    this.frontier?.append(Buffer.from(leaf.hash));
    this.size += 1;
    if (this.size >= this.anchors.nextSize) await this.compareAnchors();
  }

  /** Finds the event of a leaf, or the cause of its absence. */
  private async match(leaf: Leaf, next: Leaf | undefined): Promise<void> {
    for (;;) {
      const record = await this.cursor.peek();
      if (record && 'unreadable' in record) this.passUnreadable(record.unreadable);
      else if (record && isEventOf(record.event, leaf)) return this.passEvent(record.event);
      else if (record && Number(record.event.revision) <= (this.gone.get(record.event.stream) ?? -1)) this.pass();
      else if (await this.expiry.has(leaf.stream, leaf.revision)) {
        this.expired += 1;
        return;
      } else if (await this.settle(leaf, next, record?.event)) return;
    }
  }

  /** Handles a missing or different event of a leaf. Returns false once the mismatch is handled. */
  private async settle(leaf: Leaf, next: Leaf | undefined, event: RecordedEvent | undefined): Promise<boolean> {
    if (this.isBehindDamage) return true; // it was in an unreadable record
    if (this.problem) {
      this.pass();
      return true;
    }
    const { store, signal } = this.options;
    const { problem, skips } = await explain({ store, cursor: this.cursor, leaf, next, event, signal });
    this.note(problem);
    if (skips !== 'leaf') this.pass();
    return skips !== 'event';
  }

  private async passEvent({ stream, revision, metadata: { time } }: RecordedEvent): Promise<void> {
    this.gone.clear(); // later events are not those of earlier leaves
    if (await this.expiry.hides(stream, Number(revision))) this.expired += 1;
    this.isBehindDamage = false;
    this.pass();
    if (this.time !== null && typeof time === 'string' && time > this.time) this.time = time;
  }

  private passUnreadable(position: bigint): void {
    this.note({
      index: this.size,
      position: `${position}`,
      kind: 'unreadable',
      detail: `the record at position ${position} cannot be read`,
    });
    this.isBehindDamage = true;
    this.pass();
  }

  /** Moves past the next record of the log. */
  private pass(): void {
    const record = this.cursor.buffered;
    if (!record) return;
    this.after = 'event' in record ? `${record.event.position}` : `${record.unreadable}`;
    this.cursor.shift();
  }

  /** Skips anchors of sizes before the start of this verification. */
  private async passOver(size: number): Promise<void> {
    while (this.anchors.nextSize < size) await this.anchors.take();
  }

  private async compareAnchors(): Promise<void> {
    while (this.anchors.nextSize <= this.size) {
      const due = await this.anchors.take();
      if (due) this.compareAnchor(due);
    }
  }

  private compareAnchor(due: DueAnchor): void {
    const root = due.size === this.size ? (this.frontier?.root() ?? null) : null;
    const found = dueAnchorProblem(due, root, this.signatures);
    if (found) this.note({ index: Math.max(0, this.size - 1), position: null, ...found });
  }

  /** Reports anchors of more leaves than there are: their events are gone. Anchors made during this verification cover newer events. */
  private noteAnchorsBeyond(): void {
    const { nextOwn, nextKept } = this.anchors;
    const own = nextOwn <= this.options.state.newestAnchor ? nextOwn : Number.POSITIVE_INFINITY;
    const size = Math.min(own, nextKept);
    if (size === Number.POSITIVE_INFINITY) return;
    const whose = size === own ? 'an anchor' : 'a given anchor';
    this.noteLeaves('missing', null, `${whose} says that there were ${size} events; the chain has ${this.size}`);
  }

  /** The events after the last leaf are not chained yet; only damage is detectable in them. */
  private async lookForDamage(): Promise<void> {
    const until = BigInt(this.options.state.head);
    for (let record = await this.cursor.peek(); record; record = await this.cursor.peek()) {
      if ('unreadable' in record) this.passUnreadable(record.unreadable);
      else if (record.event.position >= until) return;
      else this.pass();
      if (this.slice.isOver) await this.turn();
    }
  }
}

const isEventOf = (event: RecordedEvent, leaf: Leaf): boolean =>
  event.stream === leaf.stream && Number(event.revision) === leaf.revision && leafOf(event).equals(leaf.hash);

const decoded = (size: number, frontier: string): Frontier | null => {
  try {
    return Frontier.decode(size, frontier);
  } catch {
    return null;
  }
};
