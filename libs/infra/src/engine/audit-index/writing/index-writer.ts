import { closeSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { mayExpire } from '#domain/integrity/expiring.js';
import type { LeafPlace } from '#domain/integrity/integrity-events.js';
import { isOfSameAppend } from '#domain/shared/event-ids.js';
import { categoryOf, type Position, type RecordedEvent } from '#domain/shared/events.js';
import { ByteWriter } from '#infra/platform/binary/bytes.js';
import { requireRoom } from '#infra/platform/lmdb/free-space.js';
import { giveToOwner } from '#infra/platform/lmdb/ownership.js';
import { makeDirectoryDurably, writeAll } from '#infra/platform/lmdb/write-file-durably.js';
import type { Checkpoint, Divergence } from '../checkpoint.js';
import { IndexFiles, type Manifest } from '../index-files.js';
import { mergePieces } from '../pieces/merge.js';
import type { PieceInfo } from '../pieces/piece.js';
import type { IndexRecord } from '../pieces/record.js';
import { encodeBatch, writeEvent, writePiece } from '../pieces/tail.js';
import { termOf, textOf } from '../terms.js';
import { charactersOf, commonTermsOf, type NamedTerm, ownTermsOf } from './event-terms.js';
import { newIndex, newJournal } from './new-index.js';
import { TermNumbers } from './term-numbers.js';

const REMEMBERED_STREAMS = 50_000;
const JOURNAL_BYTES = 8 * 2 ** 20;

/** Sizes at which pieces are made and merged. */
export type PieceSizes = Readonly<{
  /** Approximate number of events per piece. */
  events: number;
  /** Number of pieces of one level that are merged into one of the next level. */
  merged: number;
}>;

const PIECE_SIZES: PieceSizes = { events: 8_192, merged: 16 };

type IndexWriterOptions = Readonly<{
  path: string;
  report: (message: string, error?: unknown) => void;
  fits: (checkpoint: Checkpoint) => Promise<boolean>;
  sizes?: PieceSizes | undefined;
}>;

const ANOTHER = 'another process fills the index, or it was set aside';

/** Another writer has written the index, or set it aside, since it was read. */
class AnotherWriter extends Error {
  override readonly name = 'AnotherWriter';
}

/** Adds chained events to the index, in log order. They become readable and durable with `commit`. */
export class IndexWriter {
  /** Streams with events in the index; cleared when there are many. */
  private readonly streams = new Set<string>();
  private readonly numbers: TermNumbers;
  /** Numbers of events and terms before those of `waiting`. */
  private base = { size: 0, terms: 0 };
  /** Number of events that wait for `commit`. */
  uncommitted = 0;
  private readonly waiting = new ByteWriter();
  /** Position of the last record, committed or not. */
  private position: Position;
  private logTime: number;
  private last: Checkpoint['last'];
  /** The last event, committed or not, unless it was lost before. */
  private newest: Pick<RecordedEvent, 'stream' | 'revision' | 'id'> | undefined;
  /** Numbers of the terms that the last event of this batch has in common with the next one of its command and type. */
  private common: Readonly<{ type: string; numbers: readonly number[] }> | undefined;
  private journal: Readonly<{ name: string; descriptor: number }> | undefined;
  private merging: Promise<void> | undefined;
  /** Whether files that were loaded have events of another writer: this one would add them once more. */
  private isOvertaken = false;
  private readonly ending = new AbortController();

  private constructor(
    private readonly files: IndexFiles,
    private readonly sizes: PieceSizes,
    private readonly report: IndexWriterOptions['report'],
  ) {
    const { size, logTime, last, newestId } = this.checkpoint;
    this.position = size > 0 ? files.record(size - 1).position : 0n;
    if (newestId !== undefined)
      this.newest = { stream: textOf(files.streamOf(size - 1)), revision: BigInt(files.record(size - 1).revision), id: newestId };
    this.logTime = logTime;
    this.last = last;
    this.numbers = new TermNumbers(files);
  }

  /**
   * Continues an index, or begins a new one if none is readable and fits; then everything in its directory is removed.
   * @param fits returns whether the indexed events come from the log to be read
   */
  static async open({ path, report, fits, sizes = PIECE_SIZES }: IndexWriterOptions): Promise<IndexWriter> {
    makeDirectoryDurably(path);
    const files = new IndexFiles(path, report);
    files.refresh();
    try {
      if (files.obstacle !== undefined) throw files.obstacle; // what is there may be whole
      if (!files.manifest || !(await fits(files.tail.checkpoint))) files.publish(newIndex(), true);
      return new IndexWriter(files, sizes, report);
    } catch (error) {
      files.close();
      throw error;
    }
  }

  get checkpoint(): Checkpoint {
    return this.files.tail.checkpoint;
  }

  get divergence(): Divergence | null {
    return this.manifest.divergence;
  }

  /** Returns whether no other writer has changed the index. */
  get isCurrent(): boolean {
    return this.files.isCurrent && !this.isOvertaken;
  }

  /** Number of events added, committed or not. */
  get size(): number {
    return this.checkpoint.size + this.uncommitted;
  }

  add(event: RecordedEvent): void {
    const { stream, revision, type, metadata, data } = event;
    this.begin();
    if (!mayExpire(stream)) this.last = { stream, revision: `${revision}`, id: event.id };
    const logTime = Date.parse(metadata.time) || 0;
    const continues = this.newest !== undefined && isOfSameAppend(this.newest, event);
    this.newest = { stream, revision, id: event.id };
    if (!continues || this.common?.type !== type) this.common = { type, numbers: this.numbersOf(commonTermsOf(event)) };
    const [terms, size] = [[...this.common.numbers, ...this.numbersOf(ownTermsOf(event))], charactersOf(data)];
    this.put(terms, stream, { position: event.position, revision: Number(revision), logTime, size, gone: false, continues });
  }

  /**
   * Adds an event that is no longer in the log, at its place in the chain.
   * @param position at or after that of the last event
   * @param logTime milliseconds since 1970-01-01 UTC; 0 if unknown
   */
  addGone({ stream, revision }: LeafPlace, position: Position, logTime: number): void {
    this.begin();
    this.newest = undefined;
    const lost = { position, revision, logTime, size: 0, gone: true, continues: false };
    this.put([this.numbers.of('expired', categoryOf(stream))], stream, lost);
  }

  /** Returns whether the committed event with this index has this place. */
  isAt(index: number, { stream, revision }: LeafPlace): boolean {
    if (index >= this.checkpoint.size) return false;
    return this.files.record(index).revision === revision && this.files.streamOf(index) === termOf('stream', stream);
  }

  /**
   * @param position everything up to it has been added
   * @throws AnotherWriter nothing was written: continue from the stored state
   */
  async commit(position: Position): Promise<void> {
    const { files, waiting, logTime, last, checkpoint } = this;
    const { tail } = files;
    const before = this.uncommitted > 0 ? this.base : this.now;
    const size = before.size + this.uncommitted;
    const reached = position > BigInt(checkpoint.position) ? `${position}` : checkpoint.position;
    const progress = { size, position: reached, logTime, last, newestId: this.newest?.id };
    const batch = encodeBatch(before, progress, this.numbers.take(), waiting.written);
    this.uncommitted = 0;
    waiting.length = 0;
    requireRoom(files.path);
    if (!this.isCurrent) throw new AnotherWriter(ANOTHER);
    const journal = this.openJournal();
    writeAll(journal, batch);
    const end = tail.bytes + batch.length;
    if (fstatSync(journal).size !== end || !files.isCurrent) throw new AnotherWriter(ANOTHER);
    tail.take(batch);
    if (tail.bytes !== end || this.checkpoint.size !== size) throw new AnotherWriter(ANOTHER);
    if (files.tail.end - files.tail.from >= this.sizes.events || end >= JOURNAL_BYTES) await this.endTail();
  }

  /** Empties the index; this writer cannot be used afterwards. @param divergence the reason, if the index does not match the chain */
  clear(divergence: Divergence | null): void {
    this.files.publish({ ...newIndex(), divergence }, true);
  }

  /** @param divergence `null` if the index matches */
  noteDivergence(divergence: Divergence | null): void {
    this.publish({ divergence });
  }

  async close(): Promise<void> {
    this.ending.abort();
    await this.merging;
    this.closeJournal();
    this.files.close();
  }

  private get now(): Readonly<{ size: number; terms: number }> {
    return { size: this.checkpoint.size, terms: this.files.tail.size };
  }

  private get manifest(): Manifest {
    if (!this.files.manifest) throw new AnotherWriter('the index was set aside');
    return this.files.manifest;
  }

  /** Must run before term numbers of an event are assigned. */
  private begin(): void {
    if (this.uncommitted > 0) return;
    this.base = this.now;
    this.common = undefined;
    this.numbers.begin();
  }

  private numbersOf(terms: readonly NamedTerm[]): readonly number[] {
    return terms.map(([kind, text]) => this.numbers.of(kind, text));
  }

  /** @param terms numbers of the event's terms, except those of its stream */
  private put(terms: readonly number[], stream: string, event: Omit<IndexRecord, 'stream'>): void {
    const { position: at, revision, logTime: time, size, gone, continues } = event;
    if (at > this.position) this.position = at;
    this.logTime = Math.max(this.logTime, time);
    const isNew = this.isNew(stream, revision);
    const number = this.numbers.of('stream', stream);
    const numbers = [number];
    for (const term of terms) if (!numbers.includes(term)) numbers.push(term);
    if (isNew) numbers.push(this.numbers.of('streamBegin', categoryOf(stream)));
    const { position, logTime } = this;
    writeEvent(this.waiting, { position, stream: number, revision, logTime, size, gone, continues }, numbers);
    this.uncommitted += 1;
  }

  /** Returns whether no event of the stream is indexed. A stream may have lost its first events before they were indexed. */
  private isNew(stream: string, revision: number): boolean {
    if (this.streams.has(stream)) return false;
    if (this.streams.size === REMEMBERED_STREAMS) this.streams.clear();
    this.streams.add(stream);
    return revision === 0 || !this.numbers.has(termOf('stream', stream));
  }

  /** Opens the journal for appending. An unfinished batch of a killed writer is cut off. */
  private openJournal(): number {
    const { journal: name } = this.manifest;
    if (this.journal?.name !== name) {
      this.closeJournal();
      this.journal = { name, descriptor: openSync(join(this.files.path, name), 'a', 0o600) };
      giveToOwner(join(this.files.path, name));
      if (fstatSync(this.journal.descriptor).size > this.files.tail.bytes) ftruncateSync(this.journal.descriptor, this.files.tail.bytes);
    }
    return this.journal.descriptor;
  }

  private closeJournal(): void {
    if (this.journal) closeSync(this.journal.descriptor);
    this.journal = undefined;
  }

  private publish(changes: Partial<Manifest>): void {
    if (!this.isCurrent) throw new AnotherWriter(ANOTHER);
    const { size } = this.checkpoint;
    this.files.publish({ ...this.manifest, ...changes });
    this.isOvertaken = this.checkpoint.size !== size;
  }

  /** Turns the journal into a piece and begins a new journal. */
  private async endTail(): Promise<void> {
    const { tail, path } = this.files;
    const added = tail.end > tail.from ? [await writePiece(path, tail)] : [];
    this.publish({ pieces: [...this.manifest.pieces, ...added], journal: newJournal(), checkpoint: tail.checkpoint });
    this.merging ??= this.merge().finally(() => {
      this.merging = undefined;
    });
  }

  /** Runs in the background; the writer does not wait for it. */
  private async merge(): Promise<void> {
    try {
      for (let run = this.runToMerge(); run; run = this.runToMerge()) {
        const merged = await mergePieces(this.files.path, run, this.ending.signal);
        const gone = new Set(run.map(({ file }) => file));
        const pieces = this.manifest.pieces.flatMap((piece) =>
          piece.file === run[0]?.file ? [merged] : gone.has(piece.file) ? [] : [piece],
        );
        this.publish({ pieces });
      }
    } catch (error) {
      if (this.ending.signal.aborted) return;
      this.report('pieces of the audit index could not be merged; the merge is retried after the next piece', error);
      this.files.failed(error);
    }
  }

  /** Consecutive pieces to merge; levels never increase along the list. */
  private runToMerge(): readonly PieceInfo[] | undefined {
    const { pieces } = this.manifest;
    const levels = [...new Set(pieces.map(({ level }) => level))];
    const runs = levels.map((level) => pieces.filter((piece) => piece.level === level));
    return runs.find((run) => run.length >= this.sizes.merged)?.slice(0, this.sizes.merged);
  }
}
