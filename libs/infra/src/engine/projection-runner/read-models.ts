import { setTimeout as sleep } from 'node:timers/promises';
import { categoryOf, type Position, type ServiceName } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { FlagCount } from '#infra/engine/projection-runner/progress/flag-count.js';
import { measureLag } from '#infra/engine/projection-runner/progress/lag.js';
import { headAfter, newestEvent } from '#infra/engine/projection-runner/progress/newest-event.js';
import { allReach, type PositionGate } from '#infra/engine/projection-runner/progress/position-gate.js';
import { type RebuildOptions, rebuild } from '#infra/engine/projection-runner/rebuild/rebuild.js';
import { type RebuildProgress, rebuildUnderWay } from '#infra/engine/projection-runner/rebuild/rebuild-lease.js';
import { SetAside } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import { newMarks, readSetAside, setAsideChanges } from '#infra/engine/projection-runner/set-aside/set-aside-documents.js';
import type { SetAsideTracker } from '#infra/engine/projection-runner/set-aside/set-aside-tracker.js';
import { LogWatch } from '#infra/engine/projection-runner/trust/log-watch.js';
import { ServedWatch } from '#infra/engine/projection-runner/trust/served-watch.js';
import { seemsAlive } from '#infra/platform/coordination/lease.js';
import { SeatBook } from '#infra/platform/coordination/seats/seat-book.js';
import { parseFilter, passes } from '#infra/stores/event-store/category-filter.js';
import type { ReadGate } from '#infra/stores/log-identity/read-gate.js';
import type { StoredFact } from '#projections/shared/partitions.js';
import type { Projection } from '#projections/shared/projection.js';
import { MarksConflict, NamespaceGone, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { PROJECTOR_SEATS, type RunnerDependencies } from './dependencies.js';
import { ProjectionRunner } from './projection-runner.js';
import type { ProjectionStatus } from './projection-status.js';
import { Projector } from './projector.js';
import type { RunnerSnapshot, RunnerState } from './runner-snapshot.js';

/** The documents were replaced between two reads: the runner will notice. */
const unlessGone =
  <Result>(instead: Result) =>
  (error: unknown): Result => {
    if (error instanceof NamespaceGone) return instead;
    throw error;
  };
const NOTHING = { setAside: SetAside.NONE };

/** After so long without a sign of life a node seems to be gone, whatever the difference of the clocks. */
const PROJECTOR_SILENCE_MS = 10_000;

/** A request is repeated this often when others change the state first. */
const MAX_ATTEMPTS = 20;

/** The read models that a process keeps up to date, one runner for each projection. */
export class ReadModels {
  private readonly runners: ReadonlyMap<string, ProjectionRunner>;
  private readonly watch: ServedWatch;
  private readonly logWatch: LogWatch;
  private readonly byCategory = new Map<string, readonly ProjectionRunner[]>();
  /** Projections that may have something set aside, and those that owe: every request asks for both. */
  private readonly degraded = new FlagCount();
  private readonly owing = new FlagCount();
  private readonly owingOf = new Map<ServiceName, FlagCount>();

  constructor(
    private readonly dependencies: RunnerDependencies,
    projections: readonly Projection[],
  ) {
    this.watch = new ServedWatch(() => this.runners.values(), dependencies.store.isAlone === true);
    this.logWatch = new LogWatch(dependencies.events, dependencies.log);
    const projector = new Projector(dependencies.events, dependencies.decode, projections, dependencies.timing.idleCommitMs);
    this.runners = new Map(
      projections.map((projection) => [projection.name, new ProjectionRunner(dependencies, projection, this.logWatch, projector)]),
    );
    if (this.runners.size < projections.length) throw new Error('two projections have the same name');
    for (const runner of this.runners.values()) this.count(runner);
  }

  /** Call it once. Returns at once, and catches up in the background. Default: all projections. */
  start(names: readonly string[] = this.names): void {
    this.logWatch.start();
    for (const name of names) this.runner(name).start();
    this.watch.start();
  }

  /** Stops for good. Resolves when all runners have ended, each at a batch boundary. Close the stores after it. */
  async stop(): Promise<void> {
    this.logWatch.stop();
    await this.watch.stop();
    await Promise.all([...this.runners.values()].map((runner) => runner.stop()));
  }

  /**
   * Waits until readers see everything up to `position`, in every projection that reads the category (or stream), whichever process applies
   * it. Resolves to `false` after `timeoutMs`, or at once if such a projection has stopped before the position.
   */
  applied(category: string, position: Position, timeoutMs = 2_000): Promise<boolean> {
    const gates = this.readersOf(categoryOf(category)).map(({ gate }) => gate);
    return allReach(gates, position, timeoutMs);
  }

  /** The same for all that the log has in the category now. @throws EventStoreUnavailable */
  async current(category: string): Promise<boolean> {
    let [shown = 0n, ...others] = this.readersOf(category).map(({ gate }) => gate.position);
    for (const position of others) if (position < shown) shown = position;
    return this.applied(category, await headAfter(this.dependencies.events, [category], shown));
  }

  /** A write is acknowledged although readers do not see it yet. */
  owe(category: string, position: Position): void {
    for (const { gate } of this.readersOf(category)) gate.owe(position);
  }

  /** Whether readers will see these events once they have been applied: none of them is held back with a set-aside partition. */
  shows(events: readonly StoredFact[]): boolean {
    return events.every((event) =>
      this.readersOf(categoryOf(event.stream)).every(({ tracker, projection }) => {
        if (tracker.known.setAside.isEmpty) return true;
        const partitions = projection.partitions?.ofEvent(event) ?? [];
        return !partitions.some((partition) => tracker.known.setAside.find(partition));
      }),
    );
  }

  /** Whether anything is set aside in any projection, as far as this process knows; also until it is known of all of them. */
  get isDegraded(): boolean {
    return this.degraded.any;
  }

  /**
   * Whether this process has acknowledged a write that a projection does not show yet, after its writer was told that the read models are behind.
   * @param service default: any
   */
  isOwing(service?: ServiceName): boolean {
    return service === undefined ? this.owing.any : this.owingOf.get(service)?.any === true;
  }

  /**
   * Waits until readers of a service see what it owes them. Resolves to `false` after `timeoutMs`, or at once if a projection has stopped that does not
   * show it.
   */
  async settled(service: ServiceName, timeoutMs = 2_000): Promise<boolean> {
    const owing = [...this.runners.values()].filter(({ gate, projection }) => projection.service === service && gate.isOwing);
    return (await Promise.all(owing.map(({ gate }) => gate.settled(timeoutMs)))).every((isSettled) => isSettled);
  }

  /** Names of the projections, in the order given. */
  get names(): readonly string[] {
    return [...this.runners.keys()];
  }

  /** Status of a projection, read from both stores. `null`: there is none of this name. @throws EventStoreUnavailable, ReadStoreUnavailable */
  async status(name: string): Promise<ProjectionStatus | null> {
    const runner = this.runners.get(name);
    if (!runner) return null;
    const { events, store, timing, now } = this.dependencies;
    const { categories, service, version } = runner.projection;
    const served = await store.served(name);
    const [head, size, underWay] = await Promise.all([
      newestEvent(this.dependencies, categories, runner.reading.isOpen ? served : null),
      store.size(name),
      rebuildUnderWay(store, name, timing, now()),
    ]);
    const { state, position: seen, appliedAt, failure, mismatch, times } = runner.snapshot();
    // A runner may be ahead of the store by events that change nothing, or not running at all.
    const stored = served ? await store.checkpoint(served).catch(unlessGone(0n)) : 0n;
    const position = mismatch === null && stored > seen ? stored : seen;
    const { setAside } = served ? await readSetAside(store, served).catch(unlessGone(NOTHING)) : NOTHING;
    const lag = await measureLag(events, categories, position, head, now());
    const shown = served !== null && lag.events === 0 ? 'live' : 'catching-up';
    return {
      name,
      version: served?.version ?? version,
      service,
      state: runner.isStarted ? state : shown, // by another process, if at all
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
      pace: runner.paceAt(lag),
    };
  }

  /** Which build of its documents is served: each has another text. `null`: none is. @throws ReadStoreUnavailable */
  async build(name: string): Promise<string | null> {
    const served = await this.dependencies.store.served(name);
    return served && `${served.version}.${served.generation}`;
  }

  /**
   * By projection: name of the node that keeps it up to date. One that has just been killed is named for some seconds, and the clocks of two nodes may
   * differ, so it is a hint. @throws ReadStoreUnavailable
   */
  async projectors(): Promise<ReadonlyMap<string, string>> {
    const { store, now } = this.dependencies;
    const holders = [...(await SeatBook.holders(store, PROJECTOR_SEATS))];
    return new Map(holders.flatMap(([name, member]) => (seemsAlive(member, PROJECTOR_SILENCE_MS, now()) ? [[name, member.node]] : [])));
  }

  /** State of a projection without reading the stores, for health checks. `null`: there is no such projection. */
  state(name: string): RunnerState | null {
    return this.runners.get(name)?.snapshot().state ?? null;
  }

  /**
   * How far the documents of a projection are for readers; `position` null: they may not be read. `mismatch`: why they do not come from this log. `null`:
   * this process does not follow them, or there is no such projection.
   */
  shown(name: string): (Pick<RunnerSnapshot, 'state' | 'failure' | 'mismatch'> & Readonly<{ position: Position | null }>) | null {
    const runner = this.runners.get(name);
    if (!runner?.isStarted) return null;
    const { position, state, failure, mismatch } = runner.snapshot();
    return { position: runner.reading.isOpen ? position : null, state, failure, mismatch };
  }

  /** Finds out now whether documents were lost, instead of within half a second: for health checks. Outages of the read store are no news. */
  look(): Promise<void> {
    return this.watch.look();
  }

  /** Likewise: why the documents of a projection are not shown. `null`: they may be shown, or it is not known yet. */
  mismatch(name: string): string | null {
    return this.runners.get(name)?.snapshot().mismatch ?? null;
  }

  /** Tells whether requests may read the documents of a projection. `undefined`: there is no such projection. */
  readGate(name: string): ReadGate | undefined {
    return this.runners.get(name)?.reading;
  }

  /** Resolves once all documents were checked for coming from this log, and requests may read those of the categories; or after `timeoutMs`. */
  async examined(categories: readonly string[] = [], timeoutMs = 2_000): Promise<void> {
    const over = sleep(timeoutMs, undefined, { ref: false });
    const settled = [...this.runners.values()].map(({ reading }) => reading.settled);
    const opened = categories.flatMap((category) => this.readersOf(category).map(({ reading }) => reading.opened));
    await Promise.race([over, Promise.all([...settled, ...opened])]);
  }

  /** Set-aside state, as far as this process knows: for health checks. */
  setAside(name: string): SetAside {
    return this.runner(name).tracker.known.setAside;
  }

  /** The set-aside state that this process knows, and how the projection is partitioned. `null`: there is no such projection. */
  partitionsOf(name: string): Readonly<{ tracker: SetAsideTracker; projection: Projection; gate: PositionGate }> | null {
    return this.runners.get(name) ?? null;
  }

  /**
   * Asks the active runner, in whichever process, to resume the partition, or all that are set aside. Returns at once; `false` if nothing
   * is set aside. The runner tries for as long as something is left to try; `status` shows the result.
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

  /** Tries the event at which the projection stopped again. Returns false if it is not stopped. */
  resume(name: string): boolean {
    return this.runner(name).resume();
  }

  /** Names of the projections with a rebuild under way, in any process. @throws ReadStoreUnavailable */
  async rebuilt(): Promise<readonly string[]> {
    const underWay = await Promise.all(this.names.map((name) => this.rebuildUnderWay(name)));
    return this.names.filter((_, index) => underWay[index] !== null);
  }

  /** The rebuild of a projection that is under way in any process, as of its last heart beat. @throws ReadStoreUnavailable */
  rebuildUnderWay(name: string): Promise<RebuildProgress | null> {
    const { store, timing, now } = this.dependencies;
    return rebuildUnderWay(store, name, timing, now());
  }

  /** Rebuilds the documents of a projection; see {@link rebuild}. */
  async rebuild(name: string, options?: RebuildOptions): Promise<RebuildProgress> {
    try {
      return await rebuild(this.dependencies, this.runner(name).projection, options);
    } finally {
      await this.runner(name)
        .look()
        .catch(() => undefined); // what is served may be another build
    }
  }

  private count({ tracker, gate, projection: { service } }: ProjectionRunner): void {
    const degraded = this.degraded.flag();
    degraded(!tracker.isClear);
    tracker.listen(() => degraded(!tracker.isClear));
    const ofService = getOrInsert(this.owingOf, service, () => new FlagCount());
    const flags = [this.owing.flag(), ofService.flag()];
    gate.onOwing((isOwing) => {
      for (const flag of flags) flag(isOwing);
    });
  }

  private runner(name: string): ProjectionRunner {
    const runner = this.runners.get(name);
    if (!runner) throw new Error(`there is no projection ${name}`);
    return runner;
  }

  /** Projections that read a category; computed once per category. */
  private readersOf(category: string): readonly ProjectionRunner[] {
    return getOrInsert(this.byCategory, category, () =>
      [...this.runners.values()].filter(({ projection }) => passes(parseFilter(projection.categories), category)),
    );
  }
}
