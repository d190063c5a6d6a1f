import type { Position } from '#domain/shared/events.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import { Replay, type ReplayStart } from '#infra/engine/projection-runner/rebuild/replay.js';
import { CommitHold } from '#infra/engine/projection-runner/set-aside/commit-hold.js';
import { readSetAside } from '#infra/engine/projection-runner/set-aside/set-aside-documents.js';
import { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import { examine } from '#infra/stores/log-identity/examine.js';
import { prepareForLog } from '#infra/stores/log-identity/namespace-origin.js';
import { OriginTrail } from '#infra/stores/log-identity/origin.js';
import type { Projection } from '#projections/shared/projection.js';
import { MarksConflict, type Namespace, NamespaceGone } from '#projections/shared/read-store.js';
import { BoundedLog } from './bounded-log.js';
import { compareDocuments } from './compare.js';
import type { Difference } from './differences.js';

/** Result of a comparison. `position`: that of both sets of documents. */
export type ComparisonResult = Readonly<{
  position: Position;
  compared: number;
  differenceCount: number;
  differences: readonly Difference[];
}>;

type VerificationOptions = Readonly<{
  signal: AbortSignal;
  /** Continues the build of a process that has ended, if it still exists and comes from this log. */
  begun: Readonly<{ namespace: Namespace; countedTo: Position }> | null;
  /** Called once the namespace of the build is known. */
  onNamespace: (namespace: Namespace) => void;
  /** Called after every page of events, with the number of its uncounted events. */
  onEvents: (events: number, position: Position) => void;
  onCompared: (compared: number) => void;
}>;

/** Nothing is served yet, so there is nothing to verify. */
export class NothingServed extends Error {
  override readonly name = 'NothingServed';
}

const MOST_DIFFERENCES = 100;

/** Distance in positions between the build and the served documents below which commits are held; further rounds are not worthwhile. */
const MAX_ROUNDS = 5;

/** Excludes collections of the runner itself, which begin with this character. */
const isOfDocuments = (collection: string): boolean => !collection.startsWith('$');

type Built = Readonly<{ namespace: Namespace; log: BoundedLog; replay: Replay }>;

/**
 * Compares every served document with a separate build, at one position. The build is made beside the served documents, in the place of a
 * rebuild, and stops at their position. Then commits are held, in all processes, until all documents are compared; writes are answered as
 * `behind` meanwhile. Waits through outages of the stores.
 */
export class ProjectionVerification {
  private readonly retry: OutageRetry;

  constructor(
    private readonly dependencies: RunnerDependencies,
    private readonly projection: Projection,
    private readonly options: VerificationOptions,
  ) {
    const { timing, log } = dependencies;
    this.retry = new OutageRetry(timing, options.signal, (error, attempt) =>
      log.warn({ projection: projection.name, attempt, err: error }, 'verification waits for a store'),
    );
  }

  /**
   * @throws NothingServed
   * @throws NamespaceGone another build replaced one of the two
   * @throws EventFailed an event without a partition fails
   * @throws DamagedLog, AbortError
   */
  async run(): Promise<ComparisonResult> {
    const { store } = this.dependencies;
    const built = await this.begin();
    for (;;) {
      const served = await this.served();
      await this.approach(built, served);
      const hold = await this.retry.retryUntilAvailable(() => CommitHold.take(store, served));
      try {
        const verdict = await this.compare(built, served, hold);
        await hold.end();
        return verdict;
      } catch (error) {
        if (!(error instanceof MarksConflict)) {
          await hold.end().catch(() => undefined); // it expires
          throw error;
        }
      }
    }
  }

  /** Removes the build. */
  async cleanUp(): Promise<void> {
    const { name, version } = this.projection;
    await this.dependencies.store.prepare(name, version);
  }

  private async served(): Promise<Namespace> {
    const served = await this.retry.retryUntilAvailable(() => this.dependencies.store.served(this.projection.name));
    if (!served) throw new NothingServed(`nothing of ${this.projection.name} is served yet`);
    if (served.version !== this.projection.version) throw new NothingServed(`version ${this.projection.version} is being built`);
    return served;
  }

  private async begin(): Promise<Built> {
    const { events, store, decode, expiring, log, now } = this.dependencies;
    const { begun, onEvents, onNamespace, signal } = this.options;
    const { name, version } = this.projection;
    const continued = begun && (await this.retry.retryUntilAvailable(() => this.continue(begun.namespace)).catch(nullIfGone));
    const { namespace, trail, start } = continued ?? {
      ...(await this.retry.retryUntilAvailable(() => prepareForLog(this.dependencies, name, version))),
      start: undefined,
    };
    onNamespace(namespace);
    const bounded = new BoundedLog(events);
    const dependencies = { events: bounded, store, decode, expiring, retry: this.retry, log, now, start, countedTo: begun?.countedTo };
    const replay = new Replay(dependencies, this.projection, namespace, trail, async (count, position) => {
      onEvents(count, position);
      signal.throwIfAborted();
    });
    return { namespace, log: bounded, replay };
  }

  private async continue(namespace: Namespace): Promise<Readonly<{ namespace: Namespace; trail: OriginTrail; start: ReplayStart }> | null> {
    const { store } = this.dependencies;
    const progress = await store.progress(namespace);
    if (namespace.version !== this.projection.version || (await examine(this.dependencies, progress)).kind !== 'same') return null;
    const { checkpoint, origin } = progress;
    const known = await readSetAside(store, namespace);
    const served = await store.served(namespace.projection);
    if (!served || (await store.checkpoint(served)) < checkpoint) return null; // the served documents were replaced by older ones
    return { namespace, trail: new OriginTrail(origin, checkpoint), start: { checkpoint, known } };
  }

  /** Brings the build close to the served documents, so that little is left to do while commits are held. */
  private async approach({ log, replay }: Built, served: Namespace): Promise<void> {
    const { store } = this.dependencies;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const checkpoint = await this.retry.retryUntilAvailable(() => store.checkpoint(served));
      if (checkpoint === log.bound) return;
      log.bound = checkpoint;
      await replay.catchUp(checkpoint);
    }
  }

  /** @throws MarksConflict the hold was ended by another process: repeat */
  private async compare({ namespace, log, replay }: Built, served: Namespace, hold: CommitHold): Promise<ComparisonResult> {
    const { store } = this.dependencies;
    const position = await this.retry.retryUntilAvailable(() => store.checkpoint(served));
    log.bound = position;
    await replay.catchUp(position);
    const names = await Promise.all([served, namespace].map((each) => store.collections(each)));
    const differences: Difference[] = [];
    let differenceCount = 0;
    const compared = await compareDocuments({
      collections: new Set(names.flat().filter(isOfDocuments)),
      served: store.documents(served),
      built: store.documents(namespace),
      onDifference: (difference) => {
        differenceCount++;
        if (differences.length < MOST_DIFFERENCES) differences.push(difference);
      },
      onPage: async (soFar) => {
        this.options.signal.throwIfAborted();
        this.options.onCompared(soFar);
        await hold.renew();
      },
    });
    return { position, compared, differenceCount, differences };
  }
}

const nullIfGone = (error: unknown): null => {
  if (error instanceof NamespaceGone) return null;
  throw error;
};
