import { crc32 } from 'node:zlib';
import { firstIndex } from '#domain/shared/first-index.js';
import type { Checkpoint } from '#infra/engine/audit-index/checkpoint.js';
import { isStream, type Term } from '#infra/engine/audit-index/terms.js';
import { ByteReader, ByteWriter } from '#infra/platform/binary/bytes.js';
import type { PieceInfo } from './piece.js';
import { PieceWriter } from './piece-writer.js';
import { type IndexRecord, RECORD_BYTES, readRecord, writeRecord } from './record.js';
import type { PostingsPart, Segment } from './segment.js';

const HEADER_BYTES = 8;
const NO_DISTANCES = Buffer.alloc(0);

/**
 * Encodes length and checksum, then the batch. It is valid only after the number of events and terms for which it was made.
 * @param newTerms get the next numbers
 * @param events written by {@link writeEvent}
 */
export const encodeBatch = (
  before: Readonly<{ size: number; terms: number }>,
  checkpoint: Checkpoint,
  newTerms: Iterable<Term>,
  events: Buffer,
): Buffer => {
  const bytes = new ByteWriter();
  bytes.room(HEADER_BYTES);
  bytes.varint(before.size);
  bytes.varint(before.terms);
  bytes.text(Buffer.from(JSON.stringify(checkpoint)).toString('latin1'));
  const added = [...newTerms];
  bytes.varint(added.length);
  for (const term of added) bytes.text(term);
  bytes.raw(events);
  const batch = bytes.written;
  batch.writeUInt32LE(batch.length - HEADER_BYTES, 0);
  batch.writeUInt32LE(crc32(batch.subarray(HEADER_BYTES)), 4);
  return batch;
};

/** Adds an event to a batch. @param terms by their numbers in the tail, like `record.stream` */
export const writeEvent = (events: ByteWriter, record: IndexRecord, terms: readonly number[]): void => {
  writeRecord(record, events.room(RECORD_BYTES));
  events.varint(terms.length);
  for (const term of terms) events.varint(term);
};

/** The events after the last piece, in memory. Loaded from the journal, batch by batch. */
export class Tail implements Segment {
  /** In the form of the journal. */
  private readonly records = new ByteWriter();
  private readonly terms: Term[] = [];
  private readonly numbers = new Map<Term, number>();
  /** Most terms have one event in the tail. */
  private readonly lists: (number | number[] | undefined)[] = [];
  private sorted: readonly Term[] | undefined;
  /** Number of bytes read from the journal. */
  bytes = 0;

  readonly from: number;

  /** @param checkpoint progress of the pieces at first, then of the tail */
  constructor(public checkpoint: Checkpoint) {
    this.from = checkpoint.size;
  }

  get end(): number {
    return this.from + this.records.length / RECORD_BYTES;
  }

  /** Number of terms. */
  get size(): number {
    return this.terms.length;
  }

  /** Reads the rest of the journal, up to its end or an incomplete batch. Skips batches of writers that did not see each other. */
  take(journal: Buffer): void {
    let at = 0;
    for (; at + HEADER_BYTES <= journal.length; ) {
      const start = at + HEADER_BYTES;
      const end = start + journal.readUInt32LE(at);
      if (end === start || end > journal.length || crc32(journal.subarray(start, end)) !== journal.readUInt32LE(at + 4)) break;
      this.takeBatch(new ByteReader(journal.subarray(start, end)));
      at = end;
    }
    this.bytes += at;
  }

  numberOf(term: Term): number | undefined {
    return this.numbers.get(term);
  }

  record(index: number): IndexRecord {
    return readRecord(this.recordBytes(index - this.from));
  }

  streamName(stream: number): Term {
    return this.terms[stream] as Term;
  }

  parts(term: Term, index: number): readonly [PostingsPart | undefined, PostingsPart | undefined] {
    const list = this.indexesOf(this.numbers.get(term) ?? -1);
    const [first] = list;
    if (first === undefined) return [undefined, undefined];
    const part = { term, first, last: list.at(-1) ?? first, before: 0, count: list.length, indexes: () => list };
    return first <= index ? [part, undefined] : [undefined, part];
  }

  termFrom(term: Term): Term | undefined {
    const terms = this.inOrder();
    return terms[firstIndex(0, terms.length, (place) => (terms[place] as Term) >= term)];
  }

  /** Writes its whole content into a piece. */
  write(piece: PieceWriter): void {
    const ranks: number[] = [];
    for (const term of this.inOrder()) {
      const number = this.numbers.get(term) as number;
      for (const index of this.indexesOf(number)) piece.add(term, index, index, 1, NO_DISTANCES);
      if (isStream(term)) ranks[number] = piece.streams - 1;
    }
    for (let place = 0; place < this.end - this.from; place++) piece.addRecord(this.recordBytes(place), ranks);
  }

  private recordBytes(place: number): Buffer {
    return this.records.written.subarray(place * RECORD_BYTES, (place + 1) * RECORD_BYTES);
  }

  private indexesOf(term: number): readonly number[] {
    const list = this.lists[term] ?? [];
    return typeof list === 'number' ? [list] : list;
  }

  private inOrder(): readonly Term[] {
    this.sorted ??= [...this.terms].sort();
    return this.sorted;
  }

  private takeBatch(batch: ByteReader): void {
    const [size, terms] = [batch.varint(), batch.varint()];
    if (size !== this.end || terms !== this.terms.length) return;
    this.checkpoint = JSON.parse(Buffer.from(batch.text(), 'latin1').toString()) as Checkpoint;
    for (let added = batch.varint(); added > 0; added--) this.addTerm(batch.text());
    while (!batch.isAtEnd) {
      const index = this.end;
      this.records.raw(batch.raw(RECORD_BYTES));
      for (let left = batch.varint(); left > 0; left--) this.addIndex(batch.varint(), index);
    }
  }

  private addIndex(term: number, index: number): void {
    const list = this.lists[term];
    if (list === undefined) this.lists[term] = index;
    else if (typeof list === 'number') this.lists[term] = [list, index];
    else list.push(index);
  }

  private addTerm(term: Term): void {
    this.numbers.set(term, this.terms.length);
    this.terms.push(term);
    this.lists.push(undefined);
    this.sorted = undefined;
  }
}

/** Writes the content of a tail into a piece of the lowest level. */
export const writePiece = async (path: string, tail: Tail): Promise<PieceInfo> => {
  const piece = new PieceWriter(path, tail.from);
  try {
    tail.write(piece);
    return await piece.end(0);
  } catch (error) {
    piece.discard();
    throw error;
  }
};
