import { BATCH_HEAD_BYTES, batchLengthOf, type CommitBatch, decodeBatch, MAGIC } from './batch.js';
import type { Files } from './files.js';
import { Damaged, type FileRange } from './texts/record.js';

/** Bytes per read when the file is scanned for batches. */
const CHUNK_BYTES = 1 << 20;
/** Places separated by smaller gaps are read in one call. */
const GAP_BYTES = 4_096;
const SPAN_BYTES = 1 << 20;

/** A batch with its place in the file. */
export type ReadBatch = CommitBatch & Readonly<{ bytes: Buffer; start: number; end: number }>;

/** File of a build: a sequence of batches. Methods throw file system errors. */
export class BuildFile {
  private readonly descriptor: number;
  private end: number;
  /** True if a failed append may have left bytes behind the end. */
  private isTorn = false;
  private isOpen = true;

  constructor(
    private readonly files: Files,
    /** Identifies the file in the index; numbers are never reused. */
    readonly number: number,
    path: string,
    flags: 'r' | 'r+' | 'w+',
  ) {
    this.descriptor = files.open(path, flags);
    this.end = 0;
  }

  /** End of the last whole batch read or written. */
  get length(): number {
    return this.end;
  }

  /** Size in the file system, which may exceed `length`. */
  size(): number {
    return this.files.size(this.descriptor);
  }

  /** Sets the end. The caller must have checked that everything before it is whole batches. */
  startAt(end: number): void {
    this.end = end;
  }

  /** Appends all bytes. If it throws, none are appended. */
  append(bytes: Buffer): void {
    if (this.isTorn) this.cut();
    this.isTorn = true;
    try {
      for (let at = 0; at < bytes.length; ) {
        const written = this.files.write(this.descriptor, bytes, at, this.end + at);
        if (written === 0) throw new Error('cannot write to the build file');
        at += written;
      }
    } catch (error) {
      try {
        this.cut();
      } catch {} // cut before the next append
      throw error;
    }
    this.isTorn = false;
    this.end += bytes.length;
  }

  /** Removes the bytes behind the last whole batch. */
  cut(): void {
    this.files.truncate(this.descriptor, this.end);
    this.isTorn = false;
  }

  /** @throws Damaged the file is too short */
  read({ offset, length }: FileRange): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; ) {
      const read = this.files.read(this.descriptor, bytes, at, offset + at);
      if (read === 0) throw new Damaged('the build file is too short');
      at += read;
    }
    return bytes;
  }

  /** Reads several places and returns them in the given order; places close together share one call. @throws Damaged */
  readAll(places: readonly FileRange[]): readonly Buffer[] {
    const found: Buffer[] = new Array(places.length);
    const order = places.map((_, index) => index).sort((one, other) => at(places, one).offset - at(places, other).offset);
    for (let first = 0; first < order.length; ) {
      const { offset } = at(places, order[first] ?? 0);
      let end = offset;
      let next = first;
      for (; next < order.length; next++) {
        const place = at(places, order[next] ?? 0);
        if (next > first && (place.offset > end + GAP_BYTES || place.offset + place.length > offset + SPAN_BYTES)) break;
        end = Math.max(end, place.offset + place.length);
      }
      const bytes = this.read({ offset, length: end - offset });
      for (; first < next; first++) {
        const index = order[first] ?? 0;
        const place = at(places, index);
        found[index] = bytes.subarray(place.offset - offset, place.offset - offset + place.length);
      }
    }
    return found;
  }

  /**
   * Yields the whole batches behind the last one read or written, up to a torn end, behind which a killed process leaves no whole batch.
   * @param mayLackMiddle whether a machine failure may have lost bytes in the middle: the first torn batch is then the end. Default `false`
   * @throws Damaged a whole batch lies behind a torn one
   */
  *batches(mayLackMiddle = false): Generator<ReadBatch> {
    const ahead = new ReadAhead(this, this.size());
    for (let batch = ahead.batch(this.end); batch; batch = ahead.batch(this.end)) {
      this.end = batch.end;
      yield batch;
    }
    if (!mayLackMiddle && ahead.hasBatchBehind(this.end)) throw new Damaged('a batch of a build');
  }

  async sync(): Promise<void> {
    await this.files.sync(this.descriptor);
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.files.close(this.descriptor);
  }
}

/** Reads a file from front to back in large pieces. */
class ReadAhead {
  private chunk: Buffer = Buffer.alloc(0);
  private start = 0;

  constructor(
    private readonly file: BuildFile,
    private readonly size: number,
  ) {}

  /** The whole batch that begins at this offset. */
  batch(start: number): ReadBatch | undefined {
    const head = this.bytes(start, BATCH_HEAD_BYTES);
    const length = head && batchLengthOf(head);
    const bytes = length === undefined ? undefined : this.bytes(start, length);
    const batch = bytes && decodeBatch(bytes);
    return batch && { ...batch, bytes, start, end: start + bytes.length };
  }

  hasBatchBehind(offset: number): boolean {
    for (let at = offset + 1; at < this.size; ) {
      const bytes = this.bytes(at, Math.min(CHUNK_BYTES, this.size - at)) as Buffer;
      const found = bytes.indexOf(MAGIC);
      if (found >= 0 && this.batch(at + found)) return true;
      at += found >= 0 ? found + 1 : Math.max(1, bytes.length - MAGIC.length + 1);
    }
    return false;
  }

  /** Returns `undefined` if the file ends before the last of these bytes. */
  private bytes(offset: number, length: number): Buffer | undefined {
    if (offset + length > this.size) return undefined;
    if (offset + length > this.start + this.chunk.length) {
      this.chunk = this.file.read({ offset, length: Math.min(Math.max(length, CHUNK_BYTES), this.size - offset) });
      this.start = offset;
    }
    return this.chunk.subarray(offset - this.start, offset - this.start + length);
  }
}

const at = (places: readonly FileRange[], index: number): FileRange => places[index] as FileRange;
