import { firstIndex } from '#domain/shared/first-index.js';
import { Damaged, type DocumentRecord, type FileRange, type PlacedRecord } from '../texts/record.js';
import type { BlockCache } from './block-cache.js';
import type { DataFile } from './data-file.js';
import { type BlockEntry, BlockWriter, Directory, packed, recordsIn, unpacked } from './merged-blocks.js';

/** Records of a block, which are unpacked together. */
const MOST_RECORDS = 128;
/** Packed blocks are written in one call once they have, together, the length of so many that are not packed. */
const BLOCKS_WRITTEN = 16;
/** Segments of a page, which is written anew with each of them. */
const MOST_LISTED = 64;

/**
 * The records of consecutive places, by name and place. `last`: greatest position up to there. `root`: the block at the top of the directory;
 * of no length if there are no records. `depth`: number of directory blocks above each block of records. `row`: state of the build at the end.
 */
type Segment = Readonly<{ end: number; last: number; root: FileRange; depth: number; row: FileRange }>;

/** A part of the list of segments. `before`: place of the page with those before. */
type Page = Readonly<{ place: FileRange; before: FileRange | null; segments: readonly Segment[] }>;

const NOWHERE: FileRange = { offset: 0, length: 0 };

/** Reads records whose places they were merged from. Methods throw file system errors and Damaged. */
export class MergedFile {
  private readonly segments: readonly Segment[];

  /** @param pages the list of its segments. Default: there are none */
  constructor(
    readonly file: DataFile,
    private readonly blocks: BlockCache,
    private readonly pages: readonly Page[] = [],
  ) {
    this.segments = pages.flatMap(({ segments }) => segments);
  }

  /** The same file with another list of segments. Pages that are known are not read again. @param list place of its last page @throws Damaged */
  listing(list: FileRange): MergedFile {
    if (list.offset === this.pages.at(-1)?.place.offset) return this;
    const pages: Page[] = [];
    for (let place: FileRange | null = list; place; place = pages[0]?.before ?? null) {
      const { offset } = place;
      const known = this.pages.findIndex((page) => page.place.offset === offset);
      if (known >= 0) return new MergedFile(this.file, this.blocks, [...this.pages.slice(0, known + 1), ...pages]);
      pages.unshift({ ...JSON.parse(unpacked(this.file.read(place)).toString()), place });
    }
    return new MergedFile(this.file, this.blocks, pages);
  }

  /** Place behind the last one in the file. */
  get end(): number {
    return this.segments.at(-1)?.end ?? 0;
  }

  /** Row of the build there. */
  row({ row } = this.segments.at(-1) ?? { row: NOWHERE }): object {
    return row.length === 0 ? {} : JSON.parse(unpacked(this.file.read(row)).toString());
  }

  record(name: string, offset: number): DocumentRecord {
    return this.placed(name, offset).record;
  }

  /** A record of a document, after which it may be that only a few records come before the version of a position; often there is none. */
  firstAfter(name: string, position: number): FileRange | undefined {
    const segment = this.segments[firstIndex(0, this.segments.length, (index) => (this.segments[index] as Segment).last > position)];
    if (!segment) return undefined;
    const { records, next } = this.leaf(segment, (first) => first.name > name || (first.name === name && first.position > position));
    const found = records.find(({ record }) => record.name === name && record.position > position);
    return found ?? (next?.name === name ? this.placed(name, next.offset) : undefined);
  }

  /** Yields the records from a place on, each segment by name, and behind its last record its end and row. */
  *from(offset: number): Generator<Readonly<{ records: readonly PlacedRecord[]; end?: number; row: object | undefined }>> {
    for (const segment of this.segments)
      if (segment.end > offset) {
        for (const records of this.recordsUnder(segment.root, segment.depth))
          yield { records: records.filter((placed) => placed.offset >= offset), row: undefined };
        yield { records: [], end: segment.end, row: this.row(segment) };
      }
  }

  /** Begins the next segment. @param at behind the list of those before */
  segment(at: number, blockBytes: number): SegmentWriter {
    return new SegmentWriter(this.file, at, blockBytes, this.pages.at(-1));
  }

  private placed(name: string, offset: number): PlacedRecord {
    const segment = this.segments[firstIndex(0, this.segments.length, (index) => (this.segments[index] as Segment).end > offset)];
    const isBehind = (first: BlockEntry): boolean => first.name > name || (first.name === name && first.offset > offset);
    const found = segment && this.leaf(segment, isBehind).records.find((placed) => placed.offset === offset);
    if (found?.record.name !== name) throw new Damaged('a merged record');
    return found;
  }

  /** The last block of records that does not begin behind what is wanted, and the entry of the next one, or of a directory that begins with it. */
  private leaf(segment: Segment, isBehind: (first: BlockEntry) => boolean) {
    let block: FileRange = segment.root;
    let next: BlockEntry | undefined;
    for (let level = segment.depth; level > 0; level--) {
      const directory = this.blocks.directory(this.file, block);
      const behind = firstIndex(0, directory.length, (index) => isBehind(directory.entry(index)));
      if (behind < directory.length) next = directory.entry(behind);
      block = behind > 0 ? directory.entry(behind - 1).block : NOWHERE;
      if (block === NOWHERE) break;
    }
    return { records: block.length > 0 ? this.blocks.records(this.file, block) : [], next };
  }

  private *recordsUnder(block: FileRange, depth: number): Generator<readonly PlacedRecord[]> {
    if (block.length === 0) return;
    const bytes = unpacked(this.file.read(block));
    if (depth === 0) return yield recordsIn(bytes);
    const directory = new Directory(bytes);
    for (let index = 0; index < directory.length; index++) yield* this.recordsUnder(directory.entry(index).block, depth - 1);
  }
}

/** Writes a segment, from a place in the file on. */
export class SegmentWriter {
  private readonly records = new BlockWriter();
  private readonly directories: BlockWriter[] = [];
  private root = NOWHERE;
  /** Greatest position; -1 before the first record. */
  private last: number;
  /** Blocks before `at` that are not yet in the file. */
  private pending: Buffer[] = [];
  private pendingBytes = 0;

  constructor(
    readonly file: DataFile,
    private at: number,
    /** Length at which a block ends, before it is packed; a longer record has a block of its own. */
    private readonly blockBytes: number,
    /** Last page of the list. */
    private readonly page: Page | undefined,
  ) {
    this.last = page?.segments.at(-1)?.last ?? -1;
  }

  /** Records must come by name, and those of a name by place. Throws file system errors. */
  add(placed: PlacedRecord): void {
    this.last = Math.max(this.last, placed.record.position);
    if (placed.length >= this.blockBytes && this.records.count > 0) this.end(this.records, 0);
    this.records.addRecord(placed);
    if (this.records.length >= this.blockBytes || this.records.count === MOST_RECORDS) this.end(this.records, 0);
  }

  /** Writes the rest, and the last page of the list with this segment. Returns its place; the caller syncs the file. @param row at the end */
  finish(end: number, row: object): FileRange {
    if (this.records.count > 0) this.end(this.records, 0);
    let depth = 0;
    for (; depth < this.directories.length; depth++) {
      const directory = this.directories[depth] as BlockWriter;
      if (directory.count === 1 && depth + 1 === this.directories.length) break;
      if (directory.count > 0) this.end(directory, depth + 1);
    }
    const segment: Segment = { end, last: this.last, root: this.root, depth, row: this.put(Buffer.from(JSON.stringify(row))) };
    const isFull = (this.page?.segments.length ?? 0) >= MOST_LISTED;
    const { before, segments } = this.page && !isFull ? this.page : { before: this.page?.place ?? null, segments: [] };
    const list = this.put(Buffer.from(JSON.stringify({ before, segments: [...segments, segment] })));
    this.write();
    return list;
  }

  private put(bytes: Buffer): FileRange {
    const block = packed(bytes);
    const place = { offset: this.at, length: block.length };
    this.pending.push(block);
    this.pendingBytes += block.length;
    this.at += block.length;
    if (this.pendingBytes >= BLOCKS_WRITTEN * this.blockBytes) this.write();
    return place;
  }

  /** Writes the blocks made since the last call, unless the disk would be left without its reserve. */
  private write(): void {
    this.file.requireRoom(this.pendingBytes);
    this.file.write(Buffer.concat(this.pending), this.at - this.pendingBytes);
    [this.pending, this.pendingBytes] = [[], 0];
  }

  /** Writes a block, and enters it into the directory above, whose blocks have at least two entries but for the last. */
  private end(block: BlockWriter, level: number): void {
    this.root = this.put(block.finish());
    const directory = this.directories[level] ?? new BlockWriter();
    this.directories[level] = directory;
    directory.addEntry({ ...(block.first as BlockEntry), block: this.root });
    block.reset();
    if (directory.length >= this.blockBytes && directory.count > 1) this.end(directory, level + 1);
  }
}
