import type { Position } from '#domain/shared/events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { DelayedTask } from '#infra/platform/scheduling/later.js';
import type { ThreadSignal } from '#infra/platform/scheduling/news.js';
import { checkChanges } from '#infra/stores/read-store/keys.js';
import type { Change, Namespace } from '#projections/shared/read-store.js';
import type { Build } from './build.js';
import { type BuildState, type CheckpointMove, moved, refusalOf, withGain } from './build-state.js';
import type { Builds } from './builds/builds.js';
import type { DocumentIndex } from './document-index.js';
import type { Condition } from './failures/condition.js';
import type { Indexing } from './indexing.js';
import { Compaction } from './maintenance/compaction.js';
import { type MergeSizes, Merging } from './maintenance/merging.js';
import { nextRemoved } from './removals.js';
import { type Settling, Staging } from './staging.js';
import { numberOf } from './texts/record.js';

/** Maximum time between a commit in memory and its write to the file. */
const GATHER_MS = 200;
const RETRY_MS = 1_000;
/** Maximum time between a move of a checkpoint alone and its write (`passes`), which flushes the index. */
const PASS_MS = 1_000;
/** Bytes of gathered commits that trigger an earlier write. */
const MOST_GATHERED = 4 * 2 ** 20;

/**
 * The parts of an open store. `news`: notifies other openings of the directory of new content. `mostRemoved`: number of documents that are removed by
 * prefix at once.
 */
export type StoreParts = Readonly<{
  builds: Builds;
  index: DocumentIndex;
  indexing: Indexing;
  condition: Condition;
  news: ThreadSignal;
  mergeSizes: MergeSizes;
  mostRemoved: number;
}>;

/** `committed`: called after each commit to a build. */
type WriterOptions = StoreParts & Readonly<{ committed: (build: Build) => void }>;

/** A requested commit. `soon`: first applied in memory. */
type Commit = Readonly<{
  namespace: Namespace;
  changes: readonly Change[];
  move: CheckpointMove;
  soon: boolean;
}>;

/** Changes to be written in one batch. `position`: of those that name none. */
type Written = Readonly<{ changes: readonly (Change | Settling)[]; position: number; soon: boolean }>;

/** Commits to builds. Throws the errors of the port `ReadStore`. */
export class DocumentWriter {
  private readonly compaction: Compaction;
  private readonly merging: Merging;
  /** Builds whose removals are being recorded. */
  private readonly removing = new Set<Build>();
  /** Exclusive work on the builds of a projection; commits wait for it. */
  private readonly exclusive = new Map<string, Promise<unknown>>();
  private readonly slice = new TimeSlice();
  private readonly passing = new DelayedTask(PASS_MS, () => this.attempt(true));
  private timer: NodeJS.Timeout | undefined;
  private hasFailed = false;

  constructor(private readonly options: WriterOptions) {
    const { builds, index, indexing } = options;
    this.compaction = new Compaction(builds, index, indexing);
    this.merging = new Merging({
      ...options,
      sizes: options.mergeSizes,
      exclusively: (projection, work) => this.exclusively(projection, work),
    });
  }

  async commit(commit: Commit): Promise<void> {
    const { namespace, changes, move, soon } = commit;
    checkChanges(changes);
    for (let obstacle = this.obstacle(commit); obstacle; obstacle = this.obstacle(commit)) await obstacle;
    const build = this.options.builds.find(namespace);
    const refusal = refusalOf(namespace, build.state, move);
    if (refusal) throw refusal;
    await this.write(build, { changes, position: numberOf(move.to), soon }, (state) => moved(state, move));
    this.options.committed(build);
    if (build.state.removals.length > 0) void this.recordRemovals(build);
    if (this.compaction.isDue(build)) this.compact(build);
  }

  /** @param after returns the state of the build after the changes, whose gain it has */
  private async write(build: Build, { changes, position, soon }: Written, after: (state: BuildState) => BuildState): Promise<void> {
    const { index, indexing, mostRemoved, news } = this.options;
    await this.applying(build, async (pause) => {
      if (!soon) build.gathered.seal(build.state);
      const staging = new Staging(build, index, changes, position, mostRemoved);
      const steps = staging.steps(build.gathered.next);
      for (let step = steps.next(); !step.done; step = steps.next()) if (this.slice.isOver) await pause();
      const state = after(withGain(build.state, staging));
      if (soon) build.gathered.add(staging.records);
      else build.gathered.append(staging.records, state);
      staging.apply();
      build.state = state;
    });
    if (soon) this.schedule();
    else news.tell();
    indexing.wake();
    this.merging.wake(build);
  }

  /** Records removals that commits have left, in the background. The next commit repeats what fails. */
  private async recordRemovals(build: Build): Promise<void> {
    if (this.removing.has(build)) return;
    this.removing.add(build);
    try {
      for (let last: string | undefined; build.state.removals.length > 0; ) last = await this.recordSome(build, last);
      if (this.compaction.isDue(build)) this.compact(build);
    } catch (error) {
      this.options.condition.explain(error, build);
    } finally {
      this.removing.delete(build);
    }
  }

  /**
   * Records the first removal for its next documents. Other commits may come before and after it.
   * @param after the last document so far @returns the last document now; `undefined`: that was all
   */
  private async recordSome(build: Build, after: string | undefined): Promise<string | undefined> {
    const { builds, index, mostRemoved } = this.options;
    const commit = { namespace: build.namespace, soon: false };
    for (let obstacle = this.obstacle(commit); obstacle; obstacle = this.obstacle(commit)) await obstacle;
    builds.find(build.namespace);
    const [removal] = build.state.removals;
    if (!removal) return undefined;
    const keys = nextRemoved(build, index, removal, after, mostRemoved);
    const isOver = keys.length < mostRemoved;
    const changes = keys.map((key): Settling => ({ kind: 'settle', collection: removal.collection, key }));
    await this.write(build, { changes, position: 0, soon: false }, (state) => ({
      ...moved(state, { from: state.checkpoint, to: state.checkpoint }),
      removals: isOver ? state.removals.filter((one) => one !== removal) : state.removals,
    }));
    return isOver ? undefined : keys.at(-1);
  }

  /** Continues the work of earlier processes, and has builds merged that no commit may reach: kept and imported ones, and those of earlier releases. */
  mergeAll(): void {
    for (const build of this.options.builds.all) {
      this.merging.wake(build);
      if (build.state.removals.length > 0) void this.recordRemovals(build);
    }
  }

  /** Sets the first position that a build can show. */
  async setFrom(namespace: Namespace, from: Position): Promise<void> {
    await this.exclusively(namespace.projection, async () => {
      const build = this.options.builds.find(namespace);
      build.state = { ...build.state, from };
      build.gathered.add([]);
      this.schedule();
    });
  }

  /** Writes all gathered commits. @throws ReadStoreUnavailable */
  async flush(): Promise<void> {
    await this.untilIdle();
    this.flushNow(true);
    await this.untilIdle();
  }

  private async untilIdle(): Promise<void> {
    for (const { busy } of this.options.builds.all) await busy;
  }

  /** Runs work on the builds of a projection. No commit runs meanwhile. */
  async exclusively<Result>(projection: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.exclusive.get(projection);
    const running = (async () => {
      await before?.catch(() => undefined);
      for (const { namespace, busy } of this.options.builds.all) if (namespace.projection === projection) await busy;
      return work();
    })();
    this.exclusive.set(projection, running);
    try {
      return await running;
    } finally {
      if (this.exclusive.get(projection) === running) this.exclusive.delete(projection);
    }
  }

  /** Writes as much as possible. No commit may follow. */
  async close(): Promise<void> {
    await this.merging.close();
    await Promise.allSettled(this.exclusive.values());
    await this.flush().catch(() => undefined); // lost commits can be rebuilt from the log
    clearTimeout(this.timer);
    this.passing.close();
    await this.options.indexing.close();
  }

  /** Work that a commit must await before it is applied. Check again in the same turn of the event loop. @throws ReadStoreUnavailable it is closed */
  private obstacle({ namespace, soon }: Pick<Commit, 'namespace' | 'soon'>): Promise<unknown> | undefined {
    this.options.condition.check();
    const exclusive = this.exclusive.get(namespace.projection);
    if (exclusive) return exclusive.catch(() => undefined);
    const build = this.options.builds.of(namespace);
    if (build?.busy) return build.busy;
    if (soon && this.hasFailed) return this.flush();
    if (this.options.indexing.isFull) return this.indexed();
    // A caller that commits in a loop would block the event loop for ever.
    return this.slice.isOver ? this.slice.next() : undefined;
  }

  private async indexed(): Promise<void> {
    try {
      await this.options.indexing.run();
    } catch (error) {
      throw this.options.condition.explain(error);
    }
  }

  private schedule(): void {
    let bytes = 0;
    for (const { gathered } of this.options.builds.all) bytes += gathered.bytes;
    if (bytes > MOST_GATHERED && !this.hasFailed) this.attempt();
    else this.timer ??= setTimeout(() => this.attempt(), this.hasFailed ? RETRY_MS : GATHER_MS).unref();
  }

  private attempt(passes = false): void {
    try {
      this.flushNow(passes);
    } catch {
      this.schedule();
    }
  }

  private flushNow(passes: boolean): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    let failure: unknown;
    const passing: Build[] = [];
    for (const build of this.options.builds.all) {
      const { state, busy, gathered, namespace } = build;
      if (gathered.isEmpty || busy) continue;
      try {
        if (build.isPassing && !this.exclusive.has(namespace.projection)) passing.push(build);
        else gathered.flush(state);
      } catch (error) {
        failure ??= error;
      }
    }
    if (passing.length > 0 && passes) this.pass(passing);
    if (passing.length > 0 && !passes) this.passing.ask();
    this.options.news.tell();
    this.hasFailed = failure !== undefined;
    if (this.hasFailed) throw this.options.condition.explain(failure);
  }

  /** Checkpoints alone do not make a file grow. */
  private pass(builds: readonly Build[]): void {
    const passed = this.options.indexing
      .pass(builds)
      .then(() => this.options.news.tell())
      .catch(() => {
        for (const { gathered, state } of builds) gathered.flush(state);
      })
      .catch(() => this.schedule())
      .finally(() => {
        for (const build of builds) build.busy = undefined;
      });
    for (const build of builds) build.busy = passed;
  }

  private compact(build: Build): void {
    const { projection } = build.namespace;
    void this.exclusively(projection, () => this.compaction.run(build)).catch((error) => this.options.condition.explain(error, build)); // in the background
  }

  /** @param work may pause to let other tasks run in the middle of a commit; no other commit to the build runs meanwhile */
  private async applying(build: Build, work: (pause: () => Promise<void>) => Promise<void>): Promise<void> {
    const { condition } = this.options;
    condition.check();
    condition.checkBuild(build);
    let release = (): void => {};
    const pause = (): Promise<void> => {
      build.busy ??= new Promise((resolve) => {
        release = resolve;
      });
      return this.slice.next();
    };
    try {
      await work(pause);
    } catch (error) {
      throw condition.explain(error, build);
    } finally {
      build.busy = undefined;
      release();
    }
  }
}
