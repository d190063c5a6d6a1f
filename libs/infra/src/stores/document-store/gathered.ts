import { type BuildState, rowOf } from './build-state.js';
import { BATCH_HEAD_BYTES, encodeBatch, lengthOf } from './files/batch.js';
import type { BuildFile } from './files/build-file.js';
import type { Entry } from './texts/record.js';

/** Commits to a build that are not written to its file yet. Their records already have their final offsets. */
export class GatheredCommits {
  /** Records by offset. Some of failed commits may remain; no entry refers to them. */
  private records = new Map<number, Buffer>();
  /** Entries of written records that these commits replaced, by name. The index may have to store them first. */
  private replaced = new Map<string, Entry>();
  /** Whole batches, ready to be written. */
  private sealed: Buffer[] = [];
  private open: Buffer[] = [];
  private openBytes = 0;
  private isMoved = false;
  /** State after the last sealed batch. */
  private sealedState: BuildState;
  /** True if the next row must be complete: the row before it may be one that the index holds and the file does not. */
  private isWhole = false;
  /** True if the index holds a row that the file does not. */
  private hasPassed = false;

  constructor(
    private readonly file: BuildFile,
    /** State at the end of the file. */
    public written: BuildState,
  ) {
    this.sealedState = written;
  }

  get isEmpty(): boolean {
    return this.sealed.length === 0 && !this.isMoved;
  }

  /** Returns whether only the checkpoint has moved. */
  isPassing({ marks, from, backTo, removals }: BuildState): boolean {
    const { written } = this;
    const isPlain = marks === written.marks && from === written.from && backTo === written.backTo && removals === written.removals;
    return this.isMoved && isPlain && this.open.length === 0 && this.sealed.length === 0;
  }

  get bytes(): number {
    return this.openBytes + lengthOf(this.sealed);
  }

  /** Offset of the next record. */
  get next(): number {
    return this.file.length + this.bytes + BATCH_HEAD_BYTES;
  }

  /** A record that is not written yet. */
  record(offset: number): Buffer | undefined {
    return this.records.get(offset);
  }

  /** Holds a record of a commit in progress, so that later records of the commit can refer to it. */
  hold(offset: number, record: Buffer): void {
    this.records.set(offset, record);
  }

  /** Must be called for each entry that a commit replaces, once the commit is added or written. */
  replace(name: string, entry: Entry): void {
    if (!this.isEmpty && entry.offset < this.file.length) this.replaced.set(name, entry);
  }

  /** Newest entry of the key whose record is written. `undefined`: there is none in memory. */
  writtenEntry(name: string, newest: Entry): Entry | undefined {
    return newest.offset < this.file.length ? newest : this.replaced.get(name);
  }

  /** Adds the records of a commit; they are already held. */
  add(records: readonly Buffer[]): void {
    for (const record of records) {
      this.open.push(record);
      this.openBytes += record.length;
    }
    this.isMoved = true;
  }

  /** Completes the batch of these commits. @param state after them */
  seal(state: BuildState): void {
    if (!this.isMoved) return;
    this.sealed.push(encodeBatch(this.open, this.rowOf(state)));
    this.sealedState = state;
    this.open = [];
    this.openBytes = 0;
    this.isMoved = false;
  }

  /** Appends the sealed batches and a commit after them, or nothing. Throws file system errors. */
  append(records: readonly Buffer[], state: BuildState): void {
    this.file.append(Buffer.concat([...this.sealed, encodeBatch(records, this.rowOf(state))]));
    this.sealedState = state;
    this.settle();
  }

  /** Appends all commits, and the row that only the index holds; or nothing. */
  flush(state: BuildState): void {
    if (this.hasPassed && this.sealed.length === 0) this.isMoved = true;
    this.seal(state);
    if (this.sealed.length === 0) return;
    this.file.append(this.sealed.length === 1 ? (this.sealed[0] as Buffer) : Buffer.concat(this.sealed));
    this.settle();
  }

  /** Sets the state at the end of the file, as read from the file or the index. */
  stand(state: BuildState): void {
    this.written = state;
    this.sealedState = state;
    this.isWhole = true;
  }

  /** Records that the index holds the row of this state, which differs from the file's only by its checkpoint. */
  pass(state: BuildState): void {
    this.stand(state);
    this.hasPassed = true;
    this.isMoved = false;
  }

  private settle(): void {
    this.sealed = [];
    this.records = new Map(); // a new map, because clear() would keep the old table in memory
    this.replaced = new Map();
    this.written = this.sealedState;
    this.isWhole = false;
    this.hasPassed = false;
  }

  private rowOf(state: BuildState): string {
    return JSON.stringify(rowOf(state, this.isWhole ? undefined : this.sealedState));
  }
}
