import { crc32 } from 'node:zlib';
import { firstIndex } from '#domain/shared/first-index.js';
import { ByteReader, ByteWriter } from './bytes.js';
import type { Checkpoint } from './checkpoint.js';
import type { PieceWriter } from './piece-writer.js';
import { type IndexRecord, RECORD_BYTES, readRecord, writeRecord } from './record.js';
import type { Part, Segment } from './segment.js';
import { isStream, type Term } from './terms.js';

/** An event as it is appended: `terms` by their numbers in the tail, and so `record.stream`. */
export type TailEvent = Readonly<{ record: IndexRecord; terms: readonly number[] }>;

/** What one call appends: new terms get the next numbers. It holds only behind the events and terms that it was made for. */
export type Batch = Readonly<{
  size: number;
  terms: number;
  newTerms: Iterable<Term>;
  events: readonly TailEvent[];
  checkpoint: Checkpoint;
}>;

const HEADER_BYTES = 8;
const NO_DISTANCES = Buffer.alloc(0);

/** Length and checksum, then the batch. */
export const encodeBatch = ({ size, terms, newTerms, events, checkpoint }: Batch): Buffer => {
  const bytes = new ByteWriter();
  bytes.room(HEADER_BYTES);
  bytes.varint(size);
  bytes.varint(terms);
  bytes.text(Buffer.from(JSON.stringify(checkpoint)).toString('latin1'));
  const added = [...newTerms];
  bytes.varint(added.length);
  for (const term of added) bytes.text(term);
  for (const event of events) {
    writeRecord(event.record, bytes.room(RECORD_BYTES));
    bytes.varint(event.terms.length);
    for (const term of event.terms) bytes.varint(term);
  }
  const batch = bytes.written;
  batch.writeUInt32LE(batch.length - HEADER_BYTES, 0);
  batch.writeUInt32LE(crc32(batch.subarray(HEADER_BYTES)), 4);
  return batch;
};

/** The events behind the last piece, in memory: filled from the journal, batch by batch. */
export class Tail implements Segment {
  private readonly records: IndexRecord[] = [];
  private readonly terms: Term[] = [];
  private readonly numbers = new Map<Term, number>();
  private readonly lists: number[][] = [];
  private sorted: readonly Term[] | undefined;
  /** Bytes of the journal that have been taken. */
  bytes = 0;

  readonly from: number;

  /** @param checkpoint how far the pieces go; then, how far this is */
  constructor(public checkpoint: Checkpoint) {
    this.from = checkpoint.size;
  }

  get end(): number {
    return this.from + this.records.length;
  }

  /** Number of terms. */
  get size(): number {
    return this.terms.length;
  }

  /** Takes what follows in the journal, up to its end or to what is no whole batch. Passes over batches of those who did not see one another. */
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
    return this.records[index - this.from] as IndexRecord;
  }

  streamName(stream: number): Term {
    return this.terms[stream] as Term;
  }

  parts(term: Term, index: number): readonly [Part | undefined, Part | undefined] {
    const list = this.lists[this.numbers.get(term) ?? -1];
    const first = list?.[0];
    if (!list || first === undefined) return [undefined, undefined];
    const part = { term, first, last: list.at(-1) ?? first, before: 0, count: list.length, indexes: () => list };
    return first <= index ? [part, undefined] : [undefined, part];
  }

  termFrom(term: Term): Term | undefined {
    const terms = this.inOrder();
    return terms[firstIndex(0, terms.length, (place) => (terms[place] as Term) >= term)];
  }

  /** Writes all of it into a piece. */
  write(piece: PieceWriter): void {
    const ranks: number[] = [];
    for (const term of this.inOrder()) {
      const number = this.numbers.get(term) as number;
      for (const index of this.lists[number] as number[]) piece.add(term, index, index, 1, NO_DISTANCES);
      if (isStream(term)) ranks[number] = piece.streams - 1;
    }
    for (const record of this.records) piece.addRecord(record, ranks[record.stream] as number);
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
      this.records.push(readRecord(batch.raw(RECORD_BYTES)));
      for (let left = batch.varint(); left > 0; left--) this.lists[batch.varint()]?.push(index);
    }
  }

  private addTerm(term: Term): void {
    this.numbers.set(term, this.terms.length);
    this.terms.push(term);
    this.lists.push([]);
    this.sorted = undefined;
  }
}
