import { Damaged, type DocumentRecord, decodeRecordOf, type FileRange, type PlacedRecord } from '../texts/record.js';
import type { BlockCache } from './block-cache.js';
import type { DataFile } from './data-file.js';
import { MergedFile, type SegmentWriter } from './merged-file.js';
import { aheadIn, type NamedRange, namedIn, placedIn, ReadAhead } from './read-ahead.js';

/** Places separated by smaller gaps are read in one call. */
const GAP_BYTES = 4_096;
const SPAN_BYTES = 1 << 20;

/** Records that follow each other, and the row of the build after them, unless they belong together with the next ones. */
export type ReadRecords = Readonly<{ records: readonly PlacedRecord[]; row: object | undefined }>;

/**
 * Files of a build after its first merge. `merged`: the file with the oldest places, and where the list of its segments is. `appended`: files
 * with the places from `from` on, in order; the last one is appended to.
 */
export type Layout = Readonly<{
  merged: Readonly<{ file: number; list: FileRange }> | null;
  appended: readonly Readonly<{ file: number; from: number }>[];
}>;

type Appended = Readonly<{ file: DataFile; from: number }>;

/**
 * The stored part of a build: places from 0 on, which hold batches. The oldest may have been merged; then only their records are left. The
 * others are in appended files. Methods throw file system errors.
 */
export class BuildFile {
  private merged: MergedFile | undefined;
  private appended: readonly Appended[];
  private end = 0;
  /** True if a failed append may have left bytes behind the end. */
  private isTorn = false;

  constructor(
    /** `open`: opens one of the files. `blocks`: those in memory. */
    private readonly parts: Readonly<{ open: (file: number) => DataFile; blocks: BlockCache }>,
    /** Identifies the build in the index; numbers are never reused. */
    readonly number: number,
    /** `undefined`: the file of this number is the only one. */
    public layout: Layout | undefined,
    given: readonly DataFile[] = [],
  ) {
    [this.merged, this.appended] = this.opened(layout, given);
  }

  /** Numbers of its files. */
  get files(): readonly number[] {
    return this.all.map(({ number }) => number);
  }

  /** End of the last whole batch read or written. */
  get length(): number {
    return this.end;
  }

  /** Bytes on disk, roughly. */
  get bytes(): number {
    return this.end - this.mergedEnd + this.mergedBytes;
  }

  get mergedEnd(): number {
    return this.merged?.end ?? 0;
  }

  /** Row of the build at the end of the merged places. */
  get mergedRow(): object {
    return this.merged?.row() ?? {};
  }

  /** Length of the merged file, as far as its segments and their list reach. */
  get mergedBytes(): number {
    const list = this.layout?.merged?.list;
    return list ? list.offset + list.length : 0;
  }

  /** Place of the first byte of the file that is appended to. */
  get lastFrom(): number {
    return this.last.from;
  }

  /** End of the places that are merged next: those of a file that is no longer appended to. `undefined`: there are none. */
  get closedEnd(): number | undefined {
    return this.appended[1]?.from;
  }

  /** Size in the file system, which may exceed `length`. */
  size(): number {
    return this.last.from + this.last.file.size();
  }

  /** Loads what the file needs to be read. @throws Damaged */
  load(): void {
    if (this.layout?.merged) this.merged = this.merged?.listing(this.layout.merged.list);
  }

  /**
   * Opens the files of another layout, of which none is opened twice. The function returned continues with them, and closes those that are no
   * longer needed.
   * @param given files that are open already @throws Damaged
   */
  adopting(layout: Layout | undefined, given: readonly DataFile[] = []): () => void {
    const before = this.all;
    const listing = (file: DataFile, list: FileRange): MergedFile =>
      (this.merged?.file === file ? this.merged : new MergedFile(file, this.parts.blocks)).listing(list);
    const [merged, appended] = this.opened(layout, [...before, ...given], listing);
    return () => {
      this.layout = layout;
      [this.merged, this.appended] = [merged, appended];
      const { all } = this;
      for (const file of before) if (!all.includes(file)) file.close();
    };
  }

  /** Writes the records of the next places to the merged file. @param given this file, if there is none yet */
  segment(given: DataFile | undefined, blockBytes: number): SegmentWriter {
    return (this.merged ?? new MergedFile(given as DataFile, this.parts.blocks)).segment(this.mergedBytes, blockBytes);
  }

  /** The layout with a segment up to a place. @param list place of the list with it */
  withSegment({ number }: DataFile, list: FileRange, end: number): Layout {
    return { merged: { file: number, list }, appended: this.appendedFrom(end) };
  }

  /** Removes what an unfinished merge has left in the merged file. */
  dropUnfinished(): void {
    if (this.layout?.merged) this.merged?.file.truncate(this.mergedBytes);
  }

  requireRoom(bytes: number): void {
    this.last.file.requireRoom(bytes);
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
      this.last.file.write(bytes, this.end - this.last.from);
    } catch (error) {
      try {
        this.cut();
      } catch {} // cut before the next append
      throw error;
    }
    this.isTorn = false;
    this.end += bytes.length;
  }

  /** Removes the bytes behind the last whole batch. @throws Damaged it ends in a file that was no longer appended to */
  cut(): void {
    if (this.end < this.last.from) throw new Damaged('a batch of a build');
    this.last.file.truncate(this.end - this.last.from);
    this.isTorn = false;
  }

  /** A record with a later position than this one, if a merged one is found at once; the version of the position is not far before it. */
  firstAfter(name: string, position: number): FileRange | undefined {
    return this.merged?.firstAfter(name, position);
  }

  isMerged({ offset }: FileRange): boolean {
    return offset < this.mergedEnd;
  }

  /** @throws Damaged */
  record(name: string, place: FileRange): DocumentRecord {
    return this.merged && this.isMerged(place) ? this.merged.record(name, place.offset) : decodeRecordOf(name, this.read(place));
  }

  /** Returns the records in the given order. @throws Damaged */
  records(wanted: readonly Readonly<{ name: string; place: FileRange }>[]): readonly DocumentRecord[] {
    const read = this.readAll(wanted.flatMap(({ place }) => (this.isMerged(place) ? [] : place))).values();
    return wanted.map(({ name, place }) =>
      this.isMerged(place) ? this.record(name, place) : decodeRecordOf(name, read.next().value as Buffer),
    );
  }

  /** Reads bytes that are not merged. @param bytes of this length, filled and returned. Default: a new buffer @throws Damaged the file is too short */
  read({ offset, length }: FileRange, bytes: Buffer = Buffer.allocUnsafe(length)): Buffer {
    const index = this.appended.findLastIndex(({ from }) => from <= offset);
    const { file, from } = this.appended[index] as Appended;
    const most = (this.appended[index + 1]?.from ?? Number.POSITIVE_INFINITY) - offset;
    const here = Math.min(length, most);
    file.read({ offset: offset - from, length: here }, bytes.subarray(0, here));
    if (here < length) this.read({ offset: offset + here, length: length - here }, bytes.subarray(here));
    return bytes;
  }

  /** Reads several places; places close together share one call. @throws Damaged */
  private readAll(places: readonly FileRange[]): readonly Buffer[] {
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
   * Yields all records behind the last one read or written, up to a torn end, behind which a killed process leaves no whole batch.
   * @param mayLackMiddle whether a machine failure may have lost bytes in the middle: the first torn batch is then the end. Default `false`
   * @throws Damaged a whole batch lies behind a torn one
   */
  *batches(mayLackMiddle = false): Generator<ReadRecords> {
    for (const { records, end = this.end, row } of this.merged?.from(this.end) ?? []) {
      this.end = end;
      yield { records, row };
    }
    const ahead = new ReadAhead(this, this.size());
    for (let batch = ahead.batch(this.end); batch; batch = ahead.batch(this.end)) {
      this.end = batch.end;
      yield { records: placedIn(batch), row: JSON.parse(batch.row) };
    }
    if (!mayLackMiddle && ahead.hasBatchBehind(this.end)) throw new Damaged('a batch of a build');
  }

  /** Yields the records that are merged next, batch by batch, with the end of the batch and its row. Their checksums are left to reads. @throws Damaged */
  *unmerged(end: number): Generator<Readonly<{ records: Iterable<NamedRange>; end: number; row: object }>> {
    const ahead = aheadIn(this, end);
    for (let at = this.mergedEnd; at < end; ) {
      const batch = ahead.batch(at, false);
      if (!batch) throw new Damaged('a batch of a build');
      at = batch.end;
      yield { records: namedIn(batch), end: at, row: JSON.parse(batch.row) };
    }
  }

  async sync(): Promise<void> {
    await this.last.file.sync();
  }

  close(): void {
    for (const file of this.all) file.close();
  }

  private get last(): Appended {
    return this.appended.at(-1) as Appended;
  }

  private get all(): readonly DataFile[] {
    return [...(this.merged ? [this.merged.file] : []), ...this.appended.map(({ file }) => file)];
  }

  /** Appended files whose places do not all lie before this one. */
  private appendedFrom(end: number): Layout['appended'] {
    const kept = this.appended.filter((_, index) => (this.appended[index + 1]?.from ?? Number.POSITIVE_INFINITY) > end);
    return kept.map(({ file, from }) => ({ file: file.number, from }));
  }

  private opened(
    layout: Layout | undefined,
    known: readonly DataFile[],
    mergedOf = (file: DataFile, _list: FileRange): MergedFile => new MergedFile(file, this.parts.blocks),
  ): readonly [MergedFile | undefined, readonly Appended[]] {
    const opened: DataFile[] = [];
    const find = (number: number): DataFile => {
      const found = known.find((file) => file.number === number);
      if (found) return found;
      const file = this.parts.open(number);
      opened.push(file);
      return file;
    };
    try {
      const { merged = null, appended = [{ file: this.number, from: 0 }] } = layout ?? {};
      const file = merged ? mergedOf(find(merged.file), merged.list) : undefined;
      return [file, appended.map(({ file, from }) => ({ file: find(file), from }))];
    } catch (error) {
      for (const file of opened) file.close();
      throw error;
    }
  }
}

const at = (places: readonly FileRange[], index: number): FileRange => places[index] as FileRange;
