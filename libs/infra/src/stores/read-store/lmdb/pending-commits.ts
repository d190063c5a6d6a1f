import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { isHold, MarksConflict, type Namespace, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { type LayerableChange, layerChange } from './changes.js';
import type { Databases, Slot } from './databases.js';
import { documentKey } from './documents.js';
import type { LayeredChange } from './layer.js';
import { type Build, type Namespaces, textOfBuild } from './namespaces.js';
import { type Move, PendingBuild } from './pending-build.js';

/** How soon the first commit after a pause is written: projections that follow the same events come together. */
const GATHER_MS = 10;
/** From the beginning of one write to that of the next. */
const INTERVAL_MS = 200;
const RETRY_MS = 1_000;
/** So many documents are written at once sooner: they take the event loop as long as a few milliseconds. */
const MANY = 2_000;
/** Who commits beyond that waits for the next write. */
const MOST = 20_000;
const MOST_BYTES = 8 * 2 ** 20;

export type PendingOptions = Readonly<{
  namespaces: Namespaces;
  databases: Databases;
  /** Converts errors of reads. @throws ReadStoreUnavailable */
  read: <Result>(read: () => Result) => Result;
  /** Runs `work` in a transaction, if there is room on the disk. @throws ReadStoreUnavailable */
  write: <Result>(work: () => Result) => Promise<Result>;
}>;

/** A build whose state is being written. */
type WrittenBuild = Readonly<{ pending: PendingBuild; build: Build; changes: readonly LayeredChange[] }>;

/**
 * Commits that are applied in memory, and written a few times a second in one transaction for all builds. Whoever reads builds and documents through
 * here sees them at once.
 */
export class PendingCommits {
  private readonly builds = new Map<string, PendingBuild>();
  /** Projections that may show less than before, since commits were dropped. */
  private readonly receded = new Set<string>();
  /** Work on the builds of a projection that must not meet new commits. */
  private readonly busy = new Map<string, Set<Promise<unknown>>>();
  private writing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private begunAt = Number.NEGATIVE_INFINITY;
  private hasFailed = false;
  private readonly slice = new TimeSlice();

  constructor(private readonly options: PendingOptions) {}

  /** Whether everything is on disk. */
  get isEmpty(): boolean {
    return this.builds.size === 0;
  }

  /** What is pending for a build, if it still follows from what is on disk. @throws DamagedBuildRecords */
  of(projection: string, slot: Slot): PendingBuild | undefined {
    if (this.builds.size === 0) return undefined;
    const pending = this.builds.get(`${projection}/${slot}`);
    if (!pending || this.follows(pending)) return pending;
    this.drop(pending);
    return undefined;
  }

  /** The build in a slot with all commits. @throws DamagedBuildRecords */
  build(projection: string, slot: Slot): Build | undefined {
    return this.of(projection, slot)?.build ?? this.options.namespaces.build(projection, slot);
  }

  /** The build of a namespace, unless a newer one took its place. */
  buildOf(namespace: Namespace): Build | undefined {
    const build = this.build(namespace.projection, namespace.slot);
    return build?.generation === namespace.generation ? build : undefined;
  }

  /** The served build as text: another one after every commit and every switch. See `parseBuild`. */
  servedText(projection: string): string | undefined {
    const slot = this.options.namespaces.servedSlot(projection);
    const build = slot && this.build(projection, slot);
    return build && textOfBuild(build);
  }

  /** Whether what is served may show less than it did. @param slot that is served */
  mayRecede(projection: string, slot: Slot): boolean {
    if (this.receded.has(projection)) return true;
    return this.builds.size > 0 && this.builds.has(`${projection}/${slot === 'a' ? 'b' : 'a'}`);
  }

  /** What is served shows as much as before. */
  recovered(projection: string): void {
    this.receded.delete(projection);
  }

  /**
   * What a commit to a projection has to wait for before it may be applied, in the same turn: work alone on its builds, room in memory, others. It
   * rejects with ReadStoreUnavailable where there is no room on the disk: nothing is taken that cannot be written.
   */
  obstacle(projection: string): Promise<unknown> | undefined {
    if (this.hasFailed || this.isOver(MOST, MOST_BYTES)) return this.flush();
    const busy = this.busy.get(projection);
    if (busy) return Promise.allSettled(busy);
    // Who commits in a loop would keep the event loop for ever.
    return this.slice.isOver ? this.slice.next() : undefined;
  }

  /** Applies a commit, in memory, and has it written soon. */
  apply({ projection, slot }: Namespace, stored: Build, changes: readonly LayerableChange[], move: Move): void {
    const pending = this.builds.get(`${projection}/${slot}`) ?? new PendingBuild(projection, slot, stored);
    this.builds.set(`${projection}/${slot}`, pending);
    for (const change of changes) layerChange(pending.layer, change);
    pending.move(move);
    this.schedule();
  }

  /**
   * Runs work that changes builds of a projection on disk: no commit is applied to them meanwhile, and those before are written first.
   * @param marks that the work expects, if it does
   * @throws MarksConflict, ReadStoreUnavailable commits are held, by whoever changed the marks
   */
  async alone<Result>(projection: string, slots: readonly Slot[], marks: string | undefined, work: () => Promise<Result>): Promise<Result> {
    const running = this.settle(projection, slots, marks).then(work);
    const busy = getOrInsert(this.busy, projection, () => new Set()).add(running);
    try {
      return await running;
    } finally {
      busy.delete(running);
      if (busy.size === 0) this.busy.delete(projection);
    }
  }

  /** Resolves when all commits before are on disk, or dropped, or held. @throws ReadStoreUnavailable */
  async flush(): Promise<void> {
    await this.writing?.catch(() => undefined); // perhaps it began before the last commit
    if (this.builds.size > 0) await (this.writing ?? this.begin());
  }

  /** Writes what it can. Nothing must be applied any more. */
  async close(): Promise<void> {
    await this.flush().catch(() => undefined); // the log has it
    this.builds.clear();
    clearTimeout(this.timer);
  }

  private async settle(projection: string, slots: readonly Slot[], marks: string | undefined): Promise<void> {
    const pending = () => this.options.read(() => slots.flatMap((slot) => this.of(projection, slot) ?? []));
    if (pending().length === 0) return;
    await this.flush();
    for (const { build } of pending()) {
      if (marks === undefined) throw new ReadStoreUnavailable(`commits to ${projection} are held`);
      if (build.marks !== marks) throw new MarksConflict(projection, marks, build.marks);
    }
  }

  private isOver(documents: number, bytes: number): boolean {
    let [size, weight] = [0, 0];
    for (const { build, layer } of this.builds.values()) {
      if (isHold(build.marks)) continue; // they grow no more
      size += layer.size;
      weight += layer.bytes;
    }
    return size > documents || weight > bytes;
  }

  private schedule(): void {
    if (this.writing || this.builds.size === 0) return;
    if (this.isOver(MANY, MOST_BYTES / 2)) void this.begin().catch(() => undefined);
    else this.timer ??= setTimeout(() => void this.flush().catch(() => undefined), this.pauseMs()).unref();
  }

  private pauseMs(): number {
    if (this.hasFailed) return RETRY_MS;
    return Math.max(GATHER_MS, this.begunAt + INTERVAL_MS - performance.now());
  }

  private begin(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.begunAt = performance.now();
    this.writing = this.write().finally(() => {
      this.writing = undefined;
      this.schedule();
    });
    return this.writing;
  }

  private async write(): Promise<void> {
    try {
      if (this.options.read(() => this.writable()).length === 0) return;
      const written = await this.options.write(() => this.writable().map((pending) => this.put(pending)));
      for (const { pending, build, changes } of written) {
        pending.written(build, changes);
        if (pending.isWritten) this.forget(pending);
      }
      this.hasFailed = false;
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }

  /** What may be written now; reads only, because a transaction in which something has been written must not fail. @throws DamagedBuildRecords */
  private writable(): readonly PendingBuild[] {
    return [...this.builds.values()].filter(({ projection, slot }) => {
      const pending = this.of(projection, slot);
      return pending && !isHold(pending.build.marks);
    });
  }

  /** Only inside a transaction. */
  private put(pending: PendingBuild): WrittenBuild {
    const { projection, slot, layer } = pending;
    const db = this.options.databases.opened(projection, slot);
    const changes = db ? layer.changes() : [];
    for (const { collection, key, value } of changes) {
      if (value) db?.putSync(documentKey(collection, key), value);
      else db?.removeSync(documentKey(collection, key));
    }
    const build = pending.attempt();
    this.options.namespaces.setBuild(projection, slot, build);
    return { pending, build, changes };
  }

  private follows(pending: PendingBuild): boolean {
    const { namespaces } = this.options;
    const { projection, slot } = pending;
    return pending.follows(namespaces.recordOf(projection, slot), () => namespaces.build(projection, slot));
  }

  private drop(pending: PendingBuild): void {
    this.forget(pending);
    this.receded.add(pending.projection);
  }

  private forget(pending: PendingBuild): void {
    const name = `${pending.projection}/${pending.slot}`;
    if (this.builds.get(name) === pending) this.builds.delete(name);
  }
}
