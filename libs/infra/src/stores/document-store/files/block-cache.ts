import { LRUCache } from 'lru-cache';
import type { FileRange, PlacedRecord } from '../texts/record.js';
import type { DataFile } from './data-file.js';
import { Directory, recordsIn, unpacked } from './merged-blocks.js';

const MOST_BYTES = 8 * 2 ** 20;
/** Longer blocks are not kept: those of one long text each. */
const LONGEST = 2 ** 17;
/** Objects of a record. */
const RECORD_BYTES = 400;
/** Objects of a directory, and its key. */
const DIRECTORY_BYTES = 400;
/** Room for the directories of hundreds of segments: a record is found by two or three of them. */
const MOST_DIRECTORY_BYTES = 16 * 2 ** 20;

/** Bodies share the memory of their block. */
const bytesOf = (records: readonly PlacedRecord[]): number =>
  records.length * RECORD_BYTES + (records[0]?.record.body.buffer.byteLength ?? 1);

/** The blocks of all merged files that were used last, unpacked. */
export class BlockCache {
  private readonly recordBlocks = new LRUCache<string, readonly PlacedRecord[]>({
    maxSize: MOST_BYTES,
    maxEntrySize: LONGEST,
    sizeCalculation: bytesOf,
  });
  private readonly directoryBlocks = new LRUCache<string, Directory>({
    maxSize: MOST_DIRECTORY_BYTES,
    sizeCalculation: ({ bytes }) => DIRECTORY_BYTES + bytes.length,
  });

  /** Throws file system errors. @throws Damaged */
  records(file: DataFile, block: FileRange): readonly PlacedRecord[] {
    return remembered(this.recordBlocks, file, block, recordsIn);
  }

  /** Throws file system errors. @throws Damaged */
  directory(file: DataFile, block: FileRange): Directory {
    return remembered(this.directoryBlocks, file, block, (bytes) => new Directory(copyOf(bytes)));
  }
}

/** Without the rest of the memory that it was unpacked to. */
const copyOf = (bytes: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
};

/** Numbers of files are never reused, and named blocks never written over. */
const remembered = <Block extends object>(
  blocks: LRUCache<string, Block>,
  file: DataFile,
  place: FileRange,
  decode: (bytes: Buffer) => Block,
): Block => {
  const key = `${file.number}/${place.offset}`;
  const known = blocks.get(key);
  if (known) return known;
  const block = decode(unpacked(file.read(place)));
  blocks.set(key, block);
  return block;
};
