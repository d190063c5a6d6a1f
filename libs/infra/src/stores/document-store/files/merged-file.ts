import { LRUCache } from 'lru-cache';
import { firstIndex } from '#domain/shared/first-index.js';
import { Damaged, type DocumentRecord, type FileRange, type PlacedRecord } from '../texts/record.js';
import type { DataFile } from './data-file.js';
import { type BlockEntry, BlockWriter, entriesIn, isBehind, packed, recordsIn, unpacked } from './merged-blocks.js';

/** Blocks of 16 KiB that are kept in memory, unpacked. */
const REMEMBERED = 64;

/**
 * The records of consecutive places, by name and place. `root`: the block at the top of the directory; of no length if there are no records.
 * `depth`: number of directory blocks above each block of records. `row`: state of the build at the end.
 */
export type Segment = Readonly<{ from: number; end: number; root: FileRange; depth: number; row: object }>;

/** Reads records whose places they were merged from. Methods throw file system errors and Damaged. */
export class MergedFile {
  private readonly blocks = new LRUCache<number, readonly (BlockEntry | PlacedRecord)[]>({ max: REMEMBERED });
  private segments: readonly Segment[] = [];

  constructor(readonly file: DataFile) {}

  /** Place behind the last one in the file. */
  get end(): number {
    return this.segments.at(-1)?.end ?? 0;
  }

  get lastRow(): object {
    return this.segments.at(-1)?.row ?? {};
  }

  /** @param list place of the list of segments, or none */
  load(list: FileRange): void {
    this.segments = JSON.parse(unpacked(this.file.read(list)).toString());
  }

  record(name: string, offset: number): DocumentRecord {
    const segment = this.segments[firstIndex(0, this.segments.length, (index) => (this.segments[index] as Segment).end > offset)];
    let block = segment?.root;
    for (let level = segment?.depth ?? 0; block && level > 0; level--) {
      const entries = this.block(block, entriesIn);
      block = entries[firstIndex(0, entries.length, (index) => isBehind(entries[index] as BlockEntry, name, offset)) - 1]?.block;
    }
    const found = block && block.length > 0 ? this.block(block, recordsIn).find((placed) => placed.offset === offset) : undefined;
    if (found?.record.name !== name) throw new Damaged('a merged record');
    return found.record;
  }

  /** Yields the records from a place on, each segment by name, and its end behind its last record. */
  *from(offset: number): Generator<Readonly<{ records: readonly PlacedRecord[]; end: Segment | undefined }>> {
    for (const segment of this.segments)
      if (segment.end > offset) {
        for (const records of this.recordsUnder(segment.root, segment.depth))
          yield { records: records.filter((placed) => placed.offset >= offset), end: undefined };
        yield { records: [], end: segment };
      }
  }

  /** Segments with one more. Returns the place of their list behind it; the caller syncs the file, then calls `load`. */
  writeList(segment: Segment, at: number): FileRange {
    const list = packed(Buffer.from(JSON.stringify([...this.segments, segment])));
    this.file.write(list, at);
    return { offset: at, length: list.length };
  }

  private *recordsUnder(block: FileRange, depth: number): Generator<readonly PlacedRecord[]> {
    if (block.length === 0) return;
    const bytes = unpacked(this.file.read(block));
    if (depth === 0) yield recordsIn(bytes);
    else for (const entry of entriesIn(bytes)) yield* this.recordsUnder(entry.block, depth - 1);
  }

  private block<Item extends BlockEntry | PlacedRecord>(place: FileRange, decode: (bytes: Buffer) => readonly Item[]): readonly Item[] {
    const known = this.blocks.get(place.offset) as readonly Item[] | undefined;
    if (known) return known;
    const items = decode(unpacked(this.file.read(place)));
    this.blocks.set(place.offset, items);
    return items;
  }
}

/** Writes the blocks of a segment, from a place in the file on. */
export class SegmentWriter {
  private readonly records = new BlockWriter();
  private readonly directories: BlockWriter[] = [];
  private root: FileRange = { offset: 0, length: 0 };

  constructor(
    private readonly file: DataFile,
    public at: number,
    /** Length at which a block ends, before it is packed. */
    private readonly blockBytes: number,
  ) {}

  /** Records must come by name, and those of a name by place. Throws file system errors. */
  add(record: PlacedRecord): void {
    this.records.addRecord(record);
    if (this.records.length >= this.blockBytes) this.end(this.records, 0);
  }

  finish(): Pick<Segment, 'root' | 'depth'> {
    if (this.records.count > 0) this.end(this.records, 0);
    let depth = 0;
    for (; depth < this.directories.length; depth++) {
      const directory = this.directories[depth] as BlockWriter;
      if (directory.count === 1 && depth + 1 === this.directories.length) break;
      if (directory.count > 0) this.end(directory, depth + 1);
    }
    return { root: this.root, depth };
  }

  /** Writes a block, and enters it into the directory above, whose blocks have at least two entries but for the last. */
  private end(block: BlockWriter, level: number): void {
    const bytes = packed(block.written);
    this.file.write(bytes, this.at);
    this.root = { offset: this.at, length: bytes.length };
    this.at += bytes.length;
    const directory = this.directories[level] ?? new BlockWriter();
    this.directories[level] = directory;
    directory.addEntry({ ...(block.first as BlockEntry), block: this.root });
    block.reset();
    if (directory.length >= this.blockBytes && directory.count > 1) this.end(directory, level + 1);
  }
}
