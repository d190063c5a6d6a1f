import { beforeEach, describe, expect, it } from '@jest/globals';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { SEED } from '#test/support/test-runs.js';
import { type DocumentRecord, type FileRange, type PlacedRecord, recordLength } from '../texts/record.js';
import { BlockCache } from './block-cache.js';
import { DataFile } from './data-file.js';
import type { Files } from './files.js';
import { MergedFile, SegmentWriter } from './merged-file.js';

const BLOCK_BYTES = 2 ** 14;

/** A file in memory. */
class Memory {
  private bytes = Buffer.alloc(2 ** 16);
  length = 0;
  /** Calls that read, and the bytes that they have read. */
  reads = 0;
  read = 0;

  readonly file = new DataFile(this.files, 1, 'memory', 'w+');

  forget(): void {
    [this.reads, this.read] = [0, 0];
  }

  private get files(): Files {
    return {
      open: () => 0,
      write: (_, bytes, at, position) => {
        const end = position + bytes.length - at;
        if (end > this.bytes.length) this.bytes = Buffer.concat([this.bytes, Buffer.alloc(end)]);
        this.length = Math.max(this.length, end);
        return bytes.copy(this.bytes, position, at);
      },
      read: (_, bytes, at, position) => {
        const read = this.bytes.copy(bytes, at, position, this.length);
        this.reads += 1;
        this.read += read;
        return read;
      },
      size: () => this.length,
      truncate: () => {},
      sync: async () => {},
      close: () => {},
      requireRoom: () => {},
    };
  }
}

let memory: Memory;
/** Place of the last list that was written. */
let list: FileRange;
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
    const writer = new SegmentWriter(memory.file, memory.length, blockBytes);
    for (const one of records.toSorted(
      (one, other) => Number(one.record.name > other.record.name) - Number(one.record.name < other.record.name),
    ))
      writer.add(one);
    list = merged.writeList(writer, endOf(records), {});
    merged.load(list);
  }
  return merged;
};

describe('a long text', () => {
  const random = randomNumbers(SEED);
  const long = Buffer.from(Array.from({ length: 2 ** 18 }, () => Math.floor(random() * 256)));
  const records = placed(['a', 'b', 'c'].map((name, index) => recordOf(name, index, name === 'b' ? long : Buffer.from(name))));

  it('has a block of its own, so that others are read without it', () => {
    const merged = mergedOf([records]);
    memory.forget();
    for (const { offset, record } of [records[0], records[2]] as readonly PlacedRecord[])
      expect(merged.record(record.name, offset)).toEqual(record);
    expect(memory.read).toBeLessThan(1_000);
  });

  it('is not kept in memory', () => {
    const merged = mergedOf([records]);
    const [, { offset, record }] = records as readonly [unknown, PlacedRecord];
    expect(merged.record('b', offset)).toEqual(record);
    memory.forget();
    expect(merged.record('b', offset)).toEqual(record);
    expect(memory.read).toBeGreaterThan(10_000);
    merged.record('a', 0);
    memory.forget();
    merged.record('a', 0);
    expect(memory.read).toBe(0);
  });
});

describe('directories', () => {
  const SEGMENTS = 20;
  const names = Array.from({ length: 2_000 }, (_, index) => `name ${String(index).padStart(5, '0')}`);
  const segments = Array.from({ length: SEGMENTS }, (_, segment) =>
    placed(
      names.map((name, index) => recordOf(name, segment * 10_000 + index, Buffer.from(name))),
      segment * 1_000_000,
    ),
  );

  it('stay in memory while blocks of records come and go', () => {
    const merged = mergedOf(segments, 256);
    const wanted = Array.from({ length: 5_000 }, (_, index) => segments[index % SEGMENTS]?.[(index * 7) % names.length] as PlacedRecord);
    for (const { offset, record } of wanted) merged.record(record.name, offset);
    for (const { offset, record } of wanted) {
      memory.forget();
      expect(merged.record(record.name, offset).position).toBe(record.position);
      expect(memory.reads).toBeLessThanOrEqual(1);
    }
  });

  it('are not read anew with a list that is read already', () => {
    const merged = mergedOf(segments.slice(0, 1));
    memory.forget();
    expect(merged.listing({ ...list })).toBe(merged);
    expect(memory.reads).toBe(0);
  });
});
