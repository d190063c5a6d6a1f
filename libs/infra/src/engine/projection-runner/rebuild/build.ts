import { LOG_STREAM } from '#domain/operations/log-events.js';
import type { EventBatch } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { Apply, type Target } from '#infra/engine/projection-runner/apply.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import type { EventReference } from '#infra/engine/projection-runner/failure.js';
import type { LeftOutEvents } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import { readLeftOut } from '#infra/engine/projection-runner/set-aside/set-aside-documents.js';
import { awaitedLater } from '#infra/platform/coordination/awaited-later.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import { examine } from '#infra/stores/log-identity/examine.js';
import { prepareForLog } from '#infra/stores/log-identity/namespace-origin.js';
import { withOpenings } from '#infra/stores/log-identity/origin.js';
import type { Projection } from '#projections/shared/projection.js';
import { type Namespace, NamespaceGone, type Progress } from '#projections/shared/read-store.js';

/** Events per read: enough to be efficient, few enough not to block requests on the event loop. */
const PAGE_EVENTS = 200;

/** A build of a process that has ended. `countedTo`: position up to which its events are counted. */
export type BegunBuild = Readonly<{ namespace: Namespace; countedTo: Position }>;

/** Nobody reads the documents yet. */
const BUILD: Target = {
  isServed: false,
  setAside: (_known, commit) => commit(),
  applied: () => undefined,
};

/**
 * Writes documents as of one position of the log into an empty build, and moves its checkpoint there with their origin: the log is applied from there.
 */
export type FillBuild = (namespace: Namespace, retry: OutageRetry) => Promise<void>;

type BuildDependencies = Pick<RunnerDependencies, 'events' | 'store' | 'decode' | 'expiring' | 'log' | 'now' | 'timing'> &
  Readonly<{
    retry: OutageRetry;
    /** Failing events to leave out. Default: none. */
    alike?: LeftOutEvents | undefined;
    /** Fills a build that begins. Default: it begins empty. */
    fill?: FillBuild | undefined;
    /** Called after each page with the number of its uncounted events and its end position. */
    onPage: (events: number, position: Position) => Promise<void>;
  }>;

/** A namespace that is filled from the log beside the served one, in large steps and bounded memory. */
export class Build {
  private constructor(
    private readonly dependencies: BuildDependencies,
    private readonly projection: Projection,
    private readonly apply: Apply,
    private countedTo: Position,
  ) {}

  /** Begins an empty namespace, or continues a build if it still exists and comes from this log. @throws AbortError */
  static async open(dependencies: BuildDependencies, projection: Projection, begun?: BegunBuild | null): Promise<Build> {
    const { retry, fill } = dependencies;
    const { name, version } = projection;
    const continued = begun && (await retry.retryUntilAvailable(() => isToContinue(dependencies, projection, begun.namespace)));
    const { namespace } = continued ? begun : await retry.retryUntilAvailable(() => prepareForLog(dependencies, name, version));
    if (!continued) await fill?.(namespace, retry);
    const apply = await Apply.open(dependencies, projection, namespace, BUILD);
    return new Build(dependencies, projection, apply, begun?.countedTo ?? apply.processed);
  }

  get namespace(): Namespace {
    return this.apply.namespace;
  }

  /** Position and origin of what is applied. */
  get progress(): Progress {
    return this.apply.progress;
  }

  /** Failing events that were left out. @throws NamespaceGone, ReadStoreUnavailable */
  leftOut(): Promise<readonly EventReference[]> {
    return readLeftOut(this.dependencies.store.documents(this.namespace));
  }

  /**
   * Applies everything up to the current head of the log, and commits it.
   * @param floor a position applied elsewhere before this call: the checkpoint ends at or after it
   * @throws NamespaceGone, DamagedLog, AbortError
   */
  async catchUp(floor: Position): Promise<void> {
    const { apply } = this;
    do {
      for (let page = this.read(); ; ) {
        const batch = await page;
        const isLast = batch.caughtUp;
        if (!isLast) page = this.read(batch.position);
        if (!(await this.take(batch))) page = this.read();
        else if (isLast) break;
        await nextTurn();
      }
      // Events applied before this call come before the head just reached, though the head of these categories may be lower.
    } while (!(await apply.flush(floor)));
  }

  /** Counts events that an earlier process stored without reporting them, because they are not read again. */
  async countStored(): Promise<void> {
    const { checkpoint } = this.apply.progress;
    while (this.countedTo < checkpoint) {
      const { events, position, caughtUp } = await this.read(this.countedTo);
      const to = caughtUp || position > checkpoint ? checkpoint : position;
      await this.count({ events, position: to, caughtUp });
    }
  }

  /** Returns `false` if it is to go on from before the batch. */
  private async take(batch: EventBatch): Promise<boolean> {
    const { apply } = this;
    for (let before = apply.processed; apply.processed < batch.position; before = apply.processed) {
      await apply.take(batch);
      if (apply.processed <= before) return false;
    }
    await this.count(batch);
    return true;
  }

  private async count({ events, position }: EventBatch): Promise<void> {
    const { countedTo } = this;
    if (position > countedTo) this.countedTo = position;
    const uncounted = events.filter((event) => event.stream !== LOG_STREAM && event.position > countedTo && event.position <= position);
    await this.dependencies.onPage(uncounted.length, position);
  }

  private read(after = this.apply.processed): Promise<EventBatch> {
    const { events, retry } = this.dependencies;
    const categories = withOpenings(this.projection.categories);
    // It is read ahead: if this build ends before it is awaited, its failure is irrelevant.
    return awaitedLater(retry.retryUntilAvailable((signal) => events.readAll({ after, categories, limit: PAGE_EVENTS, signal })));
  }
}

const isToContinue = async (dependencies: BuildDependencies, { version }: Projection, namespace: Namespace): Promise<boolean> => {
  if (namespace.version !== version) return false;
  try {
    const progress = await dependencies.store.progress(namespace);
    return (await examine(dependencies, progress)).kind === 'same';
  } catch (error) {
    if (error instanceof NamespaceGone) return false; // check the served documents again
    throw error;
  }
};
