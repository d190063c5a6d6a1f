import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { forAny } from '#test/support/for-any.js';
import { runs, SEED } from '#test/support/test-runs.js';
import { Damaged, type DocumentRecord, type FileRange, MAX_POSITION, type PlacedRecord, recordLength } from '../texts/record.js';
import { BlockCache } from './block-cache.js';
import { DataFile } from './data-file.js';
import type { Files } from './files.js';
import { MergedFile } from './merged-file.js';

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

type Merged = Readonly<{ records: readonly PlacedRecord[]; end: number }>;

/** Merges records as segments. Their order must be by place. */
const mergedOf = (segments: readonly Merged[], blockBytes = BLOCK_BYTES): MergedFile => {
  let merged = new MergedFile(memory.file, new BlockCache());
  for (const { records, end } of segments) {
    const segment = merged.segment(memory.length, blockBytes);
    for (const one of records.toSorted(
      (one, other) => Number(one.record.name > other.record.name) - Number(one.record.name < other.record.name),
    ))
      segment.add(one);
    list = segment.finish(end, {});
    merged = merged.listing(list);
  }
  return merged;
};

describe('a long text', () => {
  const random = randomNumbers(SEED);
  const long = Buffer.from(Array.from({ length: 2 ** 18 }, () => Math.floor(random() * 256)));
  const records = placed(['a', 'b', 'c'].map((name, index) => recordOf(name, index, name === 'b' ? long : Buffer.from(name))));

  it('has a block of its own, so that others are read without it', () => {
    const merged = mergedOf([{ records, end: endOf(records) }]);
    memory.forget();
    for (const { offset, record } of [records[0], records[2]] as readonly PlacedRecord[])
      expect(merged.record(record.name, offset)).toEqual(record);
    expect(memory.read).toBeLessThan(1_000);
  });

  it('is not kept in memory', () => {
    const merged = mergedOf([{ records, end: endOf(records) }]);
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
  const segments = Array.from({ length: SEGMENTS }, (_, segment) => {
    const records = names.map((name, index) => recordOf(name, segment * 10_000 + index, Buffer.from(name)));
    return { records: placed(records, segment * 1_000_000), end: (segment + 1) * 1_000_000 };
  });

  it('stay in memory while blocks of records come and go', () => {
    const merged = mergedOf(segments, 256);
    const wanted = Array.from(
      { length: 5_000 },
      (_, index) => segments[index % SEGMENTS]?.records[(index * 7) % names.length] as PlacedRecord,
    );
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

/** Numbers that fit into a few bits, and ones that need all of them. */
const number = (most: number) => fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: most }));
const position = number(MAX_POSITION);
const place = fc.record({ offset: number(MAX_POSITION), length: fc.integer({ min: 1, max: 2 ** 32 - 1 }) });

/** A record; those before it of its name, and what of it follows from them, are added by `chained`. */
const loose = fc.record({
  name: fc.constantFrom('a', 'a\0', 'ab', 'b\0ä', 'b\0€', 'A'),
  kind: fc.constantFrom('gone', 'whole', 'delta', 'piece'),
  body: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  isRun: fc.boolean(),
  deltas: fc.nat({ max: 255 }),
  deltaBytes: number(2 ** 32 - 1),
  birth: position,
  since: position,
  number: number(2 ** 32 - 2),
  before: fc.option(place, { nil: undefined }),
  jumps: fc.array(fc.record({ offset: position, length: fc.nat({ max: 2 ** 32 - 1 }), position }), { maxLength: 3 }),
  step: fc.nat({ max: 2 }),
  isLinked: fc.boolean(),
});

/** Records of one log in segments: positions of a name never descend, and many a record follows from the one before it. */
const chained = fc.array(fc.array(loose, { maxLength: 60 }), { minLength: 1, maxLength: 3 }).map((segments) => {
  const lasts = new Map<string, PlacedRecord>();
  let start = 0;
  return segments.map((segment) => {
    const records = segment.map(({ step, isLinked, ...one }): PlacedRecord => {
      const last = lasts.get(one.name);
      const follows = last && isLinked ? { ...last.record, before: { offset: last.offset, length: last.length } } : undefined;
      const { birth, since, before } = follows ?? one;
      const count = follows ? follows.number + 1 : one.number;
      const record = { ...one, birth, since, before, number: count, position: (last?.record.position ?? one.birth) + step };
      const placed = { offset: start, length: recordLength(record), record };
      start += placed.length;
      lasts.set(one.name, placed);
      return placed;
    });
    start += 1; // segments without records have an end, too
    return { records, end: start };
  });
});

describe('the list of segments', () => {
  const segments = Array.from({ length: 201 }, (_, index) => {
    const records = placed([recordOf('a', index, Buffer.from(`${index}`))], index * 1_000);
    return { records, end: (index + 1) * 1_000 };
  });
  const expectAll = (merged: MergedFile, all: readonly Merged[]): void => {
    const last = all.at(-1)?.end ?? 0;
    expect(merged.end).toBe(last);
    for (const { records } of all) for (const { offset, record } of records) expect(merged.record('a', offset)).toEqual(record);
    expect(() => merged.record('a', last)).toThrow(Damaged);
  };

  it('has pages, of which the last one is written anew, and none is read twice', () => {
    const merged = mergedOf(segments.slice(0, 200));
    expectAll(merged, segments.slice(0, 200));
    expect(list.length).toBeLessThan(1_000);
    memory.forget();
    const opened = new MergedFile(memory.file, new BlockCache()).listing(list);
    expect(memory.reads).toBe(4);
    expectAll(opened, segments.slice(0, 200));
    const segment = opened.segment(memory.length, BLOCK_BYTES);
    for (const one of segments[200]?.records ?? []) segment.add(one);
    const next = segment.finish(segments[200]?.end ?? 0, {});
    memory.forget();
    const followed = opened.listing(next);
    expect(memory.reads).toBe(1);
    expectAll(followed, segments);
    expectAll(opened, segments.slice(0, 200));
  });
});

describe('merged records', () => {
  const blockBytes = fc.constantFrom(1, 64, 300, BLOCK_BYTES);

  it('are read as they were, one by one and all together', async () => {
    await forAny(runs(500, 100), chained, blockBytes, (segments, bytes) => {
      memory = new Memory();
      const merged = mergedOf(segments, bytes);
      const all = segments.flatMap(({ records }) => records);
      for (const { offset, record } of all) expect(merged.record(record.name, offset)).toEqual(record);
      const from = all[all.length >> 1]?.offset ?? 0;
      const read = [...merged.from(from)].flatMap(({ records }) => records);
      expect(read.toSorted((one, other) => one.offset - other.offset)).toEqual(all.filter(({ offset }) => offset >= from));
      expect([...merged.from(0)].flatMap(({ end }) => end ?? [])).toEqual(segments.map(({ end }) => end));
    });
  });

  it('behind a position are the first of a name in the segment that reaches it', async () => {
    await forAny(runs(300, 50), chained, blockBytes, (segments, bytes) => {
      memory = new Memory();
      const merged = mergedOf(segments, bytes);
      const all = segments.flatMap(({ records }) => records);
      for (const name of ['A', 'a', 'a\0', 'b', 'b\0€', 'c'])
        for (const wanted of new Set(all.flatMap(({ record }) => [record.position - 1, record.position]))) {
          const isBehind = ({ record }: PlacedRecord): boolean => record.position > wanted;
          const found = segments
            .find(({ records }) => records.some(isBehind))
            ?.records.find((one) => one.record.name === name && isBehind(one));
          expect(merged.firstAfter(name, wanted)?.offset).toBe(found?.offset);
        }
    });
  });

  it('of a place or name that there is not are damaged', () => {
    const records = placed(['a', 'b'].map((name, index) => recordOf(name, index, Buffer.from(name))));
    const merged = mergedOf([{ records, end: endOf(records) }]);
    for (const [name, offset] of [
      ['a', 1],
      ['b', 0],
      ['c', 0],
      ['a', 10_000],
    ] as const)
      expect(() => merged.record(name, offset)).toThrow(Damaged);
  });
});
