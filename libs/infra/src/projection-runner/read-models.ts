import { setTimeout as sleep } from 'node:timers/promises';
import { categoryOf, type Position, type ServiceName } from '#domain/shared/events.js';
import { parseFilter, passes } from '#infra/event-store/category-filter.js';
import type { ReadGate } from '#infra/log-identity/read-gate.js';
import { type RebuildOptions, rebuild } from '#infra/projection-runner/rebuild/rebuild.js';
import { type RebuildProgress, rebuildUnderWay } from '#infra/projection-runner/rebuild/rebuild-lease.js';
import { SetAside } from '#infra/projection-runner/set-aside/set-aside.js';
import { newMarks, readSetAside, setAsideChanges } from '#infra/projection-runner/set-aside/set-aside-documents.js';
import type { SetAsideTracker } from '#infra/projection-runner/set-aside/set-aside-tracker.js';
import type { StoredFact } from '#projections/shared/partitions.js';
import type { Projection } from '#projections/shared/projection.js';
import { MarksConflict, NamespaceGone, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import type { BatchTimesSnapshot } from './batch-times.js';
import type { RunnerDependencies } from './dependencies.js';
import type { ProjectionFailure } from './failure.js';
import { type Lag, measureLag } from './lag.js';
import { allReach, type PositionGate } from './position-gate.js';
import { ProjectionRunner } from './projection-runner.js';
import type { RunnerState } from './runner-snapshot.js';

/** How one projection is. Times are UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export type ProjectionStatus = Readonly<{
  name: string;
  /** Of the documents that are served; that of the projection before anything is. */
  version: number;
  service: ServiceName;
  state: RunnerState;
  position: Position;
  /** Position of the newest event in the projection's categories. */
  head: Position;
  lag: Lag;
  documents: number;
  appliedAt: string | null;
  failure: ProjectionFailure | null;
  /** Why the documents are not shown and are built anew: they do not come from this log. `null`: they do. */
  mismatch: string | null;
  /** Of the documents that are served. */
  setAside: SetAside;
  /** The rebuild under way, in whichever process. */
  rebuild: RebuildProgress | null;
  times: BatchTimesSnapshot;
}>;

const NOTHING = { setAside: SetAside.NONE };
const nothingLeft = (error: unknown): typeof NOTHING => {
  if (error instanceof NamespaceGone) return NOTHING;
  throw error;
};

/** The documents were replaced between two questions: the runner will hear of it. */
const replaced = (error: unknown): Position => {
  if (error instanceof NamespaceGone) return 0n;
  throw error;
};

/** Requests that others get ahead of are made again so often. */
const MAX_ATTEMPTS = 20;

/** The read models that a process keeps up to date, one runner for each projection. */
export class ReadModels {
  private readonly runners: ReadonlyMap<string, ProjectionRunner>;
  private readonly byCategory = new Map<string, readonly ProjectionRunner[]>();

  constructor(
    private readonly dependencies: RunnerDependencies,
    projections: readonly Projection[],
  ) {
    this.runners = new Map(projections.map((projection) => [projection.name, new ProjectionRunner(dependencies, projection)]));
    if (this.runners.size < projections.length) throw new Error('two projections have the same name');
  }

  /** Once; returns at once and catches up in the background. Default: all. */
  start(names: readonly string[] = this.names): void {
    for (const name of names) this.runner(name).start();
  }

  /** Resolves when all runners have ended, each at a batch boundary. Close the stores after it. For good. */
  async stop(): Promise<void> {
    await Promise.all([...this.runners.values()].map((runner) => runner.stop()));
  }

  /**
   * Whether readers see everything up to `position`, in every projection that reads the category (or stream), whichever process applies it.
   * Waits until then, `false` after `timeoutMs`; `false` at once when such a projection has stopped before the position.
   */
  applied(category: string, position: Position, timeoutMs = 2_000): Promise<boolean> {
    const gates = this.readersOf(categoryOf(category)).map(({ gate }) => gate);
    return allReach(gates, position, timeoutMs);
  }

  /** Whether readers see these events once they have been applied: none of them is held back as part of a partition that is set aside. */
  shows(events: readonly StoredFact[]): boolean {
    return events.every((event) =>
      this.readersOf(categoryOf(event.stream)).every(({ tracker, projection }) => {
        if (tracker.known.setAside.isEmpty) return true;
        const partitions = projection.partitions?.ofEvent(event) ?? [];
        return !partitions.some((partition) => tracker.known.setAside.find(partition));
      }),
    );
  }

  /** Whether anything is set aside in any projection, as far as this process knows. */
  get isDegraded(): boolean {
    for (const { tracker } of this.runners.values()) if (!tracker.isClear) return true;
    return false;
  }

  /** The names of the projections, in the order given. */
  get names(): readonly string[] {
    return [...this.runners.keys()];
  }

  /** How a projection is, by asking both stores. `null`: there is no projection of that name. @throws EventStoreUnavailable, ReadStoreUnavailable */
  async status(name: string): Promise<ProjectionStatus | null> {
    const runner = this.runners.get(name);
    if (!runner) return null;
    const { events, store, timing, now } = this.dependencies;
    const { categories, service, version } = runner.projection;
    const [head, served, size, underWay] = await Promise.all([
      events.head(categories),
      store.served(name),
      store.size(name),
      rebuildUnderWay(store, name, timing, now()),
    ]);
    const { state, position: seen, appliedAt, failure, mismatch, times } = runner.snapshot();
    // A runner may be ahead of the store by events that change nothing, or not running at all.
    const stored = served ? await store.checkpoint(served).catch(replaced) : 0n;
    const position = mismatch === null && stored > seen ? stored : seen;
    const { setAside } = served ? await readSetAside(store, served).catch(nothingLeft) : NOTHING;
    const lag = await measureLag(events, categories, position, head, now());
    return {
      name,
      version: served?.version ?? version,
      service,
      state,
      position,
      head,
      lag,
      documents: size.documents,
      appliedAt,
      failure,
      mismatch,
      setAside,
      rebuild: underWay,
      times,
    };
  }

  /** Without asking the stores: for health checks. `null`: there is no projection of that name. */
  state(name: string): RunnerState | null {
    return this.runners.get(name)?.snapshot().state ?? null;
  }

  /** Likewise: why the documents of a projection are not shown. `null`: they may be, or nobody knows yet. */
  mismatch(name: string): string | null {
    return this.runners.get(name)?.snapshot().mismatch ?? null;
  }

  /** Whether requests may read the documents of a projection. `undefined`: there is no projection of that name. */
  readGate(name: string): ReadGate | undefined {
    return this.runners.get(name)?.reading;
  }

  /** Resolves once it is known of all documents that are stored whether they come from this log, or after `timeoutMs`. */
  async examined(timeoutMs = 2_000): Promise<void> {
    const over = sleep(timeoutMs, undefined, { ref: false });
    await Promise.race([over, Promise.all([...this.runners.values()].map(({ reading }) => reading.settled))]);
  }

  /** What is set aside, as far as this process knows: for health checks. */
  setAside(name: string): SetAside {
    return this.runner(name).tracker.known.setAside;
  }

  /** What this process knows of what is set aside, and how the projection falls into partitions. `null`: there is no projection of that name. */
  partitionsOf(name: string): Readonly<{ tracker: SetAsideTracker; projection: Projection; gate: PositionGate }> | null {
    return this.runners.get(name) ?? null;
  }

  /**
   * Asks whichever runner is at work to try again what is set aside with the partition, or all that is. Returns at once; false when nothing is.
   * Each runner tries for as long as something is left to try; ask `status` how it went.
   * @throws ReadStoreUnavailable
   */
  async resumePartition(name: string, partition?: string): Promise<boolean> {
    const { store } = this.dependencies;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const served = await store.served(name);
      if (!served) return false;
      try {
        const { setAside, marks } = await readSetAside(store, served);
        const groups = partition === undefined ? [...setAside.groups.values()] : [setAside.find(partition)];
        const asked = groups.flatMap((group) => group ?? []);
        if (asked.length === 0) return false;
        const idle = asked.filter(({ resuming }) => !resuming);
        if (idle.length === 0) return true;
        const after = idle.reduce((state, group) => state.with({ ...group, resuming: true }), setAside);
        await store.mark(served, setAsideChanges(setAside, after).changes, { from: marks, to: newMarks(after) });
        return true;
      } catch (error) {
        if (!(error instanceof MarksConflict || error instanceof NamespaceGone)) throw error;
      }
    }
    throw new ReadStoreUnavailable(`what is set aside in ${name} changes all the time`);
  }

  /** Tries the event at which the projection stopped again. False when it is not stopped. */
  resume(name: string): boolean {
    return this.runner(name).resume();
  }

  /** Builds the documents of a projection anew; see {@link rebuild}. */
  rebuild(name: string, options?: RebuildOptions): Promise<RebuildProgress> {
    return rebuild(this.dependencies, this.runner(name).projection, options);
  }

  private runner(name: string): ProjectionRunner {
    const runner = this.runners.get(name);
    if (!runner) throw new Error(`there is no projection ${name}`);
    return runner;
  }

  /** The projections that read a category; worked out once for each. */
  private readersOf(category: string): readonly ProjectionRunner[] {
    let readers = this.byCategory.get(category);
    if (!readers) {
      readers = [...this.runners.values()].filter(({ projection }) => passes(parseFilter(projection.categories), category));
      this.byCategory.set(category, readers);
    }
    return readers;
  }
}
