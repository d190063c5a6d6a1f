import { ANCHORS_STREAM, type Anchor } from '#domain/integrity/integrity-events.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { type StreamRecord, survivorsOf } from './damage.js';

/** An anchor kept by an auditor. `root`: lower-case hex. */
export type KeptAnchor = Readonly<{ size: number; root: string }>;

/** Anchor to compare at a size: an anchor of the log, an unreadable one, or one kept by the auditor. */
export type DueAnchor = Readonly<{ size: number } & ({ ours: Anchor } | { unreadable: number } | { root: string })>;

/** Signers on two nodes may overtake each other: this many anchors are sorted. */
const AHEAD = 64;

/** Returns anchors by size: those of the log, and those kept by the auditor. */
export class AnchorFeed {
  private own: readonly DueAnchor[] = [];
  private readonly kept: readonly KeptAnchor[];
  private keptTaken = 0;
  private readonly records: AsyncGenerator<StreamRecord, void, void>;
  private isRead = false;
  /** Size of the anchor read last; an unreadable one is compared next. */
  private lastSize = 0;

  /** @param kept in any order */
  constructor(store: Pick<EventStore, 'readStream'>, kept: readonly KeptAnchor[]) {
    this.records = survivorsOf(store, ANCHORS_STREAM, 0);
    this.kept = [...kept].sort((one, other) => one.size - other.size);
  }

  /** Size of the next anchor of the log, after `fill`; infinite if there is none. */
  get nextOwn(): number {
    return this.own[0]?.size ?? Number.POSITIVE_INFINITY;
  }

  /** Size of the next anchor kept by the auditor. */
  get nextKept(): number {
    return this.kept[this.keptTaken]?.size ?? Number.POSITIVE_INFINITY;
  }

  get nextSize(): number {
    return Math.min(this.nextOwn, this.nextKept);
  }

  /** Removes and returns the anchor of `nextSize`. @throws EventStoreUnavailable */
  async take(): Promise<DueAnchor | undefined> {
    if (this.nextKept < this.nextOwn) {
      this.keptTaken += 1;
      return this.kept[this.keptTaken - 1];
    }
    const [first, ...rest] = this.own;
    this.own = rest;
    await this.fill();
    return first;
  }

  /** Reads ahead. @throws EventStoreUnavailable */
  async fill(): Promise<void> {
    const read: DueAnchor[] = [];
    while (!this.isRead && this.own.length + read.length < AHEAD) {
      const { value, done } = await this.records.next();
      if (done || !value) this.isRead = true;
      else read.push(this.dueOf(value));
    }
    if (read.length > 0) this.own = [...this.own, ...read].sort((one, other) => one.size - other.size);
  }

  private dueOf(record: StreamRecord): DueAnchor {
    if ('unreadable' in record) return { size: this.lastSize, unreadable: record.unreadable };
    const ours = record.event.data as Anchor;
    this.lastSize = Number.isSafeInteger(ours.size) ? ours.size : this.lastSize;
    return { size: this.lastSize, ours };
  }
}
