import { TimeSlice } from '#domain/shared/time-slice.js';
import type { Build } from './build.js';
import { nameOf } from './build.js';
import { rowOf } from './build-state.js';
import type { Builds } from './builds/builds.js';
import type { Coverage, DocumentIndex, IndexChange } from './document-index.js';

const INTERVAL_MS = 5_000;
/** Entries that trigger an early write of the index, as do `MANY_BYTES`: a start reads them again. */
const MANY = 20_000;
const MANY_BYTES = 32 * 2 ** 20;
/** Above this number, commits wait for the index. */
const MOST = 100_000;
const MOST_BYTES = 64 * 2 ** 20;
/** Entries per transaction, which blocks the event loop for some milliseconds. */
const AT_ONCE = 1_000;

type Part = Readonly<{ build: Build; coverage: Coverage; changes: readonly IndexChange[] }>;

/** Updates the index from the build files in the background, and removes entries of deleted files. */
export class Indexing {
  private running: Promise<void> | undefined;
  /** Removal of entries. Runs do not wait for it, because commits may wait for them. */
  private removal: Promise<void> | undefined;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;
  /** The last attempt failed: the next one comes after a pause. */
  private hasFailed = false;
  private readonly slice = new TimeSlice();

  constructor(
    private readonly builds: Builds,
    private readonly index: DocumentIndex,
  ) {}

  /** Must be called after commits. */
  wake(): void {
    this.timer ??= setTimeout(() => this.begin(), INTERVAL_MS).unref();
    if (!this.running && !this.hasFailed && this.isOver(MANY, MANY_BYTES)) this.begin();
  }

  /** Returns whether the backlog is above its limit. */
  get isFull(): boolean {
    return this.isOver(MOST, MOST_BYTES);
  }

  /** Resolves when the index covers everything that is in the files now. Rejects with the error of the disk or of LMDB. */
  async run(): Promise<void> {
    await this.running?.catch(() => undefined);
    this.running ??= this.attempt();
    return this.running;
  }

  /** Writes rows of builds of which only the checkpoint has moved. */
  async pass(builds: readonly Build[]): Promise<void> {
    const parts = builds.map((build) => ({ build, state: build.state, coverage: { ...build.coverage, row: rowOf(build.state) } }));
    await this.index.write(() => {
      for (const { build, coverage } of parts) this.index.cover(build.file.number, coverage);
    });
    for (const { build, state, coverage } of parts) {
      build.cover(coverage);
      build.gathered.pass(state);
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.isClosed = true;
    await this.run().catch(() => undefined); // otherwise the next start reads the files
    await this.removal?.catch(() => undefined);
    clearTimeout(this.timer);
  }

  private async attempt(): Promise<void> {
    try {
      await this.write();
      this.hasFailed = false;
    } catch (error) {
      this.hasFailed = true;
      throw error;
    } finally {
      this.running = undefined;
    }
  }

  private begin(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const ended = this.run().then(() => this.removeGone());
    ended.catch(() => this.isClosed || this.wake());
  }

  private isOver(entries: number, bytes: number): boolean {
    let [size, length] = [0, 0];
    for (const { layer, file, coverage } of this.builds.all) {
      size += layer.size;
      length += file.length - coverage.covered;
    }
    return size > entries || length > bytes;
  }

  private async write(): Promise<void> {
    const parts = [...this.builds.all].filter(({ file, coverage }) => file.length > coverage.covered).map(partOf);
    if (parts.length === 0) return;
    await Promise.all(parts.map(({ build }) => this.flush(build)));
    const changes = parts.flatMap(({ build, changes }) => changes.map((change) => ({ file: build.file.number, change })));
    // A reader of the index and the files must not see entries whose records it has not loaded.
    if (changes.length > AT_ONCE)
      await this.index.write(() => {
        for (const { build, coverage } of parts) this.index.cover(build.file.number, { ...build.coverage, upTo: coverage.upTo });
      });
    for (let at = 0; at === 0 || at < changes.length; at += AT_ONCE) {
      const isLast = at + AT_ONCE >= changes.length;
      await this.index.write(() => {
        for (const { file, change } of changes.slice(at, at + AT_ONCE)) this.index.put(file, change);
        if (isLast) for (const { build, coverage } of parts) this.index.cover(build.file.number, coverage);
      });
      await this.slice.next();
    }
    for (const { build, coverage } of parts) build.cover(coverage);
  }

  private async flush({ file }: Build): Promise<void> {
    try {
      await file.sync();
    } catch (error) {
      if (this.builds.has(file.number)) throw error; // of a build that was removed meanwhile, all entries will be
    }
  }

  private removeGone(): Promise<void> {
    this.removal ??= this.removeAll().finally(() => {
      this.removal = undefined;
    });
    return this.removal;
  }

  private async removeAll(): Promise<void> {
    for (const file of this.index.files.filter((number) => !this.builds.has(number)))
      for (let left = true; left && !this.isClosed; ) {
        await this.running?.catch(() => undefined); // it may hold entries of the file
        await this.index.write(() => {
          left = this.index.removeSome(file, AT_ONCE);
        });
        await this.slice.next();
      }
  }
}

const partOf = (build: Build): Part => {
  const { file, layer, gathered, keepsPast } = build;
  const changes: IndexChange[] = [];
  for (const { collection, key, entry } of layer.all()) {
    const name = nameOf(collection, key);
    const written = gathered.writtenEntry(name, entry);
    if (written) changes.push({ name, entry: keepsPast || written.isAlive ? written : undefined });
  }
  changes.sort((one, other) => (one.name < other.name ? -1 : 1));
  const coverage = { covered: file.length, upTo: file.length, row: rowOf(gathered.written) };
  return { build, coverage, changes };
};
