import { beforeEach, describe, expect, it } from '@jest/globals';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { SEED } from '#test/support/test-runs.js';
import { type DocumentRecord, type PlacedRecord, recordLength } from '../texts/record.js';
import { BlockCache } from './block-cache.js';
import { DataFile } from './data-file.js';
import type { Files } from './files.js';
import { MergedFile, SegmentWriter } from './merged-file.js';

const BLOCK_BYTES = 2 ** 14;

/** A file in memory. */
class Memory {
  bytes = Buffer.alloc(0);
  /** Bytes that were read. */
  read = 0;

  readonly file = new DataFile(this.files, 1, 'memory', 'w+');

  private get files(): Files {
    return {
      open: () => 0,
      write: (_, bytes, at, position) => {
        this.bytes = Buffer.concat([
          this.bytes.subarray(0, position),
          bytes.subarray(at),
          this.bytes.subarray(position + bytes.length - at),
        ]);
        return bytes.length - at;
      },
      read: (_, bytes, at, position) => {
        const read = this.bytes.copy(bytes, at, position);
        this.read += read;
        return read;
      },
      size: () => this.bytes.length,
      truncate: () => {},
      sync: async () => {},
      close: () => {},
      requireRoom: () => {},
    };
  }
}

let memory: Memory;
beforeEach(() => {
  memory = new Memory();
});

const recordOf = (name: string, position: number, body: Buffer): DocumentRecord => ({
  ...{ kind: 'whole', name, body, isRun: false, deltas: 0, deltaBytes: 0, birth: position, since: position, number: 0, position },
  ...{ before: undefined, jumps: [] },
});

/** Gives records places, one after the other. */
const placed = (records: readonly DocumentRecord[], start = 0): readonly PlacedRecord[] => {
  let offset = start;
  return records.map((record) => {
    const place = { offset, length: recordLength(record), record };
    offset += place.length;
    return place;
  });
};

const endOf = (records: readonly PlacedRecord[]): number => Math.max(0, ...records.map(({ offset, length }) => offset + length));

/** Merges records as segments. Their order must be by place. */
const mergedOf = (segments: readonly (readonly PlacedRecord[])[], blockBytes = BLOCK_BYTES): MergedFile => {
  const merged = new MergedFile(memory.file, new BlockCache());
  for (const records of segments) {
    const writer = new SegmentWriter(memory.file, memory.bytes.length, blockBytes);
    for (const one of records.toSorted(
      (one, other) => Number(one.record.name > other.record.name) - Number(one.record.name < other.record.name),
    ))
      writer.add(one);
    merged.load(merged.writeList(writer, endOf(records), {}));
  }
  return merged;
};

describe('a long text', () => {
  const random = randomNumbers(SEED);
  const long = Buffer.from(Array.from({ length: 2 ** 18 }, () => Math.floor(random() * 256)));
  const records = placed(['a', 'b', 'c'].map((name, index) => recordOf(name, index, name === 'b' ? long : Buffer.from(name))));

  it('has a block of its own, so that others are read without it', () => {
    const merged = mergedOf([records]);
    memory.read = 0;
    for (const { offset, record } of [records[0], records[2]] as readonly PlacedRecord[])
      expect(merged.record(record.name, offset)).toEqual(record);
    expect(memory.read).toBeLessThan(1_000);
  });

  it('is not kept in memory', () => {
    const merged = mergedOf([records]);
    const [, { offset, record }] = records as readonly [unknown, PlacedRecord];
    expect(merged.record('b', offset)).toEqual(record);
    memory.read = 0;
    expect(merged.record('b', offset)).toEqual(record);
    expect(memory.read).toBeGreaterThan(10_000);
    merged.record('a', 0);
    memory.read = 0;
    merged.record('a', 0);
    expect(memory.read).toBe(0);
  });
});
