import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECTIONS_CATEGORY } from '#domain/operations/projection-operations.js';
import { categoryOf, type Position, type ServiceName } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { Fillings } from '#infra/engine/projection-runner/progress/fillings.js';
import { FlagCount } from '#infra/engine/projection-runner/progress/flag-count.js';
import { LevelLook } from '#infra/engine/projection-runner/progress/lag.js';
import { headAfter } from '#infra/engine/projection-runner/progress/newest-event.js';
import { allReach, type PositionGate } from '#infra/engine/projection-runner/progress/position-gate.js';
import { type RebuildOptions, rebuild } from '#infra/engine/projection-runner/rebuild/rebuild.js';
import { type RebuildProgress, rebuildUnderWay } from '#infra/engine/projection-runner/rebuild/rebuild-lease.js';
import { OperatorRequests } from '#infra/engine/projection-runner/set-aside/operator-requests.js';
import type { SetAside } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import type { SetAsideTracker } from '#infra/engine/projection-runner/set-aside/set-aside-tracker.js';
import { LogWatch } from '#infra/engine/projection-runner/trust/log-watch.js';
import { ServedWatch } from '#infra/engine/projection-runner/trust/served-watch.js';
import { parseFilter, passes } from '#infra/stores/event-store/category-filter.js';
import type { ReadGate } from '#infra/stores/log-identity/read-gate.js';
import type { StoredFact } from '#projections/shared/partitions.js';
import type { Projection } from '#projections/shared/projection.js';
import type { RunnerDependencies } from './dependencies.js';
import { neededFirst, ProjectionRunner } from './projection-runner.js';
import type { ProjectionStatus } from './projection-status.js';
import { Projector } from './projector.js';
import type { RunnerSnapshot, RunnerState } from './runner-snapshot.js';
import { projectorsOf, statusOf, storedSetAside } from './stored-status.js';

/** The read models that a process keeps up to date, with one runner per projection. */
export class ReadModels {
  private readonly runners: ReadonlyMap<string, ProjectionRunner>;
  private readonly watch: ServedWatch;
  private readonly logWatch: LogWatch;
  private readonly projector: Projector;
  private readonly abort = new AbortController();
  private requests: OperatorRequests | undefined;
  private following: Promise<void> | undefined;
  private readonly byCategory = new Map<string, readonly ProjectionRunner[]>();
  /** Counts projections that may have something set aside, and those with owed writes: every request reads both. */
  private readonly degraded = new FlagCount();
  private readonly owing = new FlagCount();
  private readonly fillings: Fillings;
  private readonly level: LevelLook;

  constructor(
    private readonly dependencies: RunnerDependencies,
    projections: readonly Projection[],
  ) {
    this.watch = new ServedWatch(() => neededFirst(this.runners.values()), dependencies.store.isAlone === true);
    this.logWatch = new LogWatch(dependencies.events, dependencies.log);
    this.level = new LevelLook(dependencies.events, dependencies.now);
    this.fillings = new Fillings(dependencies.events, () =>
      [...this.runners].flatMap(([name, { isLacking, gate }]) => (isLacking ? [{ name, position: gate.position }] : [])),
    );
    const { events, decode, timing } = dependencies;
    const requests = dependencies.onRebuildRequested ? [{ categories: [PROJECTIONS_CATEGORY] }] : [];
    this.projector = new Projector(events, decode, [...projections, ...requests], timing.idleCommitMs);
    this.runners = new Map(
      projections.map((projection) => [
        projection.name,
        new ProjectionRunner(dependencies, projection, this.logWatch, this.projector, () => this.followRequests()),
      ]),
    );
    if (this.runners.size < projections.length) throw new Error('two projections have the same name');
    for (const runner of this.runners.values()) this.count(runner);
  }

  /** Must be called once. Catches up in the background. Default: all projections. */
  start(names: readonly string[] = this.names): void {
    this.logWatch.start();
    for (const runner of neededFirst(names.map((name) => this.runner(name)))) runner.start();
    this.watch.start();
  }

  /** Stops permanently. Resolves when all runners have ended, each at a batch boundary. Close the stores after it. */
  async stop(): Promise<void> {
    this.abort.abort();
    this.logWatch.stop();
    await this.watch.stop();
    await this.following;
    await Promise.all([...this.runners.values()].map((runner) => runner.stop()));
  }

  /**
   * Waits until readers see everything up to `position`, in every projection that reads the category (or stream), whichever process applies
   * it. Resolves to `false` after `timeoutMs`; projections that are filled are not waited for.
   */
  async applied(category: string, position: Position, timeoutMs = 2_000): Promise<boolean> {
    const behind = this.readersOf(categoryOf(category)).flatMap(({ gate }) => (gate.position < position ? [gate] : []));
    const moving = behind.filter(({ closed }) => !closed);
    return (await allReach(moving, position, timeoutMs)) && moving.length === behind.length;
  }

  /** Like `applied`, for everything in the category now; `false` at once while a projection is filled. @throws EventStoreUnavailable */
  async current(category: string): Promise<boolean> {
    const readers = this.readersOf(category);
    if (readers.some(({ isLacking }) => isLacking)) return false;
    let [shown = 0n, ...others] = readers.map(({ gate }) => gate.position);
    for (const position of others) if (position < shown) shown = position;
    return this.applied(category, await headAfter(this.dependencies.events, [category], shown));
  }

  /** Name of a projection that reads one of the categories and is not shown. `undefined`: all are. */
  withheld(categories: readonly string[]): string | undefined {
    return categories.flatMap((category) => this.readersOf(category)).findLast(({ reading }) => !reading.isOpen)?.projection.name;
  }

  /** Records a write that is acknowledged before readers see it. */
  owe(category: string, position: Position): void {
    for (const { gate } of this.readersOf(category)) gate.owe(position);
  }

  /** Returns whether readers will see these events once they are applied: none is held back with a set-aside partition. */
  shows(events: readonly StoredFact[]): boolean {
    return events.every((event) =>
      this.readersOf(categoryOf(event.stream)).every(({ tracker, projection }) => {
        if (tracker.known.setAside.isEmpty) return true;
        return !projection.partitions.ofEvent(event).some((partition) => tracker.known.setAside.find(partition));
      }),
    );
  }

  /** Returns whether any projection has something set aside, as far as this process knows; also true until it is known for all of them. */
  get isDegraded(): boolean {
    return this.degraded.any;
  }

  /**
   * Returns whether this process has acknowledged a write, as not readable yet, that a projection still does not show to its readers. One that is
   * filled has no readers, and shows the write as soon as it has.
   * @param service default: any
   */
  isOwing(service?: ServiceName): boolean {
    return this.owing.any && this.owingTo(service).length > 0;
  }

  /**
   * Waits until readers of a service see all writes owed to them. Resolves to `false` after `timeoutMs`, or at once if a projection that
   * does not show them is filled.
   */
  async settled(service: ServiceName, timeoutMs = 2_000): Promise<boolean> {
    return (await Promise.all(this.owingTo(service).map(({ gate }) => gate.settled(timeoutMs)))).every((isSettled) => isSettled);
  }

  /** Names of the projections, in the order given. */
  get names(): readonly string[] {
    return [...this.runners.keys()];
  }

  /** Status of a projection, read from both stores. `null` if none has this name. @throws EventStoreUnavailable, ReadStoreUnavailable */
  async status(name: string): Promise<ProjectionStatus | null> {
    const runner = this.runners.get(name);
    return runner ? await statusOf(this.dependencies, runner, this.level) : null;
  }

  /** Text that identifies the served build of its documents. `null` if none is served. @throws ReadStoreUnavailable */
  async build(name: string): Promise<string | null> {
    const served = await this.dependencies.store.served(name);
    return served && `${served.version}.${served.generation}`;
  }

  /** Name of the node that keeps each projection up to date; see {@link projectorsOf}. @throws ReadStoreUnavailable */
  projectors(): Promise<ReadonlyMap<string, string>> {
    return projectorsOf(this.dependencies);
  }

  /** State of a projection without reading the stores, for health checks. `null` if there is no such projection. */
  state(name: string): RunnerState | null {
    return this.runners.get(name)?.snapshot().state ?? null;
  }

  /**
   * Progress of a projection's documents for readers; `position` is null if they may not be read. `mismatch`: why they do not come from
   * this log. `null`: this process does not follow them, or there is no such projection.
   */
  shown(name: string): (Pick<RunnerSnapshot, 'state' | 'mismatch'> & Readonly<{ position: Position | null }>) | null {
    const runner = this.runners.get(name);
    if (!runner?.isStarted) return null;
    const { position, state, mismatch } = runner.snapshot();
    return { position: runner.reading.isOpen ? position : null, state, mismatch };
  }

  /** Checks now whether documents were lost, instead of within half a second. For health checks. Ignores outages of the read store. */
  look(): Promise<void> {
    return this.watch.look();
  }

  /** For health checks: why the documents of a projection are hidden. `null`: they may be shown, or this is not known yet. */
  mismatch(name: string): string | null {
    return this.runners.get(name)?.snapshot().mismatch ?? null;
  }

  /** Decides whether requests may read the documents of a projection. `undefined` if there is no such projection. */
  readGate(name: string): ReadGate | undefined {
    return this.runners.get(name)?.reading;
  }

  /** Returns whether this process has not shown the documents of a projection yet. */
  isOpening(name: string): boolean {
    return this.runner(name).isOpening;
  }

  /** Seconds until the documents of a projection are filled, at the pace so far; `null` if that is not known, or they are not filled. */
  secondsLeft(name: string): number | null {
    return this.fillings.secondsLeft(name);
  }

  /** Resolves once the origin of all documents is checked and requests may read those of the categories; or after `timeoutMs`. */
  async examined(categories: readonly string[] = [], timeoutMs = 2_000): Promise<void> {
    const over = sleep(timeoutMs, undefined, { ref: false });
    const settled = [...this.runners.values()].map(({ reading }) => reading.settled);
    const opened = categories.flatMap((category) => this.readersOf(category).map(({ reading }) => reading.opened));
    await Promise.race([over, Promise.all([...settled, ...opened])]);
  }

  /** Set-aside state in the store, which other processes change too. @throws ReadStoreUnavailable */
  storedSetAside(name: string): Promise<SetAside> {
    return storedSetAside(this.dependencies.store, name);
  }

  /** Set-aside state known to this process, for health checks. */
  setAside(name: string): SetAside {
    return this.runner(name).tracker.known.setAside;
  }

  /** Set-aside state known to this process, and how the projection is partitioned. `null` if there is no such projection. */
  partitionsOf(name: string): Readonly<{ tracker: SetAsideTracker; projection: Projection; gate: PositionGate }> | null {
    return this.runners.get(name) ?? null;
  }

  /** Waits until this process has taken the requests of operators up to a position of the log, or for the time. */
  async requestsTaken(position: Position, timeoutMs: number): Promise<void> {
    await this.requests?.taken(position, timeoutMs);
  }

  /** Names of the projections with a running rebuild, in any process. @throws ReadStoreUnavailable */
  async rebuilt(): Promise<readonly string[]> {
    const underWay = await Promise.all(this.names.map((name) => this.rebuildUnderWay(name)));
    return this.names.filter((_, index) => underWay[index] !== null);
  }

  /** The running rebuild of a projection, in any process, as of its last heartbeat. @throws ReadStoreUnavailable */
  rebuildUnderWay(name: string): Promise<RebuildProgress | null> {
    const { store, timing, now } = this.dependencies;
    return rebuildUnderWay(store, name, timing, now());
  }

  /** Returns whether a rebuild of a projection runs, in any process, or is requested from this one. @throws ReadStoreUnavailable */
  async isRebuilding(name: string): Promise<boolean> {
    return this.requests?.isRequested(name) || (await this.rebuildUnderWay(name)) !== null;
  }

  /** Rebuilds the documents of a projection; see {@link rebuild}. */
  async rebuild(name: string, options?: RebuildOptions): Promise<RebuildProgress> {
    try {
      return await rebuild(this.dependencies, this.runner(name).projection, options);
    } finally {
      await this.runner(name)
        .look()
        .catch(() => undefined); // another build may be served
    }
  }

  /** Called when this process begins to apply a projection: others leave the log alone. */
  private followRequests(): void {
    const { onRebuildRequested } = this.dependencies;
    if (this.requests || !onRebuildRequested) return;
    this.requests = new OperatorRequests({
      ...{ ...this.dependencies, onRebuildRequested, projector: this.projector, signal: this.abort.signal },
      names: [...this.runners.values()].flatMap(({ isStarted, projection }) => (isStarted ? [projection.name] : [])),
    });
    this.following = this.requests.follow();
  }

  private count({ tracker, gate }: ProjectionRunner): void {
    const degraded = this.degraded.flag();
    degraded(!tracker.isClear);
    tracker.listen(() => degraded(!tracker.isClear));
    gate.onOwing(this.owing.flag());
  }

  private owingTo(service: ServiceName | undefined): readonly ProjectionRunner[] {
    return [...this.runners.values()].filter(
      ({ gate, isLacking, projection }) => gate.isOwing && !isLacking && (service === undefined || projection.service === service),
    );
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
