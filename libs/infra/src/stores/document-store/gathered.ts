import { BATCH_HEAD_BYTES, encodeBatch, lengthOf } from './batch.js';
import type { BuildFile } from './build-file.js';
import { type BuildState, rowOf } from './build-state.js';
import type { Entry } from './record.js';

/** Commits to a build that are not in its file yet. Their records have their places already. */
export class Gathered {
  /** Records by their offset. Of commits that have failed some may be left: nothing leads there. */
  private records = new Map<number, Buffer>();
  /** Entries of records in the file that these commits have replaced, by name: the index may have to know them before. */
  private replaced = new Map<string, Entry>();
  /** Whole batches, to be written as they are. */
  private sealed: Buffer[] = [];
  private open: Buffer[] = [];
  private openBytes = 0;
  private isMoved = false;
  /** The row at the end of what is sealed. */
  private sealedState: BuildState;
  /** Whether the next row says all: the state before may be that of a row in the file, or of one that only the index has. */
  private isWhole = false;
  /** Whether the index has a row that the file does not have. */
  private hasPassed = false;

  constructor(
    private readonly file: BuildFile,
    /** The state at the end of the file. */
    public written: BuildState,
  ) {
    this.sealedState = written;
  }

  get isEmpty(): boolean {
    return this.sealed.length === 0 && !this.isMoved;
  }

  /** Whether nothing but the checkpoint has moved on. */
  isPassing({ marks, from, backTo }: BuildState): boolean {
    const { written } = this;
    const isPlain = marks === written.marks && from === written.from && backTo === written.backTo;
    return this.isMoved && isPlain && this.open.length === 0 && this.sealed.length === 0;
  }

  get bytes(): number {
    return this.openBytes + lengthOf(this.sealed);
  }

  /** Offset of the next record. */
  get next(): number {
    return this.file.length + this.bytes + BATCH_HEAD_BYTES;
  }

  /** A record that is not in the file yet. */
  record(offset: number): Buffer | undefined {
    return this.records.get(offset);
  }

  /** A record of a commit that is being made: those after it may lead to it. */
  hold(offset: number, record: Buffer): void {
    this.records.set(offset, record);
  }

  /** To be called with each entry that a commit replaces, once the commit is added or written. */
  replace(name: string, entry: Entry): void {
    if (!this.isEmpty && entry.offset < this.file.length) this.replaced.set(name, entry);
  }

  /** Of the entries of a key the newest whose record is in the file. `undefined`: that is none in memory. */
  writtenEntry(name: string, newest: Entry): Entry | undefined {
    return newest.offset < this.file.length ? newest : this.replaced.get(name);
  }

  /** Adds the records of a commit, which are held already. */
  add(records: readonly Buffer[]): void {
    for (const record of records) {
      this.open.push(record);
      this.openBytes += record.length;
    }
    this.isMoved = true;
  }

  /** Nothing is added any more to the batch of these commits. @param state that they have made */
  seal(state: BuildState): void {
    if (!this.isMoved) return;
    this.sealed.push(encodeBatch(this.open, this.rowOf(state)));
    this.sealedState = state;
    this.open = [];
    this.openBytes = 0;
    this.isMoved = false;
  }

  /** Appends what is sealed and a commit after it, or nothing. Throws errors of the file system. */
  append(records: readonly Buffer[], state: BuildState): void {
    this.file.append(Buffer.concat([...this.sealed, encodeBatch(records, this.rowOf(state))]));
    this.sealedState = state;
    this.settle();
  }

  /** Appends all commits, or nothing; and the row that only the index has. */
  flush(state: BuildState): void {
    if (this.hasPassed) this.isMoved = true;
    this.seal(state);
    if (this.sealed.length === 0) return;
    this.file.append(this.sealed.length === 1 ? (this.sealed[0] as Buffer) : Buffer.concat(this.sealed));
    this.settle();
  }

  /** The state at the end of the file, which was read, or that the index knows. */
  stand(state: BuildState): void {
    this.written = state;
    this.sealedState = state;
    this.isWhole = true;
  }

  /** The index has the row of a state which differs from that of the file by its checkpoint. */
  pass(state: BuildState): void {
    this.stand(state);
    this.hasPassed = true;
    this.isMoved = false;
  }

  private settle(): void {
    this.sealed = [];
    this.records = new Map(); // one that is cleared would have the collector keep the table before
    this.replaced = new Map();
    this.written = this.sealedState;
    this.isWhole = false;
    this.hasPassed = false;
  }

  private rowOf(state: BuildState): string {
    return JSON.stringify(rowOf(state, this.isWhole ? undefined : this.sealedState));
  }
}
