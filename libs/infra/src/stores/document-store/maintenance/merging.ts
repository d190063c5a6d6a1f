import { setTimeout as delay } from 'node:timers/promises';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import type { Build } from '../build.js';
import type { Builds } from '../builds/builds.js';
import type { Condition } from '../failures/condition.js';
import type { BuildFile } from '../files/build-file.js';
import type { DataFile } from '../files/data-file.js';
import { aheadIn } from '../files/read-ahead.js';
import { RecordPlaces } from '../files/record-places.js';
import type { Indexing } from '../indexing.js';
import { Damaged, decodeRecordOf } from '../texts/record.js';

const SLICE_MS = 4;
/**
 * `segmentBytes`: of a past that are merged together. `blockBytes`: length of a block before it is packed. `retryMs`: delay before the next attempt
 * after a failure such as a full disk.
 */
export type MergeSizes = Readonly<{ segmentBytes: number; blockBytes: number; retryMs: number }>;

export const MERGE_SIZES: MergeSizes = { segmentBytes: 2 ** 26, blockBytes: 2 ** 14, retryMs: 60_000 };

type MergingOptions = Readonly<{
  builds: Builds;
  indexing: Indexing;
  condition: Condition;
  sizes: MergeSizes;
  exclusively: <Result>(projection: string, work: () => Promise<Result>) => Promise<Result>;
}>;

/** Number of parts of a segment, of which one is in memory. */
const PARTS = 4;

/** Records that follow each other in a segment: the name and number of each, and their bytes one after another. */
class Part {
  readonly names: string[] = [];
  readonly numbers: number[] = [];
  /** Start of the bytes of each record, by number; -1 for those of other parts. */
  readonly starts: Int32Array;
  length = 0;
  bytes: Buffer = Buffer.alloc(0);

  constructor(count: number) {
    this.starts = new Int32Array(count).fill(-1);
  }

  add(name: string, number: number, length: number): void {
    this.names.push(name);
    this.numbers.push(number);
    this.starts[number] = this.length;
    this.length += length;
  }
}

/** The store is closed, or the build was removed. */
class Abandoned extends Error {}

/** Merges the past of builds in the background: sorts the records of 64 MiB by document, and packs them. */
export class Merging {
  private readonly slice = new TimeSlice(SLICE_MS);
  private isRunning = false;
  private last: Promise<void> = Promise.resolve();
  /** When a build may be merged again, after a failure. */
  private readonly notBefore = new WeakMap<Build, number>();
  private isClosed = false;

  constructor(private readonly options: MergingOptions) {}

  /** Must be called after commits to a build, and for builds that are new, or have another role. */
  wake(build: Build): void {
    if (this.isRunning || !this.isDue(build)) return;
    this.isRunning = true;
    this.last = this.run();
  }

  /** Abandons what is being merged; it is merged again later. No wake may follow. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.last;
  }

  private isDue(build: Build): boolean {
    const { builds, condition } = this.options;
    const isWanted = this.isLong(build) && builds.isNamed(build) && !condition.isDamaged(build);
    return isWanted && !this.isClosed && performance.now() >= (this.notBefore.get(build) ?? 0);
  }

  private isLong({ keepsPast, file }: Build): boolean {
    return keepsPast && (file.closedEnd !== undefined || file.length - file.lastFrom >= this.options.sizes.segmentBytes);
  }

  /** Ends when no build is due: one may become due while another is merged. */
  private async run(): Promise<void> {
    for (;;) {
      const build = [...this.options.builds.all].find((one) => this.isDue(one));
      if (!build) break;
      try {
        await (build.file.closedEnd === undefined ? this.extend(build) : this.merge(build, build.file.closedEnd));
      } catch (error) {
        if (!(error instanceof Abandoned)) this.note(build, error);
      }
    }
    this.isRunning = false;
  }

  /** Damage of a kept build is left to those who read it: a build in its place would not have its past. It has no further merges. */
  private note(build: Build, error: unknown): void {
    const { builds, condition, sizes } = this.options;
    const isKept = builds.kept(build.namespace.projection).includes(build);
    this.notBefore.set(build, error instanceof Damaged ? Number.POSITIVE_INFINITY : performance.now() + sizes.retryMs);
    condition.explain(error, isKept ? undefined : build);
  }

  /** Later commits go to another file. */
  private async extend(build: Build): Promise<void> {
    const { builds, indexing } = this.options;
    await indexing.run(); // most of the file is on disk then
    await this.changing(build, async () => {
      const { file } = build;
      build.gathered.flush(build.state);
      await file.sync();
      const { merged, appended } = file.layout ?? { merged: null, appended: [{ file: file.number, from: 0 }] };
      await this.withFile(build, async (next) => {
        await builds.setLayout(build, { merged, appended: [...appended, { file: next.number, from: file.length }] }, [next]);
      });
    });
    await indexing.run();
  }

  private async merge(build: Build, closedEnd: number): Promise<void> {
    const { file, coverage } = build;
    if (coverage.covered < closedEnd) return this.options.indexing.run();
    file.dropUnfinished(); // of a killed process
    file.requireRoom(this.options.sizes.segmentBytes);
    const { places, end, row } = await this.placesOf(build, closedEnd);
    const { names } = places;
    await sortInSlices(names, (one, other) => (one < other ? -1 : 1), this.slice);
    this.check(build);
    const merge = async (given?: DataFile): Promise<void> => {
      const segment = file.segment(given, this.options.sizes.blockBytes);
      for await (const part of this.parts(build, places, names, end))
        for (const [index, number] of part.numbers.entries()) {
          const [place, start] = [places.place(number), part.starts[number] ?? 0];
          segment.add({ ...place, record: decodeRecordOf(part.names[index] ?? '', part.bytes.subarray(start, start + place.length)) });
          if (this.slice.isOver) await this.pause(build);
        }
      const layout = file.withSegment(segment.file, segment.finish(end, row), end);
      await segment.file.sync();
      const unused = await this.changing(build, () => this.options.builds.setLayout(build, layout, given ? [given] : []));
      await this.options.builds.removeUnused(unused);
    };
    await (file.layout?.merged ? merge().finally(() => cut(file)) : this.withFile(build, merge));
  }

  /** Places of the records that are merged next, by name, and the state of the build behind them. */
  private async placesOf(build: Build, closedEnd: number) {
    const { file } = build;
    const places = new RecordPlaces();
    let [row, end] = [file.mergedRow, file.mergedEnd];
    for (const batch of file.unmerged(closedEnd)) {
      for (const { name, offset, length } of batch.records) {
        places.add(name, { offset, length });
        if (this.slice.isOver) await this.pause(build);
      }
      [row, end] = [{ ...row, ...batch.row }, batch.end];
      const { segmentBytes } = this.options.sizes;
      const isWhole = end - file.mergedEnd >= segmentBytes && closedEnd - end >= segmentBytes; // otherwise the rest would be a tiny segment
      if (places.isFull || isWhole) break;
    }
    return { places, end, row };
  }

  /** All records by name, in parts that are read from front to back: one by one, reading them would take longer than all the rest. */
  private async *parts(build: Build, places: RecordPlaces, names: readonly string[], end: number): AsyncGenerator<Part> {
    const most = this.options.sizes.segmentBytes / PARTS;
    const [memory, ahead] = [Buffer.allocUnsafeSlow(most), aheadIn(build.file, end)];
    const read = async (part: Part): Promise<Part> => {
      part.bytes = part.length <= most ? memory.subarray(0, part.length) : Buffer.allocUnsafeSlow(part.length);
      for (let number = 0; number < places.count; number++) {
        const start = part.starts[number] ?? -1;
        if (start < 0) continue;
        const { offset, length } = places.place(number);
        (ahead.bytes(offset, length) as Buffer).copy(part.bytes, start);
        if (this.slice.isOver) await this.pause(build);
      }
      return part;
    };
    let part = new Part(places.count);
    for (const name of names)
      for (const number of places.of(name)) {
        const { length } = places.place(number);
        if (part.length > 0 && part.length + length > most) {
          yield await read(part);
          part = new Part(places.count);
        }
        part.add(name, number, length);
        if (this.slice.isOver) await this.pause(build);
      }
    if (part.length > 0) yield await read(part);
  }

  /** Takes at most half of a core: a directory of an earlier release has hours of work. @throws Abandoned */
  private async pause(build: Build): Promise<void> {
    await delay(SLICE_MS);
    await this.slice.next();
    this.check(build);
  }

  /** @throws Abandoned */
  private check(build: Build): void {
    const { builds } = this.options;
    if (this.isClosed || !builds.isOpen(build) || !builds.isNamed(build)) throw new Abandoned();
  }

  private changing<Result>(build: Build, work: () => Promise<Result>): Promise<Result> {
    return this.options.exclusively(build.namespace.projection, () => {
      this.check(build);
      return work();
    });
  }

  /** Makes a file, which is removed if the work fails before the build has it. */
  private async withFile(build: Build, work: (file: DataFile) => Promise<void>): Promise<void> {
    const { builds } = this.options;
    const file = builds.createFile();
    try {
      await work(file);
    } catch (error) {
      if (build.file.files.includes(file.number)) throw error;
      file.close();
      builds.removeFile(file.number);
      throw error;
    }
  }
}

/** Gives back the space of a merge that has failed. */
const cut = (file: BuildFile): void => {
  try {
    file.dropUnfinished();
  } catch {} // cut before the next merge
};
